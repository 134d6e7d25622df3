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
function whyButton(member, columns, why) {
  const cell = h("td", { colspan: columns });
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

// shown is the value of a variable in the best witness of an answer.
const shown = (m, variable) => (m.values ?? []).find((v) => v.variable === variable)?.label ?? "–";

// percent writes a chance, and little as little.
const percent = (p) => (p < 0.005 ? "< 1%" : `${Math.round(100 * p)}%`);

// members lists entities with bars, their status where they have one, and the values of the
// variables to show. why, if given, fetches the witness of an entity.
function members(list, caption, number, show = [], why = null) {
  const largest = list.reduce((most, m) => Math.max(most, m.score), 0);
  const judged = list.some((m) => m.status);
  const calibrated = list.some((m) => m.confidence);
  return h("table", { class: calibrated ? "calibrated" : "" },
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, h("span", { "aria-label": "rank" }, "")), h("th", { scope: "col" }, caption),
      calibrated && h("th", { scope: "col" }, "confidence"), h("th", { scope: "col", class: "chance" }, number), judged && h("th", { scope: "col" }, "status"),
      show.map((v) => h("th", { scope: "col" }, v)))),
    h("tbody", {}, list.flatMap((m, i) => {
      const reason = why && whyButton(m, 4 + (calibrated ? 1 : 0) + show.length, why);
      return [h("tr", { class: m.status ?? "" },
        h("td", {}, i + 1),
        h("td", {}, m.label, m.label !== m.name && h("span", { class: "name small quiet" }, m.name), " ", reason?.button),
        calibrated && h("td", {}, m.confidence ? percent(m.confidence) : "–"),
        h("td", { class: "chance" }, bar(m.score, largest)),
        judged && h("td", {}, badge(m.status), m.out_of_range && [" ", h("span", { class: "badge" }, "out of range")]),
        show.map((v) => h("td", {}, shown(m, v)))), reason?.row];
    })));
}

// answers shows the answers of a question, with the values of variables beside them.
export function answers(result, show, why) {
  const present = Object.keys(meanings).filter((s) => result.answers.some((a) => a.status === s));
  return [
    (result.warnings ?? []).map((w) => h("p", { class: "warning" }, w)),
    result.incomplete && h("p", { class: "warning" }, "The search was given up, for it took too much work: there may be more answers."),
    result.answers.length === 0 && h("p", {}, "There are no such answers."),
    result.answers.length > 0 && members(result.answers, result.variable, semantics[result.semantics].measure, show, why),
    h("dl", { class: "legend" }, present.map((s) => [h("dt", {}, badge(s)), h("dd", {}, meanings[s])]),
      result.answers.some((a) => a.out_of_range) && [h("dt", {}, h("span", { class: "badge" }, "out of range")),
        h("dd", {}, `no fact of the graph has it where ${result.variable} stands in the question`)]),
  ].flat().filter(Boolean);
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
