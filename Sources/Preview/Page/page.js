// The page while it is served: everything is drawn by the server; this script asks for it again as somebody types.
"use strict";

const $ = (selector, root = document) => root.querySelector(selector);
const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];

const page = {
  number: 0, // of the last request; late answers are dropped
  revision: Number(document.documentElement.dataset.revision),
  isLive: true,
  waiting: null, // the request under way
  timer: 0,
  sayTimer: 0,
  images: new Map(), // what was fetched, by the addresses
  isStopped: false, // whether the search for one person per branch was stopped
  coverTimer: 0,
  good: null, // what people get of the last text that could be rendered, and the address it is for
};

const query = () => location.search.slice(1);

// MARK: Drafts

// What was done to one campaign, which is still there when somebody comes back to it.
function newDraft() {
  return {
    path: "",
    base: "",
    text: "",
    isEdited: false,
    changed: null, // the control that was typed into since the last request
    overrides: new Map(), // values of the context and of profiles that were typed here
    goodProfiles: new Map(), // the last JSON of each person's profile that could be read
    history: [],
    place: -1,
    typedAt: 0,
  };
}

const drafts = new Map(); // by the campaign in the address
let draft = newDraft(); // of the campaign in the address
let shown = draft; // of the campaign that the page still shows while another one is asked for

// Takes up the draft of the campaign in the address: the text of one must never be sent as that of another.
function takeDraft() {
  const campaign = new URLSearchParams(query()).get("campaign") ?? "0";
  draft = drafts.get(campaign) ?? newDraft();
  drafts.set(campaign, draft);
}

const storageKey = (path) => "draft " + path;
const isUnsaved = (path) => sessionStorage.getItem(storageKey(path)) !== null;

// Stores the text of a draft for a later visit: texts alone are stored, never anything of a profile.
function store(some) {
  if (some.isEdited) sessionStorage.setItem(storageKey(some.path), JSON.stringify({ base: some.base, text: some.text }));
  else sessionStorage.removeItem(storageKey(some.path));
}

// A text that was not saved before the page was left.
function restore() {
  const kept = JSON.parse(sessionStorage.getItem(storageKey(draft.path)) ?? "null");
  if (!kept || kept.text === draft.text) return;
  draft.base = kept.base;
  draft.changed = { name: "text", value: kept.text };
  render({ force: true });
}

// MARK: Requests

async function call(method, path, body) {
  const response = await fetch(path, {
    method,
    headers: { "Content-Type": "application/json", "X-Payloadgen": "1" },
    body: JSON.stringify(body),
    signal: method === "POST" && path === "api/render" ? page.waiting.signal : undefined,
  });
  const answer = await response.json();
  if (!response.ok && response.status !== 409) throw new Error(answer.error?.message ?? "the request failed");
  return { status: response.status, answer };
}

// The number of the selected person.
function person() {
  return $("#app").dataset.person;
}

function values(more = []) {
  const list = [];
  if (draft.path && (draft.isEdited || draft.changed || more.length)) {
    list.push(["base", draft.base], ["text", draft.text]);
  }
  if (draft.changed) {
    const { name, value } = draft.changed;
    if (name === "text") list.splice(0, 2, ["base", draft.base], ["text", value]);
    else list.push([name, value]);
  }
  for (const [key, value] of draft.overrides) {
    const [owner, name] = key.split("\u0000");
    const prefix = owner && `person:${owner}:`;
    if (name === "profile-json" && draft.goodProfiles.has(owner)) list.push([prefix + name, draft.goodProfiles.get(owner)]);
    list.push([prefix + name, value]);
  }
  return list.concat(more);
}

// Asks for the page as it is now; `force` also replaces the text under the cursor.
async function render({ more = [], force = false } = {}) {
  clearTimeout(page.timer);
  page.waiting?.abort();
  page.waiting = new AbortController();
  takeDraft();
  const n = ++page.number;
  const sent = draft.changed;
  const owner = person();
  const profile = draft.overrides.get(owner + "\u0000profile-json");
  try {
    const { answer } = await call("POST", "api/render", { n, view: query(), values: values(more) });
    if (answer.n !== page.number) return;
    if (draft.changed === sent) draft.changed = null;
    page.revision = answer.revision;
    accept(answer, force || shown !== draft);
    const isGood = $("#profile-json") && !$("#profile-error") && person() === owner;
    if (profile !== undefined && isGood) draft.goodProfiles.set(owner, profile);
  } catch (error) {
    if (error.name === "AbortError") return;
    if (error instanceof TypeError) setLive(false);
    else say(error.message, 0);
  }
}

