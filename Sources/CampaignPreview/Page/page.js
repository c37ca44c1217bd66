// The script of the served page: the server makes all HTML, and this script requests it again while somebody types.
"use strict";

const $ = (selector, root = document) => root.querySelector(selector);
const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];

// A new element with a text or other contents.
function make(name, attributes = {}, ...contents) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...contents);
  return element;
}

const page = {
  number: 0, // of the last request; late answers are dropped
  revision: Number(document.documentElement.dataset.revision),
  trouble: "", // why the page does not follow
  waiting: null, // the request under way
  hasTypedMore: false, // whether something was typed since the request under way
  typedAt: 0,
  pauseTimer: 0,
  restTimer: 0,
  sayTimer: 0,
  images: new Map(), // what was fetched, by the addresses
  isStopped: false, // whether the search for one person per branch was stopped
  coverTimer: 0,
  isBroken: false, // whether the text cannot be rendered
  good: null, // what people get of the last text that could be rendered, and the address it is for
};

const query = () => location.search.slice(1);

// MARK: - Drafts

// The unsaved changes to one campaign, which are kept while the page shows another one.
function newDraft(path) {
  return {
    path,
    base: "",
    text: "",
    isEdited: false,
    changed: new Map(), // the values of controls that were typed into and are not part of the text yet
    overrides: new Map(), // values of the context and of profiles that were typed here
    goodProfiles: new Map(), // the last JSON of each person's profile that could be read
    history: [],
    place: -1,
    typedAt: 0,
  };
}

const drafts = new Map(); // by the paths of campaigns
let draft = newDraft(""); // of the campaign in the address
let shown = draft; // of the campaign that the page still shows while another one is asked for

// Switches to the draft of the campaign in the address, so that the text of one campaign is never sent as another's.
function takeDraft() {
  const path = new URLSearchParams(query()).get("campaign");
  draft = drafts.get(path) ?? newDraft(path);
  drafts.set(path, draft);
}

const storageKey = (path) => `draft ${$("#app").dataset.project} ${path}`;
const isUnsaved = (path) => sessionStorage.getItem(storageKey(path)) !== null;

// Stores the text of a draft for a later visit; nothing from a profile is ever stored.
function store(some) {
  if (some.isEdited) sessionStorage.setItem(storageKey(some.path), JSON.stringify({ base: some.base, text: some.text }));
  else sessionStorage.removeItem(storageKey(some.path));
}

// Restores the text that was not saved when the page was left.
function restore() {
  const kept = JSON.parse(sessionStorage.getItem(storageKey(draft.path)) ?? "null");
  if (!kept || kept.text === draft.text) return;
  draft.base = kept.base;
  draft.changed = new Map([["text", kept.text]]);
  render({ force: true });
}

// MARK: - Requests

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
  if (draft.base && (draft.isEdited || draft.changed.size || more.length)) {
    list.push(["base", draft.base], ["text", draft.changed.get("text") ?? draft.text]);
  }
  for (const [name, value] of draft.changed) if (name !== "text") list.push([name, value]);
  for (const [key, value] of draft.overrides) {
    const [owner, name] = key.split("\u0000");
    const prefix = owner && `person:${owner}:`;
    if (name === "profile-json" && draft.goodProfiles.has(owner)) list.push([prefix + name, draft.goodProfiles.get(owner)]);
    list.push([prefix + name, value]);
  }
  return list.concat(more);
}

// Requests the page with what was typed: first only the message and then, if no key follows soon, the rest of the page.
// Only one request runs at a time; the next one includes everything that was typed in the meantime.
function follow() {
  if (page.waiting && !page.waiting.isRest) page.hasTypedMore = true; else render({ quick: true });
}

