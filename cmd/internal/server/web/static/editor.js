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
    mark([]);
    grow();
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
  mark([]);
  grow();
  close();
}

function grow() {
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
  if (event.key === " " && event.ctrlKey) {
    event.preventDefault();
    suggest(true);
    return;
  }
  if (!list.hidden) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      event.preventDefault();
      select((active + step + items.length) % items.length);
      return;
    }
    if ((event.key === "Enter" || event.key === "Tab") && active >= 0) {
      event.preventDefault();
      accept(active);
      return;
    }
    if (event.key === "Escape") {
      event.preventDefault();
      close();
      return;
    }
  }
  if (event.key === "Enter" && !event.shiftKey) {
    event.preventDefault();
    close();
    ask();
  }
}

// suggest looks for names that complete the text before the caret; asked says that
// the user asked for it.
function suggest(asked) {
  clearTimeout(timer);
  request?.abort();
  place = context(field.value, field.selectionStart, asked);
  if (!place) {
    close();
    return;
  }
  timer = setTimeout(async () => {
    request = new AbortController();
    try {
      const found = await search(place.text, place.kind, limit, request.signal);
      show(found.results);
    } catch {
      close(); // the question itself will say what is wrong
    }
  }, asked ? 0 : pause);
}

function show(found) {
  items = found;
  if (items.length === 0 || document.activeElement !== field) {
    close();
    return;
  }
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
  const left = Math.min(marker.offsetLeft, Math.max(0, field.clientWidth - list.offsetWidth));
  list.style.left = `${left}px`;
  list.style.top = `${marker.offsetTop + marker.offsetHeight - field.scrollTop + 6}px`;
  before.remove();
}

function select(i) {
  list.children[active]?.removeAttribute("aria-selected");
  active = i;
  const item = list.children[i];
  if (!item) {
    field.removeAttribute("aria-activedescendant");
    return;
  }
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
  active = -1;
  field.removeAttribute("aria-activedescendant");
}