function accept(answer, force) {
  shown = draft;
  draft.base = answer.base;
  draft.isEdited = answer.edited;
  if (answer.view !== undefined) history.replaceState(null, "", "?" + answer.view);
  remember(answer.text);
  document.title = answer.title;
  const fresh = new DOMParser().parseFromString(answer.html, "text/html").body;
  const isNew = !draft.path;
  draft.path = $("#app", fresh).dataset.path;
  if (!isNew) store(draft);
  keepGood(fresh);
  morph(document.body, fresh);
  syncControls(fresh, force);
  refresh();
  findCover();
  say(answer.said);
  if (isNew) restore();
}

// What people get and what the phone shows, and the parts of the address that change neither.
const outcomes = ["#list", "#phone .device", "#phone .fit", "#phone [aria-label=Budget]", "#checks .hd", "#checks .checks"];
const elsewhere = ["tab", "editor", "profile", "problems", "theme"];

// While a text cannot be rendered, as in the middle of a tag, people and phone stay what they were.
function keepGood(fresh) {
  const here = new URLSearchParams(query());
  const address = new URLSearchParams(query());
  for (const name of elsewhere) address.delete(name);
  const view = String(address);
  const parts = outcomes.map((selector) => $(selector, fresh));
  if (!$("#broken", fresh)) {
    page.good = { view, parts: parts.map((part) => part.cloneNode(true)) };
  } else if (page.good?.view === view) {
    for (const [index, part] of parts.entries()) part.replaceWith(page.good.parts[index].cloneNode(true));
    for (const link of $$("#list a", fresh)) {
      const target = new URLSearchParams(link.getAttribute("href").slice(1));
      for (const name of elsewhere) {
        target.delete(name);
        if (here.has(name)) target.set(name, here.get(name));
      }
      link.setAttribute("href", "?" + target);
    }
    $("#app", fresh).classList.add("stale");
    const note = document.createElement("p");
    note.className = "rs err before";
    note.textContent = "As it was before the error";
    $("#phone .fit", fresh)?.prepend(note);
  }
}

function say(text, delay = 1000) {
  clearTimeout(page.sayTimer);
  page.sayTimer = setTimeout(() => {
    if ($("#said").textContent !== text) $("#said").textContent = text;
  }, delay);
}

// MARK: One person per branch

// Asks for more of a search that is not done yet; the list of people changes when it is.
function findCover() {
  clearTimeout(page.coverTimer);
  if (page.isStopped || !$("#cover[data-more]")) return;
  page.coverTimer = setTimeout(async () => {
    const n = page.number;
    let answer;
    try {
      ({ answer } = await call("POST", "api/cover", { view: query(), values: values() }));
    } catch {
      // Whatever is wrong is reported where the page itself is asked for.
      return;
    }
    if (n !== page.number || page.isStopped) return;
    if (answer.done) {
      render();
      return;
    }
    const number = new Intl.NumberFormat("en");
    $("#cover span").textContent = `Looked through ${number.format(answer.profiles)} of ${number.format(answer.of)} profiles`;
    findCover();
  }, 50);
}

// MARK: Images

async function fetchImage(button) {
  button.disabled = true;
  try {
    const { answer } = await call("POST", "api/image", { view: query(), values: values() });
    page.images.set(answer.url, answer.image);
    showImages();
    say("The image is shown", 0);
  } catch (error) {
    await ask("The image was not fetched", error.message, ["OK"]);
  }
  button.disabled = false;
}

function showImages() {
  for (const place of $$("[data-image]")) {
    const data = page.images.get(place.dataset.image);
    if (!data) continue;
    const image = new Image();
    image.src = data;
    image.alt = "The image of the notification";
    place.replaceChildren(image);
  }
}

// MARK: Changing the page

const kept = new Set(["said", "live"]);