// Requests the page in its current state; `force` also replaces the text of the field with the cursor.
async function render({ more = [], force = false, quick = false, isRest = false } = {}) {
  page.waiting?.abort();
  clearTimeout(page.restTimer);
  const waiting = page.waiting = Object.assign(new AbortController(), { isRest });
  page.hasTypedMore = false;
  if (force) page.typedAt = 0;
  takeDraft();
  const n = ++page.number;
  let hasRest = false;
  const sent = [...draft.changed];
  const owner = person();
  const profile = draft.overrides.get(owner + "\u0000profile-json");
  try {
    const { answer } = await call("POST", "api/render", { n, view: query(), quick: quick && shown === draft, values: values(more) });
    if (answer.n !== page.number) return;
    for (const [name, value] of sent) if (draft.changed.get(name) === value) draft.changed.delete(name);
    page.revision = answer.revision;
    accept(answer, force || shown !== draft);
    hasRest = answer.quick;
    if (profile !== undefined && answer.profile && person() === owner) draft.goodProfiles.set(owner, profile);
  } catch (error) {
    if (error.name === "AbortError") return;
    setTrouble(error instanceof TypeError ? notLive : error.message);
  } finally {
    if (page.waiting === waiting) {
      page.waiting = null;
      if (page.hasTypedMore) follow(); else if (hasRest) page.restTimer = setTimeout(() => render({ isRest: true }), 120);
    }
  }
}

function accept(answer, force) {
  setTrouble("");
  const isNew = !draft.base;
  shown = draft;
  draft.base = answer.base;
  draft.isEdited = answer.edited;
  if (answer.view !== undefined) history.replaceState(null, "", "?" + answer.view);
  remember(answer.text);
  document.title = answer.title;
  if (!isNew) store(draft);
  draw(answer, force);
  if (answer.quick) return;
  findCover();
  say(answer.said);
  if (isNew) restore();
}

function draw(answer, force) {
  const fresh = new DOMParser().parseFromString(answer.html, "text/html").body;
  keepGood(fresh);
  dress(fresh);
  clearTimeout(page.pauseTimer);
  if (answer.quick) {
    $("#app").classList.remove("stale");
    for (const part of fresh.children) {
      const old = part.id && document.getElementById(part.id);
      if (old) morph(old, part);
    }
    return refresh();
  }
  const rest = page.typedAt + 600 - Date.now();
  if (rest > 0 && holdFindings(fresh)) {
    page.pauseTimer = setTimeout(() => {
      if (answer.n === page.number) draw(answer, false);
    }, rest);
  }
  morph(document.body, fresh);
  syncControls(fresh, force);
  refresh();
}

// Leaves out findings of fields that show none until typing pauses, so that nothing moves in the middle of a tag. Until
// then, a number on the tab and underlined text indicate them. Findings that are shown change and disappear at once.
function holdFindings(fresh) {
  const open = new Set($$("#panel .find").map((finding) => finding.parentElement.id));
  const held = $$("#panel .find", fresh).filter((finding) => !open.has(finding.parentElement.id));
  for (const finding of held) {
    const group = finding.parentElement;
    finding.remove();
    if (group.id !== "panel" && !$(".find", group)) group.remove();
  }
  if (!open.size) $(".before", fresh)?.remove();
  return held.length > 0;
}

// The parts of the page that show what people get and what the phone shows.
const outcomes = ["#list", "#device", "#fit", "#budget", "#checks .hd", "#checks .checks"];
// The parameters of the address that change none of these parts.
const elsewhere = ["tab", "editor", "profile", "problems", "theme"];

// Keeps the people and the phone as they were while a text cannot be rendered, for example in the middle of a tag.
function keepGood(fresh) {
  const here = new URLSearchParams(query());
  const address = new URLSearchParams(query());
  for (const name of elsewhere) address.delete(name);
  const view = String(address);
  const parts = outcomes.map((selector) => $(selector, fresh) ?? $(selector));
  page.isBroken = Boolean($("#broken", fresh));
  if (!page.isBroken) {
    page.good = { view, parts };
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
    $("#fit", fresh)?.prepend(make("p", { class: "rs err before" }, "As it was before the error"));
  }
}

function say(text, delay = 1000) {
  clearTimeout(page.sayTimer);
  page.sayTimer = setTimeout(() => {
    if ($("#said").textContent !== text) $("#said").textContent = text;
  }, delay);
}

// MARK: - One person per branch

