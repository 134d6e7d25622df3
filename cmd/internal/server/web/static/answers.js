// The answers and the fuzzy sets as tables.
import { bar, h } from "./dom.js";

const meanings = {
  known: "follows from the graph",
  predicted: "does not follow from the graph",
  confirmed: "predicted, and true by the facts held back",
  undecided: "too much work to tell whether it follows from the graph",
  unchecked: "not compared with the graph",
};
const signs = { known: "●", predicted: "◇", confirmed: "◆", undecided: "?", unchecked: "" };

const badge = (status) => h("span", { class: `badge ${status}` }, `${signs[status]} ${status}`);

// members lists entities with bars, and their status where they have one.
function members(list, caption) {
  const largest = Math.max(...list.map((m) => m.probability));
  const judged = list.some((m) => m.status);
  return h("table", {},
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, h("span", { "aria-label": "rank" }, "")), h("th", { scope: "col" }, caption),
      h("th", { scope: "col" }, "probability"), judged && h("th", { scope: "col" }, "status"))),
    h("tbody", {}, list.map((m, i) => h("tr", { class: m.status ?? "" },
      h("td", {}, i + 1),
      h("td", {}, m.label, m.label !== m.name && h("span", { class: "name small quiet" }, m.name)),
      h("td", { class: "chance" }, bar(m.probability, largest)),
      judged && h("td", {}, badge(m.status))))));
}

// answers shows the answers of a question.
export function answers(result) {
  const present = Object.keys(meanings).filter((s) => result.answers.some((a) => a.status === s));
  return [
    (result.warnings ?? []).map((w) => h("p", { class: "warning" }, w)),
    members(result.answers, result.variable),
    h("dl", { class: "legend" }, present.map((s) => [h("dt", {}, badge(s)), h("dd", {}, meanings[s])])),
  ].flat();
}

// variable shows what was found for a variable of a disjunct.
export function variable(result, disjunct, term) {
  if (term.kind === "free") {
    return [h("h3", {}, `${term.name}, what is asked for`), members(result.answers, term.name)];
  }
  const set = (result.sets ?? []).find((s) => s.disjunct === disjunct && s.variable === term.name);
  if (!set) return [h("h3", {}, term.name), h("p", { class: "quiet" }, "Nothing that the answer needs is asked of this variable.")];
  return [
    h("h3", {}, `${term.name}, a fuzzy set`),
    h("p", { class: "quiet small" }, "The entities that it most likely stands for, as the rest of the question last heard."),
    members(set.top, term.name),
  ];
}
