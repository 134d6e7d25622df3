// Shows mistakes: their places in the question, what they are below it.
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
  editor.mark(list.filter((m) => !m.source));
}

function mistake(m, again) {
  const take = (text) => () => {
    editor.replace(m, text);
    again();
  };
  const near = m.source ? [] : m.suggestions ?? [];
  return h("div", {},
    h("p", {}, m.message),
    m.hint && (near.length === 0 || !m.hint.startsWith("did you mean")) && h("p", { class: "quiet" }, m.hint),
    near.length > 0 && h("p", { class: "row", role: "group", "aria-label": "Suggestions" }, h("span", { class: "quiet" }, "Did you mean"),
      near.map((s) => button(h("bdi", {}, s), take(s), { class: "suggestion" }))));
}

// shifted moves mistakes by the blanks before the question, which are not sent.
function shifted(mistakes) {
  const lines = editor.text().match(/^\s*/)[0].split("\n");
  return mistakes.map((m) => ({ ...m, line: m.line && m.line + lines.length - 1, column: m.line === 1 ? m.column + Array.from(lines.at(-1)).length : m.column }));
}