// Continues the search for one person per branch until it is done; then the list of people changes.
function findCover() {
  clearTimeout(page.coverTimer);
  if (page.isStopped || !$("#cover[data-more]")) return;
  page.coverTimer = setTimeout(async () => {
    const n = page.number;
    let answer;
    try {
      ({ answer } = await call("POST", "api/cover", { view: query(), values: values() }));
    } catch {
      // The request for the page itself reports what is wrong.
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

// MARK: - Images

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

// MARK: - Changing the page

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
  // Elements that are gone are removed first, so that no other one is moved: a control that is moved loses the cursor.
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

// Sets controls to the server's values, except the control with the cursor; `force` sets a text with the cursor too.
function syncControls(fresh, force) {
  for (const wanted of fresh.querySelectorAll("textarea, input, select")) {
    const control = wanted.id ? document.getElementById(wanted.id) : $(`[name="${CSS.escape(wanted.name)}"]`);
    if (!control || control.type === "hidden") continue;
    const isTyped = control === document.activeElement && !(force && control.localName === "textarea");
    if (draft.changed.has(control.name)) echo(control);
    else if (isTyped || control.value === wanted.value) continue;
    else {
      const place = control.selectionStart;
      control.value = wanted.value;
      if (control === document.activeElement) control.setSelectionRange(place, place);
    }
  }
}

// The index at which two lists begin to differ, and the number of equal items at their ends.
function difference(old, fresh) {
  const most = Math.min(old.length, fresh.length);
  let start = 0;
  while (start < most && old[start] === fresh[start]) start += 1;
  let end = 0;
  while (end < most - start && old[old.length - 1 - end] === fresh[fresh.length - 1 - end]) end += 1;
  return [start, end];
}

// Copies the text of a control to the coloured rows under it; the change gets its colours with the server's answer.
function echo(control) {
  const rows = $(".rows", control.closest(".code") ?? control);
  if (!rows) return;
  const old = [...rows.children].map((row) => $(".t", row).textContent.replace("\u200B", ""));
  const fresh = control.value.split("\n");
  const [start, end] = difference(old, fresh);
  for (const row of [...rows.children].slice(fresh.length - end, old.length - end)) row.remove();
  for (let line = start; line < fresh.length - end; line += 1) {
    if (line >= old.length - end) {
      const row = rows.children[0].cloneNode(true);
      $(".t", row).textContent = $(".g", row).textContent = "";
      rows.insertBefore(row, rows.children[line] ?? null);
    }
    rewrite($(".t", rows.children[line]), fresh[line]);
  }
}

// Changes only those parts of a row's text that differ.
function rewrite(cell, text) {
  if (!text || !cell.textContent.replace("\u200B", "")) {
    cell.textContent = text || "\u200B";
    return;
  }
  const [start, end] = difference(cell.textContent, text);
  const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
  let removed = cell.textContent.length - start - end;
  let added = text.slice(start, text.length - end);
  let at = 0;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const length = node.length;
    if (start <= at + length && (added || removed)) {
      const from = Math.max(0, start - at);
      const count = Math.min(removed, length - from);
      node.replaceData(from, count, added);
      removed -= count;
      added = "";
    }
    at += length;
  }
}

// Groups of links: the Tab key stops once in each group, and the arrow keys move within the group.
const groups = "[role=tablist], .seg, #list";

// Completes a page before it is shown, so that elements that stay the same are not drawn again.
function dress(root) {
  showClocks(root);
  for (const kbd of $$("kbd", root)) kbd.textContent = keyName(kbd.textContent);
  for (const link of $$("#campaigns a", root)) link.classList.toggle("unsaved", isUnsaved(link.textContent));
  for (const group of $$(groups, root)) {
    const links = $$("a", group);
    const current = links.find((link) => link.matches("[aria-current], [aria-selected=true]")) ?? links[0];
    for (const link of links) link.tabIndex = link === current ? 0 : -1;
  }
  const undo = $("#undo", root);
  if (undo) undo.disabled = draft.place <= 0;
  const redo = $("#redo", root);
  if (redo) redo.disabled = draft.place >= draft.history.length - 1;
}

// Updates what depends on the layout of the page.
function refresh() {
  showImages();
  const theme = new URLSearchParams(query()).get("theme");
  if (theme) document.documentElement.dataset.theme = theme;
  const chosen = $(".who[aria-current]");
  const list = $("#list");
  if (chosen && list && list.scrollWidth > list.clientWidth) list.scrollLeft = chosen.offsetLeft - 60;
  showFits(document);
}

// MARK: - History

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

async function step(by) {
  const text = draft.history[draft.place + by];
  if (text === undefined) return;
  draft.place += by;
  draft.text = text;
  draft.changed = new Map([["text", text]]);
  draft.typedAt = 0;
  await render({ force: true });
  // The field that had the cursor may have been removed.
  if (document.activeElement === document.body) $("#panel").focus();
}

// MARK: - Saving

async function save(force = false) {
  if (!$("#save")) return;
  await render();
  const mine = draft;
  if (page.isBroken && mine.isEdited && !force) {
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

// Shows a dialog, and removes it when it is closed.
function showDialog(attributes, ...contents) {
  const dialog = make("dialog", { "data-keep": "", ...attributes }, ...contents);
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

function ask(title, text, choices, { quote, safe } = {}) {
  const buttons = choices.map((choice) => make("button", { class: choice === choices[0] ? "btn pri" : "btn" }, choice));
  const dialog = showDialog(
    { "aria-labelledby": "ask-title" },
    make("h2", { id: "ask-title" }, title), make("p", {}, text), ...(quote ? [make("pre", { tabindex: 0 }, quote)] : []),
    make("div", { class: "acts2" }, ...buttons),
  );
  for (const button of buttons) button.addEventListener("click", () => dialog.close(button.textContent));
  // The safe button gets the focus, so that the Enter key alone never does something that cannot be undone.
  buttons[choices.indexOf(safe)]?.focus();
  return new Promise((done) => dialog.addEventListener("close", () => done(dialog.returnValue)));
}

// MARK: - Completion

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
  const rows = answer.items.map((item, index) => {
    const row = make("li", { role: "option", id: "completion-" + index }, make("b", {}, item.label), make("span", {}, item.detail));
    row.addEventListener("mousedown", (event) => {
      event.preventDefault();
      menu.chosen = index;
      take();
    });
    return row;
  });
  menu.element = make(
    "ul", { class: "pop", "data-keep": "", id: "completions", role: "listbox", "aria-label": "Completions" }, ...rows,
  );
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
  // Inserting a suggestion does not request suggestions again.
  menu.isTaking = true;
  document.execCommand("insertText", false, item.insert);
  menu.isTaking = false;
}

// The rectangle of the cursor on the screen, found at the same position in the coloured rows under the control.
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

// MARK: - Files that change

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
    if (page.trouble === notLive) setTrouble("");
    if (JSON.parse(event.data).revision !== page.revision) render();
  });
  events.addEventListener("error", () => setTrouble(notLive));
}

const notLive = "Not live. Run payloadgen preview again";

function setTrouble(words) {
  if (page.trouble === words) return;
  page.trouble = words;
  const live = $("#live");
  if (live) {
    $(".dot", live).className = words ? "dot e" : "dot";
    live.lastElementChild.textContent = words || "Live";
  }
  if (words) say(words, 0);
}

// MARK: - Going somewhere

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

// Moves the cursor to a line of the file; lines are counted from 1.
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
  const label = "Campaign, person or field";
  const input = make("input", { class: "in", placeholder: label, "aria-label": label });
  const list = make("ul");
  let chosen = null;
  const show = () => {
    const wanted = input.value.toLowerCase();
    const found = places.filter(([, name]) => name.toLowerCase().includes(wanted)).slice(0, 12);
    list.replaceChildren(...found.map(([kind, name, action]) => {
      const button = make("button", { class: "btn sm" }, `${kind}: ${name}`);
      button.addEventListener("click", () => {
        chosen = action;
        dialog.close();
      });
      return make("li", {}, button);
    }));
  };
  input.addEventListener("input", show);
  input.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    // The key must not also reach the field that gets the focus next.
    event.preventDefault();
    $("button", list)?.click();
  });
  show();
  const dialog = showDialog({ "aria-label": "Go to" }, input, list);
  dialog.addEventListener("close", () => {
    // Closing returns the focus to the earlier field. If that field is chosen, it ignores keys unless it is left first.
    document.activeElement?.blur();
    chosen?.();
  });
}

