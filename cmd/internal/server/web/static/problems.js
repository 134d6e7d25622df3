// Shows mistakes below the question, and in it.
import * as editor from "./editor.js";
import { $, button, h } from "./dom.js";

// complain shows a problem, or that there is none; again is called after the user took a suggestion.
export function complain(problem, again) {
  const box = $("mistake");
  box.hidden = !problem;
  box.replaceChildren();
  if (!problem) return;
  $("token").hidden = problem.status !== 401;
  const list = shifted(problem.mistakes);
  box.replaceChildren(...(list.length ? list.map((m) => mistake(m, again)) : [h("p", {}, problem.message)]));
  editor.mark(list);
}

function mistake(m, again) {
  const letters = Array.from(m.source_line ?? "");
  const blank = letters.slice(0, m.column - 1).map((c) => (c === "\t" ? c : " ")).join("");
  const take = (text) => () => {
    editor.replace(m, text);
    again();
  };
  return h("div", {},
    h("p", {}, m.message),
    letters.length > 0 && m.column > 0 && h("pre", { "aria-hidden": "true" }, m.source_line, "\n", h("span", { class: "caret" }, blank + "^".repeat(Math.max(1, m.length)))),
    m.hint && h("p", { class: "quiet" }, m.hint),
    m.suggestions && h("p", { class: "row", role: "group", "aria-label": "Suggestions" }, m.suggestions.map((s) => button(h("bdi", {}, s), take(s), { class: "suggestion" }))));
}

// shifted moves mistakes by the blanks before the question, which are not sent.
function shifted(mistakes) {
  const lines = editor.text().match(/^\s*/)[0].split("\n");
  return mistakes.map((m) => ({ ...m, line: m.line && m.line + lines.length - 1, column: m.line === 1 ? m.column + Array.from(lines.at(-1)).length : m.column }));
}
