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

// because tells why an entity is an answer: what the other variables stand for, and
// of each atom whether its link is observed.
function because(witness) {
  if (!witness.atoms) return h("p", { class: "quiet" }, "No witness among the best candidates.");
  const kind = (atom) => (atom.observed ? "observed" : atom.negated ? "absent" : "predicted");
  return h("ul", { class: "why" }, witness.atoms.map((a) => h("li", {},
    h("span", { class: `link ${kind(a)}` }, kind(a)), ` ${a.negated ? "not " : ""}${a.relation}(${a.head.label}, ${a.tail.label}) `,
    h("span", { class: "quiet small" }, a.degree.toPrecision(2)))));
}

// whyButton opens and closes the row below that says why an entity is an answer.
function whyButton(member, why) {
  const cell = h("td", { colspan: 4 });
  const row = h("tr", { hidden: true }, cell);
  const button = h("button", {
    type: "button", class: "whybutton", "aria-expanded": "false", "aria-label": `why ${member.label}`,
    onclick: async () => {
      row.hidden = !row.hidden;
      button.setAttribute("aria-expanded", String(!row.hidden));
      if (row.hidden || cell.firstChild) return;
      try {
        cell.replaceChildren(because((await why(member.name)).witnesses[0]));
      } catch (problem) {
        cell.replaceChildren(h("p", { class: "warning" }, problem.message));
      }
    },
  }, "why?");
  return { button, row };
}

// members lists entities with bars, and their status where they have one. why, if
// given, fetches the witness of an entity.
function members(list, caption, why) {
  const largest = Math.max(...list.map((m) => m.probability));
  const judged = list.some((m) => m.status);
  return h("table", {},
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, h("span", { "aria-label": "rank" }, "")), h("th", { scope: "col" }, caption),
      h("th", { scope: "col" }, "probability"), judged && h("th", { scope: "col" }, "status"))),
    h("tbody", {}, list.flatMap((m, i) => {
      const reason = why && whyButton(m, why);
      return [h("tr", { class: m.status ?? "" },
        h("td", {}, i + 1),
        h("td", {}, m.label, m.label !== m.name && h("span", { class: "name small quiet" }, m.name), " ", reason?.button),
        h("td", { class: "chance" }, bar(m.probability, largest)),
        judged && h("td", {}, badge(m.status))), reason?.row];
    })));
}

// answers shows the answers of a question.
export function answers(result, why) {
  const present = Object.keys(meanings).filter((s) => result.answers.some((a) => a.status === s));
  return [
    (result.warnings ?? []).map((w) => h("p", { class: "warning" }, w)),
    members(result.answers, result.variable, why),
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