const arrows = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 };

const keys = [
  ["⌘S", "Save"], ["⌘K", "Go to a campaign, person or field"], ["⌘1 to ⌘4", "Tabs"], ["Alt ↑, Alt ↓", "Previous, next person"],
  ["← ↑ ↓ →", "Within people, tabs and other groups"], ["F8, ⇧F8", "Next, previous finding"],
  ["⌘.", "Fix the finding at the cursor"], ["⌘Z, ⇧⌘Z", "Undo, redo"], ["?", "This list"],
];

// Only Apple's keyboards have the keys ⇧ and ⌘.
const isApple = /^(Mac|iP)/.test(navigator.platform);
const keyName = (text) => (isApple ? text : text.replaceAll("⇧", "Shift ").replaceAll("⌘", "Ctrl "));

function showKeys() {
  const button = make("button", { class: "btn pri" }, "Close");
  const rows = keys.flatMap(([key, meaning]) => [make("dt", {}, keyName(key)), make("dd", {}, meaning)]);
  const dialog = showDialog(
    { "aria-labelledby": "keys-title" },
    make("h2", { id: "keys-title" }, "Keys"), make("dl", {}, ...rows), make("div", { class: "acts2" }, button),
  );
  button.addEventListener("click", () => dialog.close());
}

// MARK: - Actions of the user

