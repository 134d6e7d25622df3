// The field for the question: completes names and marks mistakes.
import { $, h } from "./dom.js";
import { Completion } from "./completion.js";
import { context, inserted } from "./syntax.js";

const field = $("formula"), mirror = $("mirror");
let shifted = false;

const completion = new Completion(field, $("completions"), {
  place: (asked) => context(field.value, field.selectionStart, asked),
  written: inserted,
  anchor: below,
  formula: true,
});

// start makes the field work: ask is called for Enter, changed after each change, back and
// forth for Ctrl with an arrow.
export function start({ ask, changed, back, forth }) {
  field.addEventListener("input", () => {
    redraw();
    changed();
    completion.suggest(false);
  });
  field.addEventListener("scroll", () => (mirror.scrollTop = field.scrollTop));
  field.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    shifted = event.shiftKey;
    const turn = event.ctrlKey && { ArrowUp: back, ArrowDown: forth }[event.key];
    const act = turn || completion.key(event) || (event.key === "Enter" && !event.shiftKey && ask);
    if (!act) return;
    event.preventDefault();
    if (act === ask) completion.close();
    act();
  });
  // Enter asks; with Shift it begins a line.
  field.addEventListener("beforeinput", (event) => event.inputType === "insertLineBreak" && !shifted && event.preventDefault());
  addEventListener("resize", resize);
}

export const text = () => field.value;

export function set(value) {
  field.value = value;
  redraw();
  completion.close();
}

// insert puts a text where the caret is, or in the place of what is selected.
export function insert(value) {
  field.focus();
  field.setRangeText(value, field.selectionStart, field.selectionEnd, "end");
  field.dispatchEvent(new Event("input"));
  completion.close();
}

// redraw drops the marks, and makes the field as high as its text.
function redraw() {
  mark([]);
  resize();
}

function resize() {
  field.style.height = "auto";
  field.style.height = `${field.scrollHeight + 2}px`;
}

// span returns where a mistake begins and ends in the text, counted in code points as its
// column is.
function span(letters, m) {
  let from = m.column - 1;
  for (let line = 1, i = 0; line < m.line; i++) {
    if (i >= letters.length) return null;
    if (letters[i] === "\n") from = i + m.column, line++;
  }
  return m.line ? [from, Math.min(letters.length, from + Math.max(1, m.length))] : null;
}

// mark underlines the places of mistakes, with a caret below the first letter of each.
export function mark(mistakes) {
  const letters = Array.from(field.value);
  const parts = [];
  let done = 0;
  for (const m of mistakes) {
    const place = span(letters, m);
    if (!place) continue;
    const from = Math.max(done, place[0]);
    parts.push(letters.slice(done, from).join(""), h("mark", {}, letters.slice(from, place[1]).join("") || " "));
    done = Math.max(done, place[1]);
  }
  mirror.replaceChildren(...parts, letters.slice(done).join(""), "\u200b");
  field.setAttribute("aria-invalid", String(mistakes.length > 0));
  mirror.scrollTop = field.scrollTop;
}

// unfinished reports whether a mistake lies where the user is typing: at the caret, or behind all
// of the text that ends there.
export function unfinished(mistakes) {
  const letters = Array.from(field.value), caret = Array.from(field.value.slice(0, field.selectionStart)).length;
  return mistakes.some((m) => {
    const place = span(letters, m);
    return place && place[0] <= caret && caret <= place[1];
  });
}

// replace puts a text in the place of a mistake.
export function replace(m, value) {
  const letters = Array.from(field.value), place = span(letters, m);
  if (!place) return;
  set(letters.slice(0, place[0]).join("") + value + letters.slice(place[1]).join(""));
  field.focus();
}

// below is the place below the name that is being typed.
function below(place, list) {
  const marker = h("span", {}, "\u200b");
  const before = mirror.cloneNode(false);
  before.removeAttribute("id");
  const style = getComputedStyle(field);
  Object.assign(before.style, { position: "absolute", inset: "0 0 auto 0", visibility: "hidden", padding: style.padding,
    font: style.font, lineHeight: style.lineHeight, whiteSpace: "pre-wrap", overflowWrap: "anywhere", border: "1px solid" });
  before.append(field.value.slice(0, place.from), marker);
  field.parentNode.append(before);
  const left = Math.min(marker.offsetLeft, Math.max(0, field.clientWidth - list.offsetWidth));
  const top = marker.offsetTop + marker.offsetHeight - field.scrollTop + 6;
  before.remove();
  return { left, top };
}