function morph(old, fresh) {
  if (old.isEqualNode(fresh)) return;
  if (old.nodeType === Node.TEXT_NODE) {
    if (old.data !== fresh.data) old.data = fresh.data;
    return;
  }
  if (old.nodeType !== Node.ELEMENT_NODE || kept.has(old.id)) return;
  for (const { name } of [...old.attributes]) {
    if (!fresh.hasAttribute(name) && !["open", "tabindex"].includes(name)) old.removeAttribute(name);
  }
  for (const { name, value } of fresh.attributes) {
    const isOwn = old.id === "dock" && name === "hidden";
    if (!isOwn && old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
  if (old.localName === "textarea") return;
  // What is gone goes first, so that what stays is not moved: a control that is moved loses the cursor.
  const ids = new Set([...fresh.children].map((child) => child.id));
  for (const child of [...old.children]) {
    if (child.id && !ids.has(child.id) && !("keep" in child.dataset)) child.remove();
  }
  let at = old.firstChild;
  for (const wanted of [...fresh.childNodes]) {
    while (at?.dataset && "keep" in at.dataset) at = at.nextSibling;
    let match = null;
    if (wanted.id) match = [...old.children].find((child) => child.id === wanted.id);
    else if (at && at.nodeType === wanted.nodeType && at.nodeName === wanted.nodeName && !at.id) match = at;
    if (!match) {
      old.insertBefore(document.importNode(wanted, true), at);
      continue;
    }
    if (match === at) at = at.nextSibling; else old.insertBefore(match, at);
    morph(match, wanted);
  }
  while (at) {
    const next = at.nextSibling;
    if (!(at.dataset && "keep" in at.dataset)) at.remove();
    at = next;
  }
}

// Gives controls the values of the server, but never the one that somebody is typing into.
function syncControls(fresh, force) {
  for (const wanted of fresh.querySelectorAll("textarea, input, select")) {
    const control = wanted.id ? document.getElementById(wanted.id) : $(`[name="${CSS.escape(wanted.name)}"]`);
    if (!control || control.type === "hidden") continue;
    const isTyped = control === document.activeElement && !(force && control.localName === "textarea");
    if (isTyped || control.value === wanted.value) continue;
    const place = control.selectionStart;
    control.value = wanted.value;
    if (control === document.activeElement) control.setSelectionRange(place, place);
  }
}

// What the script adds to the page after each change.
function refresh() {
  measure(document);
  showImages();
  for (const kbd of $$("kbd")) kbd.textContent = keyName(kbd.textContent);
  for (const link of $$("#campaigns a")) link.classList.toggle("unsaved", isUnsaved(link.textContent));
  for (const tab of $$("[role=tab]")) tab.tabIndex = tab.getAttribute("aria-selected") === "true" ? 0 : -1;
  const undo = $("#undo");
  if (undo) undo.disabled = draft.place <= 0;
  const redo = $("#redo");
  if (redo) redo.disabled = draft.place >= draft.history.length - 1;
  const theme = new URLSearchParams(query()).get("theme");
  if (theme) document.documentElement.dataset.theme = theme;
  const chosen = $(".who[aria-current]");
  const list = $("#list");
  if (chosen && list && list.scrollWidth > list.clientWidth) list.scrollLeft = chosen.offsetLeft - 60;
}

// MARK: History

function remember(text) {
  if (draft.history[draft.place] === text) {
    draft.text = text;
    return;
  }
  const isTyping = Date.now() - draft.typedAt < 700 && draft.place > 0;
  draft.typedAt = Date.now();
  draft.history.length = draft.place + 1;
  if (isTyping && draft.place > 0) draft.history[draft.place] = text; else draft.history.push(text);
  draft.place = draft.history.length - 1;
  draft.text = text;
}

function step(by) {
  const text = draft.history[draft.place + by];
  if (text === undefined) return;
  draft.place += by;
  draft.text = text;
  draft.changed = { name: "text", value: text };
  draft.typedAt = 0;
  render({ force: true });
}

// MARK: Saving

async function save(force = false) {
  if (!$("#save")) return;
  await render();
  const mine = draft;
  if ($("#broken") && mine.isEdited && !force) {
    const choice = await ask("Save a file with an error?", "The campaign cannot be rendered as it is.", ["Save", "Cancel"], { safe: "Cancel" });
    if (choice !== "Save" || mine !== draft) return;
  }
  try {
    const { status, answer } = await call("PUT", "api/campaign", {
      view: query(), values: [["base", mine.base], ["text", mine.text]], force,
    });
    if (status === 409) {
      if (mine === draft) await resolve(answer);
      return;
    }
    Object.assign(mine, { base: answer.revision, text: answer.text, isEdited: false });
    store(mine);
    await render({ force: true });
    say("Saved", 0);
  } catch (error) {
    await ask("Not saved", error.message, ["OK"]);
  }
}

async function resolve(theirs) {
  const mine = draft;
  const choice = await ask(
    "The file was changed by another program",
    "It changed lines that are edited here too. This is the file now:",
    ["Keep mine", "Take theirs", "Copy mine"],
    { quote: theirs.text },
  );
  if (mine !== draft) return;
  if (choice === "Keep mine") {
    mine.base = theirs.revision;
    await save(true);
  } else if (choice === "Take theirs") {
    Object.assign(mine, { base: theirs.revision, text: theirs.text, isEdited: false });
    render({ force: true });
  } else if (choice === "Copy mine") {
    await navigator.clipboard.writeText(mine.text);
  }
}

function ask(title, text, choices, { quote, safe } = {}) {
  const dialog = document.createElement("dialog");
  dialog.dataset.keep = "";
  dialog.setAttribute("aria-labelledby", "ask-title");
  const add = (name, content, parent = dialog) => {
    const element = document.createElement(name);
    element.textContent = content;
    parent.append(element);
    return element;
  };
  add("h2", title).id = "ask-title";
  add("p", text);
  if (quote) add("pre", quote).tabIndex = 0;
  const row = add("div", "");
  row.className = "acts2";
  return new Promise((done) => {
    for (const choice of choices) {
      const button = add("button", choice, row);
      button.className = choice === choices[0] ? "btn pri" : "btn";
      button.addEventListener("click", () => dialog.close(choice));
    }
    dialog.addEventListener("close", () => {
      dialog.remove();
      done(dialog.returnValue);
    });
    document.body.append(dialog);
    dialog.showModal();
    // The Enter key alone never does what cannot be undone.
    $$("button", dialog).find((button) => button.textContent === safe)?.focus();
  });
}

// MARK: Completion

const menu = { element: null, items: [], chosen: 0, from: 0, control: null, isTaking: false };

function closeMenu() {
  menu.element?.remove();
  menu.element = null;
  menu.control?.removeAttribute("aria-activedescendant");
  menu.control?.removeAttribute("aria-controls");
  menu.control = null;
}

async function complete(control) {
  const caret = control.selectionStart;
  const before = control.value.slice(Math.max(0, caret - 300), caret);
  if (!/(\$\{[^}]*|\|\s*\w*|\{%-?\s*\w*)$/.test(before)) return closeMenu();
  const { answer } = await call("POST", "api/complete", { view: query(), field: before, values: values() });
  if (control !== document.activeElement || control.selectionStart !== caret) return;
  const word = before.slice(before.length - answer.length);
  const isDone = answer.items.length === 1 && answer.items[0].label === word;
  if (!answer.items.length || isDone) return closeMenu();
  closeMenu();
  Object.assign(menu, { items: answer.items, chosen: 0, from: caret - answer.length, control });
  menu.element = document.createElement("ul");
  menu.element.className = "pop";
  menu.element.dataset.keep = "";
  menu.element.id = "completions";
  menu.element.setAttribute("role", "listbox");
  menu.element.setAttribute("aria-label", "Completions");
  for (const [index, item] of answer.items.entries()) {
    const row = document.createElement("li");
    row.setAttribute("role", "option");
    row.id = "completion-" + index;
    const name = document.createElement("b");
    name.textContent = item.label;
    const detail = document.createElement("span");
    detail.textContent = item.detail;
    row.append(name, detail);
    row.addEventListener("mousedown", (event) => {
      event.preventDefault();
      menu.chosen = index;
      take();
    });
    menu.element.append(row);
  }
  document.body.append(menu.element);
  const box = caretBox(control, caret);
  const height = menu.element.offsetHeight;
  const top = box.bottom + 4 + height > innerHeight ? Math.max(4, box.top - height - 4) : box.bottom + 4;
  menu.element.style.setProperty("top", top + "px");
  menu.element.style.setProperty("left", Math.min(box.left, innerWidth - menu.element.offsetWidth - 8) + "px");
  control.setAttribute("aria-controls", "completions");
  choose(0);
}

function choose(index) {
  menu.chosen = (index + menu.items.length) % menu.items.length;
  for (const [place, row] of [...menu.element.children].entries()) {
    row.setAttribute("aria-selected", String(place === menu.chosen));
    if (place === menu.chosen) row.scrollIntoView({ block: "nearest" });
  }
  menu.control.setAttribute("aria-activedescendant", "completion-" + menu.chosen);
}

function take() {
  const { control, from, items, chosen } = menu;
  const item = items[chosen];
  let end = control.selectionStart;
  if (item.insert.endsWith("}") && control.value[end] === "}") end += 1;
  control.focus();
  control.setSelectionRange(from, end);
  closeMenu();
  // What was chosen is not asked about again.
  menu.isTaking = true;
  document.execCommand("insertText", false, item.insert);
  menu.isTaking = false;
}

// Where the cursor is on the screen: at the same place in the coloured rows under the control.
function caretBox(control, caret) {
  const lines = control.value.slice(0, caret).split("\n");
  const row = $$(".row .t", control.closest(".code"))[lines.length - 1] ?? control;
  let rest = lines[lines.length - 1].length;
  const walker = document.createTreeWalker(row, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (rest > node.length) {
      rest -= node.length;
      continue;
    }
    const range = document.createRange();
    range.setStart(node, rest);
    range.collapse(true);
    const box = range.getClientRects()[0];
    if (box) return box;
  }
  return row.getBoundingClientRect();
}

// MARK: Files that change

let events = null;

function listen() {
  if (document.hidden) {
    events?.close();
    events = null;
    return;
  }
  if (events) return;
  events = new EventSource("api/events");
  events.addEventListener("state", (event) => {
    setLive(true);
    if (JSON.parse(event.data).revision !== page.revision) render();
  });
  events.addEventListener("error", () => setLive(false));
}

function setLive(isLive) {
  if (page.isLive === isLive) return;
  page.isLive = isLive;
  const words = isLive ? "Live" : "Not live. Run payloadgen preview again";
  const live = $("#live");
  if (live) {
    live.querySelector(".dot").className = isLive ? "dot" : "dot e";
    live.lastElementChild.textContent = words;
  }
  if (!isLive) say(words, 0);
}

// MARK: Going somewhere

function go(search) {
  page.isStopped = false;
  if (search !== location.search) history.pushState(null, "", search || location.pathname);
  return render();
}

function goToPerson(by) {
  const people = $$(".who");
  const place = people.findIndex((row) => row.hasAttribute("aria-current"));
  const next = people[(place + by + people.length) % people.length];
  if (next) go(next.getAttribute("href"));
}

function goToFinding(by) {
  const findings = $$("#panel .find");
  if (!findings.length) return;
  const place = findings.findIndex((finding) => finding.hasAttribute("data-here"));
  findings[place]?.removeAttribute("data-here");
  const next = findings[(place + by + findings.length) % findings.length];
  next.dataset.here = "";
  next.tabIndex = -1;
  next.scrollIntoView({ block: "center" });
  (next.querySelector("button") ?? next).focus();
}

// Puts the cursor into a line of the file, from 1.
function goToLine(line) {
  const control = $("#file");
  if (!control) return;
  const start = control.value.split("\n").slice(0, line - 1).join("\n").length + (line > 1 ? 1 : 0);
  control.focus({ preventScroll: true });
  control.setSelectionRange(start, start);
  $$(".row", control.closest(".code"))[line - 1]?.scrollIntoView({ block: "center" });
}

async function goTo() {
  const places = [
    ...$$("#campaigns a").map((link) => ["Campaign", link.textContent, () => go(link.getAttribute("href"))]),
    ...$$(".who").map((row) => ["Person", $(".nm", row).textContent, () => go(row.getAttribute("href"))]),
    ...$$(".code textarea").map((control) => [
      "Field", control.getAttribute("aria-label") ?? control.labels?.[0]?.textContent ?? control.name, () => control.focus(),
    ]),
  ];
  const dialog = document.createElement("dialog");
  dialog.dataset.keep = "";
  dialog.setAttribute("aria-label", "Go to");
  const input = document.createElement("input");
  input.className = "in";
  input.placeholder = "Campaign, person or field";
  input.setAttribute("aria-label", "Campaign, person or field");
  const list = document.createElement("ul");
  dialog.append(input, list);
  const show = () => {
    list.replaceChildren();
    const wanted = input.value.toLowerCase();
    for (const [kind, name, action] of places) {
      if (!name.toLowerCase().includes(wanted)) continue;
      const button = document.createElement("button");
      button.className = "btn sm";
      button.textContent = `${kind}: ${name}`;
      button.addEventListener("click", () => {
        dialog.close();
        action();
      });
      const row = document.createElement("li");
      row.append(button);
      list.append(row);
      if (list.children.length === 12) break;
    }
  };
  input.addEventListener("input", show);
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter") list.querySelector("button")?.click();
  });
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  show();
  dialog.showModal();
}

const keys = [
  ["⌘S", "Save"], ["⌘K", "Go to a campaign, person or field"], ["⌘1 to ⌘4", "Tabs"], ["Alt ↑, Alt ↓", "Previous, next person"],
  ["F8, ⇧F8", "Next, previous finding"], ["⌘.", "Fix the finding at the cursor"], ["⌘Z, ⇧⌘Z", "Undo, redo"], ["?", "This list"],
];

// Other keyboards than Apple's have neither sign.
const isApple = /^(Mac|iP)/.test(navigator.platform);
const keyName = (text) => (isApple ? text : text.replaceAll("⇧", "Shift ").replaceAll("⌘", "Ctrl "));

function showKeys() {
  const dialog = document.createElement("dialog");
  dialog.dataset.keep = "";
  dialog.innerHTML = "<h2 id='keys-title'>Keys</h2><dl></dl><div class='acts2'><button class='btn pri'>Close</button></div>";
  dialog.setAttribute("aria-labelledby", "keys-title");
  for (const [key, meaning] of keys) {
    const term = document.createElement("dt");
    term.textContent = keyName(key);
    const words = document.createElement("dd");
    words.textContent = meaning;
    $("dl", dialog).append(term, words);
  }
  $("button", dialog).addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

// MARK: What people do

document.addEventListener("input", (event) => {
  const control = event.target;
  if (control.form?.id !== "draft") return;
  if (control.name.startsWith("field:") || control.name === "text") {
    // What was typed into another field is sent first, so that nothing is lost.
    if (shown.changed && shown.changed.name !== control.name) render();
    shown.changed = { name: control.name, value: control.value };
    if (!menu.isTaking) complete(control).catch(closeMenu);
  } else {
    const owner = control.name.startsWith("profile") ? person() : "";
    if (control.name === "profile-json") forgetProfile(owner);
    shown.overrides.set(owner + "\u0000" + control.name, control.value);
  }
  clearTimeout(page.timer);
  page.timer = setTimeout(render, 30);
});

// Forgets what was changed of a person's profile: JSON holds it all.
function forgetProfile(owner) {
  for (const key of [...shown.overrides.keys()]) if (key.startsWith(owner + "\u0000profile")) shown.overrides.delete(key);
}

document.addEventListener("submit", (event) => {
  if (event.target.id === "sim") return;
  event.preventDefault();
  const button = event.submitter;
  if (button?.id === "save") save();
  else if (button?.name === "fix") fix(button);
  else if (button?.name === "add" || button?.name === "remove") change(button);
  else render();
});

// Adds or removes a person, who is not part of any file.
async function change(button) {
  await render({ more: [[button.name, button.value]] });
  const row = $(".who[aria-current]");
  row?.scrollIntoView({ block: "nearest" });
  row?.focus({ preventScroll: true });
}

async function fix(button) {
  draft.typedAt = 0;
  const section = button.closest(".field, .pair");
  await render({ more: [["fix", button.value]], force: true });
  if (document.activeElement === document.body) (section?.querySelector("textarea") ?? $("#panel")).focus();
}

document.addEventListener("change", (event) => {
  const form = event.target.closest("#sim");
  if (form) go("?" + new URLSearchParams(new FormData(form)));
});

document.addEventListener("click", async (event) => {
  for (const open of $$("details.menu[open]")) if (!open.contains(event.target)) open.open = false;
  const link = event.target.closest("a[href^='?']");
  if (link && !event.metaKey && !event.ctrlKey && !event.shiftKey) {
    event.preventDefault();
    const menu = link.closest("details");
    if (menu) menu.open = false;
    await go(link.getAttribute("href"));
    if (link.dataset.line) return goToLine(Number(link.dataset.line));
    const place = menu ? $("summary", menu) : link;
    if (place.isConnected) place.focus({ preventScroll: true });
    return;
  }
  if (event.target.closest("#undo")) step(-1);
  if (event.target.closest("#redo")) step(1);
  if (event.target.closest("#stop")) {
    page.isStopped = true;
    clearTimeout(page.coverTimer);
    event.target.closest("#stop").remove();
  }
  if (event.target.closest("#fetch")) fetchImage(event.target.closest("#fetch"));
  if (event.target.closest("#reset-profile")) {
    forgetProfile(person());
    draft.goodProfiles.delete(person());
    await render();
    $("#panel").focus();
  }
  if (event.target.closest("#copy")) {
    await navigator.clipboard.writeText($("#payload").value);
    say("Copied", 0);
  }
});

document.addEventListener("keydown", (event) => {
  const command = event.metaKey || event.ctrlKey;
  const isText = event.target.matches("textarea, input, select");
  if (menu.element && event.target === menu.control) {
    const moves = { ArrowDown: 1, ArrowUp: -1 };
    if (event.key in moves) choose(menu.chosen + moves[event.key]);
    else if (event.key === "Enter" || event.key === "Tab") take();
    else if (event.key === "Escape") closeMenu();
    else return;
    event.preventDefault();
    return;
  }
  const open = $("details.menu[open]");
  const tabs = $$("[role=tab]");
  if (event.key === "Escape" && open) {
    open.open = false;
    $("summary", open).focus();
  } else if (event.target.matches("[role=tab]") && /^Arrow(Left|Right)$/.test(event.key)) {
    const step = event.key === "ArrowRight" ? 1 : -1;
    const next = tabs[(tabs.indexOf(event.target) + step + tabs.length) % tabs.length];
    next.focus();
    next.click();
  } else if (command && event.key.toLowerCase() === "s") save();
  else if (command && event.key.toLowerCase() === "k") goTo();
  else if (command && event.key >= "1" && event.key <= "4") tabs[Number(event.key) - 1]?.click();
  else if (event.altKey && event.key === "ArrowDown") goToPerson(1);
  else if (event.altKey && event.key === "ArrowUp") goToPerson(-1);
  else if (event.key === "F8") goToFinding(event.shiftKey ? -1 : 1);
  else if (command && event.key === ".") {
    const section = event.target.closest(".field, .pair") ?? document;
    const button = $("button[name=fix]", section) ?? $("button[name=fix]");
    if (button) fix(button);
  } else if (command && event.key.toLowerCase() === "z" && (!isText || event.target.closest(".code"))) {
    step(event.shiftKey ? 1 : -1);
  } else if (event.key === "?" && !isText) showKeys();
  else return;
  event.preventDefault();
});

// Shows which output of the template printed a part of the text.
for (const kind of ["mouseover", "mouseout"]) {
  document.addEventListener(kind, (event) => {
    const place = event.target.closest?.("mark[data-at]")?.dataset.at;
    if (place) for (const part of $$(`[data-at="${place}"]`)) part.classList.toggle("lit", kind === "mouseover");
  });
}

document.addEventListener("focusout", () => setTimeout(() => {
  if (menu.control && menu.control !== document.activeElement) closeMenu();
}));
window.addEventListener("popstate", () => render());
window.addEventListener("resize", () => measure(document));
document.addEventListener("visibilitychange", listen);
window.addEventListener("beforeunload", (event) => {
  const paths = [shown.path, ...$$("#campaigns a").map((link) => link.textContent)];
  if (shown.changed || paths.some(isUnsaved)) event.preventDefault();
});

// MARK: The start

const form = $("#draft");
if (form) {
  takeDraft();
  shown = draft;
  draft.path = $("#app").dataset.path;
  draft.base = form.elements.base.value;
  remember($("[name=text]").value);
  draft.isEdited = $("#state .dot")?.classList.contains("w") ?? false;
  restore();
}
if (!$("#broken") && $("#list")) keepGood(document);
refresh();
findCover();
listen();
const phone = $("#phone");
const dock = $("#dock");
if (phone && dock) {
  new IntersectionObserver(([entry]) => {
    $("#dock").hidden = entry.isIntersecting;
  }).observe($(".device", phone) ?? phone);
}
