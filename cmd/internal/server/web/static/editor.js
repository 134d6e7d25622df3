// The field for the question: completes names and marks mistakes.
import { $, h } from "./dom.js";
import { search } from "./api.js";
import { context, inserted } from "./syntax.js";

const field = $("formula"), mirror = $("mirror"), list = $("completions");
const limit = 8, pause = 120;
let items = [], active = -1, place = null, timer = 0, request = null, shifted = false;

// start makes the field work; ask is called for Enter, changed after each change.
export function start(ask, changed) {
  field.addEventListener("input", () => {
    redraw();
    changed();
    suggest(false);
  });
  field.addEventListener("scroll", () => (mirror.scrollTop = field.scrollTop));
  field.addEventListener("blur", () => setTimeout(close, 150)); // a click on an item comes first
  field.addEventListener("keydown", (event) => key(event, ask));
  // Enter asks; with Shift it begins a line.
  field.addEventListener("beforeinput", (event) => event.inputType === "insertLineBreak" && !shifted && event.preventDefault());
}

export const text = () => field.value;

export function set(value) {
  field.value = value;
  redraw();
  close();
}

// redraw drops the marks, and makes the field as high as its text.
function redraw() {
  mark([]);
  field.style.height = "auto";
  field.style.height = `${field.scrollHeight + 2}px`;
}

// mark underlines the places of mistakes.
export function mark(mistakes) {
  const letters = Array.from(field.value); // columns count code points
  const lines = [0];
  letters.forEach((c, i) => c === "\n" && lines.push(i + 1));
  const parts = [];
  let done = 0;
  for (const m of mistakes) {
    if (!m.line || m.line > lines.length) continue;
    const from = Math.max(done, lines[m.line - 1] + m.column - 1);
    const to = Math.min(letters.length, from + Math.max(1, m.length));
    parts.push(letters.slice(done, from).join(""), h("mark", {}, letters.slice(from, to).join("") || " "));
    done = to;
  }
  mirror.replaceChildren(...parts, letters.slice(done).join(""), "\u200b");
  field.setAttribute("aria-invalid", String(mistakes.length > 0));
  mirror.scrollTop = field.scrollTop;
}

function key(event, ask) {
  if (event.isComposing) return;
  shifted = event.shiftKey;
  const act = action(event.key, event, ask);
  if (!act) return;
  event.preventDefault();
  act();
}

// action returns what a key does instead of typing, if it does.
function action(key, { ctrlKey, shiftKey }, ask) {
  if (key === " " && ctrlKey) return () => suggest(true);
  if (!list.hidden) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[key];
    if (step) return () => select((active + step + items.length) % items.length);
    if ((key === "Enter" || key === "Tab") && active >= 0) return () => accept(active);
    if (key === "Escape") return close;
  }
  return key === "Enter" && !shiftKey ? () => { close(); ask(); } : null;
}

// suggest looks for names that complete the text before the caret; asked says that
// the user asked for it.
function suggest(asked) {
  clearTimeout(timer);
  request?.abort();
  place = context(field.value, field.selectionStart, asked);
  if (!place) return close();
  timer = setTimeout(async () => {
    request = new AbortController();
    try {
      show((await search(place.text, place.kind, limit, request.signal)).results);
    } catch {
      close(); // the question itself will say what is wrong
    }
  }, asked ? 0 : pause);
}

function show(found) {
  items = found;
  if (items.length === 0 || document.activeElement !== field) return close();
  list.replaceChildren(...items.map((item, i) =>
    h("li", { role: "option", id: `completion-${i}`, onmousedown: (e) => { e.preventDefault(); accept(i); } },
      h("span", {}, item.text), h("span", { class: "quiet small" }, `${item.facts} facts`))));
  list.hidden = false;
  put();
  select(place.sure ? 0 : -1);
}

// put moves the list below the name that is being typed.
function put() {
  const marker = h("span", {}, "\u200b");
  const before = mirror.cloneNode(false);
  before.removeAttribute("id");
  const style = getComputedStyle(field);
  Object.assign(before.style, { position: "absolute", inset: "0 0 auto 0", visibility: "hidden", padding: style.padding,
    font: style.font, lineHeight: style.lineHeight, whiteSpace: "pre-wrap", overflowWrap: "anywhere", border: "1px solid" });
  before.append(field.value.slice(0, place.from), marker);
  field.parentNode.append(before);
  list.style.left = `${Math.min(marker.offsetLeft, Math.max(0, field.clientWidth - list.offsetWidth))}px`;
  list.style.top = `${marker.offsetTop + marker.offsetHeight - field.scrollTop + 6}px`;
  before.remove();
}

function select(i) {
  list.children[active]?.removeAttribute("aria-selected");
  active = i;
  const item = list.children[i];
  if (!item) return field.removeAttribute("aria-activedescendant");
  item.setAttribute("aria-selected", "true");
  item.scrollIntoView({ block: "nearest" });
  field.setAttribute("aria-activedescendant", item.id);
}

function accept(i) {
  const name = inserted(items[i], field.value.slice(place.to));
  field.focus();
  field.setRangeText(name, place.from, place.to, "end");
  close();
  field.dispatchEvent(new Event("input"));
  close();
}

function close() {
  clearTimeout(timer);
  request?.abort();
  list.hidden = true;
  items = [];
  select(-1);
}
