// The answers and the fuzzy sets as tables.
import { bar, chance, h } from "./dom.js";
import { semantics } from "./semantics.js";

const meanings = {
  known: "follows from the graph",
  predicted: "does not follow from the graph",
  confirmed: "predicted, and true by the facts held back",
  undecided: "too much work to decide whether it follows from the graph",
  unchecked: "not compared with the graph",
};
const signs = { known: "●", predicted: "◇", confirmed: "◆", undecided: "?", unchecked: "" };

const badge = (status) => h("span", { class: `badge ${status}` }, `${signs[status]} ${status}`);

// because explains why an entity is an answer: the values of the other variables,
// and for each atom whether its link is observed.
function because(witness, reason) {
  if (!witness.atoms) return h("p", { class: "why quiet" }, "No explanation was found among the best values of the variables.");
  const kind = (atom) => (atom.observed ? "observed" : atom.negated ? "absent" : "predicted");
  const values = (witness.values ?? []).map((v) => `${v.variable} = ${v.label}`).join(", ");
  return h("div", { class: "why" },
    h("p", { class: "small" }, values && `${values}: `, `true to ${chance(witness.degree)}, the product of`),
    h("ul", {}, witness.atoms.map((a) => h("li", {},
      h("span", { class: `link ${kind(a)}` }, kind(a)), ` ${a.negated ? "not " : ""}${a.relation}(${a.head.label}, ${a.tail.label}) `,
      h("span", { class: "quiet small" }, chance(a.degree))))),
    h("p", { class: "quiet small" }, reason));
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
        const found = await why(member.name);
        cell.replaceChildren(because(found.witnesses[0], semantics[found.semantics].reason));
      } catch (problem) {
        cell.replaceChildren(h("p", { class: "warning" }, problem.message));
      }
    },
  }, "why?");
  return { button, row };
}

// members lists entities with bars, and their status where they have one. why, if
// given, fetches the witness of an entity.
function members(list, caption, number, why) {
  const largest = Math.max(...list.map((m) => m.score));
  const judged = list.some((m) => m.status);
  return h("table", {},
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, h("span", { "aria-label": "rank" }, "")), h("th", { scope: "col" }, caption),
      h("th", { scope: "col" }, number), judged && h("th", { scope: "col" }, "status"))),
    h("tbody", {}, list.flatMap((m, i) => {
      const reason = why && whyButton(m, why);
      return [h("tr", { class: m.status ?? "" },
        h("td", {}, i + 1),
        h("td", {}, m.label, m.label !== m.name && h("span", { class: "name small quiet" }, m.name), " ", reason?.button),
        h("td", { class: "chance" }, bar(m.score, largest)),
        judged && h("td", {}, badge(m.status))), reason?.row];
    })));
}

// answers shows the answers of a question.
export function answers(result, why) {
  const present = Object.keys(meanings).filter((s) => result.answers.some((a) => a.status === s));
  return [
    (result.warnings ?? []).map((w) => h("p", { class: "warning" }, w)),
    members(result.answers, result.variable, semantics[result.semantics].measure, why),
    h("dl", { class: "legend" }, present.map((s) => [h("dt", {}, badge(s)), h("dd", {}, meanings[s])])),
  ].flat();
}

// variable shows what was found for a variable of a disjunct.
export function variable(result, disjunct, term) {
  const { measure, setMeasure, setMeaning } = semantics[result.semantics];
  if (term.kind === "free") {
    return [h("h3", {}, `${term.name}, the answer`), members(result.answers, term.name, measure)];
  }
  const set = (result.sets ?? []).find((s) => s.disjunct === disjunct && s.variable === term.name);
  if (!set) return [h("h3", {}, term.name), h("p", { class: "quiet" }, "The answer does not depend on this variable.")];
  const title = h("h3", {}, `${term.name}, a fuzzy set`);
  return [title, h("p", { class: "quiet small" }, setMeaning), members(set.top, term.name, setMeasure)];
}
