// Measures what the phone cuts off, and writes clocks in the languages of the users.
"use strict";
document.documentElement.classList.add("scripted");

const formats = new Map(); // making one takes longer than all the rest

function format(form, language, zone) {
  const key = [form.weekday, language, zone].join();
  if (!formats.has(key)) formats.set(key, new Intl.DateTimeFormat(language, { ...form, timeZone: zone }));
  return formats.get(key);
}

function showClocks(root) {
  for (const clock of root.querySelectorAll("time[data-form]")) {
    const isDate = clock.dataset.form === "date";
    const form = isDate
      ? { weekday: "long", day: "numeric", month: "long" }
      : { hour: "2-digit", minute: "2-digit", hourCycle: "h23" };
    try {
      const { lang, zone } = clock.dataset;
      write(clock, format(form, lang || "en", zone || "UTC").format(new Date(clock.dateTime)));
      if (isDate && clock.dataset.lang) clock.lang = clock.dataset.lang;
    } catch {
      // The browser does not know the language or the time zone, so the text from the server stays.
    }
  }
}

// The text of a clamped element that is below its last visible line.
function lostText(element) {
  const text = element.firstChild;
  if (!text || element.scrollHeight <= element.clientHeight + 1) return "";
  const bottom = element.getBoundingClientRect().bottom;
  const range = document.createRange();
  let low = 0;
  let high = text.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    range.setStart(text, middle);
    range.setEnd(text, Math.min(text.length, middle + 1));
    const box = range.getBoundingClientRect();
    if (box.top + box.height / 2 > bottom) high = middle; else low = middle + 1;
  }
  return text.data.slice(low);
}

// Changes a text only if it differs, so that the page is not laid out again.
function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

function showFits(root) {
  for (const fit of root.querySelectorAll(".fit")) {
    const device = fit.previousElementSibling;
    const body = device && device.querySelector(".bo");
    const slot = (name) => fit.querySelector(`[data-fit=${name}]`);
    if (!body || !slot("body") || !device.offsetWidth) continue;
    const most = Number(fit.dataset.lines);
    const lines = Math.max(1, Math.round(body.scrollHeight / parseFloat(getComputedStyle(body).lineHeight)));
    const lost = lostText(body);
    const words = slot("body").querySelector("b");
    write(words, lost ? `is cut after ${most} lines` : `${lines} of ${most} lines`);
    words.className = lost ? "cut-off" : "";
    slot("lost").hidden = !lost;
    write(slot("lost").querySelector("q"), lost.slice(0, 160));
    const title = device.querySelector(".cut");
    if (!title) continue;
    const isCut = title.scrollWidth > title.clientWidth + 1;
    const word = slot("title").querySelector("b");
    write(word, isCut ? "is cut" : "fits");
    word.className = isCut ? "cut-off" : "";
  }
}

window.addEventListener("resize", () => showFits(document));

// Copies a text for Braze's dashboard.
document.addEventListener("click", async (event) => {
  const button = event.target.closest?.("[data-copy]");
  if (!button) return;
  await navigator.clipboard.writeText(button.dataset.copy);
  const words = button.firstChild;
  const before = words.data;
  words.data = "Copied";
  setTimeout(() => { words.data = before; }, 1500);
});