document.addEventListener("input", (event) => {
  const control = event.target;
  if (control.form?.id !== "draft" || control.name === "key") return;
  if (control.name.startsWith("field:") || control.name === "text") {
    page.typedAt = Date.now();
    shown.changed.set(control.name, control.value);
    echo(control);
    if (!menu.isTaking) complete(control).catch(closeMenu);
  } else {
    const owner = control.name.startsWith("profile") ? person() : "";
    if (control.name === "profile-json") forgetProfile(owner);
    shown.overrides.set(owner + "\u0000" + control.name, control.value);
  }
  follow();
});

// Forgets all changes to a person's profile.
function forgetProfile(owner) {
  for (const key of [...shown.overrides.keys()]) if (key.startsWith(owner + "\u0000profile")) shown.overrides.delete(key);
}

document.addEventListener("submit", (event) => {
  if (event.target.id === "sim") return;
  event.preventDefault();
  // The Enter key in the field for a new key adds the key-value pair.
  const button = document.activeElement.id === "new-key" ? $("#new-pair") : event.submitter;
  if (button?.id === "save") save();
  else if (button?.name === "fix") fix(button);
  else if (button?.name === "new") addField(button.value, $("#new-key").value);
  else if (button?.name === "add" || button?.name === "remove") change(button);
  else render();
});

// Adds or removes a test person, who is not in any file.
async function change(button) {
  await render({ more: [[button.name, button.value]] });
  const row = $(".who[aria-current]");
  row?.scrollIntoView({ block: "nearest" });
  row?.focus({ preventScroll: true });
}

// Adds an empty field to the text, and moves the cursor into it.
async function addField(name, key) {
  draft.typedAt = 0;
  await render({ more: [["new", name], ["key", key]], force: true });
  const control = document.getElementById("field-" + (name === "extras" ? "extras." + key : name));
  if (control) $("#new-key").value = "";
  (control ?? $("#panel")).focus();
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
    if (/^Arrow(Up|Down)$/.test(event.key)) choose(menu.chosen + arrows[event.key]);
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
  } else if (event.target.closest(groups) && arrows[event.key] && !event.altKey && !command) {
    const links = $$("a", event.target.closest(groups));
    const next = links[(links.indexOf(event.target) + arrows[event.key] + links.length) % links.length];
    next.focus();
    if (tabs.includes(next)) next.click();
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

// Highlights a part of the text under the pointer, and the output of the template that printed it.
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
document.addEventListener("visibilitychange", listen);
window.addEventListener("beforeunload", (event) => {
  const paths = [shown.path, ...$$("#campaigns a").map((link) => link.textContent)];
  if (shown.changed.size || paths.some(isUnsaved)) event.preventDefault();
});

// MARK: - The start

// The address names the campaign, because another one may be the first later.
const start = new URLSearchParams(query());
if ($("#app") && !start.has("campaign")) {
  start.set("campaign", $("#app").dataset.path);
  history.replaceState(null, "", "?" + start);
}
const form = $("#draft");
if (form) {
  takeDraft();
  shown = draft;
  draft.base = form.elements.base.value;
  remember($("[name=text]").value);
  draft.isEdited = $("#state .dot")?.classList.contains("w") ?? false;
  restore();
}
if ($("#list")) keepGood(document.body.cloneNode(true));
dress(document);
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
