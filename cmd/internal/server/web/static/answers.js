// The answers and the fuzzy sets as tables.
import { allowed, factOf, predicted, review } from "./facts.js";
import { because } from "./why.js";
import { button, entity, h, scrolling } from "./dom.js";
import { count, number, percent } from "./numbers.js";
import { semantics } from "./semantics.js";
import { filtered } from "./values.js";

const meanings = {
  known: "follows from the graph",
  predicted: "does not follow from the graph",
  confirmed: "predicted, and true by the facts held back",
  undecided: "too much work to decide whether it follows from the graph",
  unchecked: "not compared with the graph",
};
const signs = { known: "●", predicted: "◇", confirmed: "◆", undecided: "?", unchecked: "" };

export const badge = (status) => h("span", { class: `badge ${status}` }, `${signs[status]} ${status}`);

const calibrated = (list) => list.some((m) => m.confidence);

// barOf returns what the bars of a list show: the confidence, or where none has one the score,
// beside the largest.
export function barOf(list) {
  if (calibrated(list)) return (m) => ({ part: m.confidence ?? 0, text: m.confidence ? percent(m.confidence) : "–" });
  const largest = list.reduce((most, m) => Math.max(most, m.score), 0);
  return (m) => ({ part: largest > 0 ? m.score / largest : 0, text: number(m.score) });
}

// bar draws a part of a whole.
export function bar({ part, text }) {
  const filled = h("b");
  filled.style.width = `${100 * part}%`;
  return h("div", { class: "bar" }, h("i", { "aria-hidden": "true" }, filled), h("span", {}, text));
}

// whyButton opens and closes the row below that says why an entity is an answer, and marks the row of the answer.
function whyButton(member, columns, why) {
  const cell = h("td", { colspan: columns });
  const row = h("tr", { hidden: true }, cell);
  const toggle = async () => {
    row.hidden = !row.hidden;
    opener.setAttribute("aria-expanded", String(!row.hidden));
    opener.closest("tr").classList.toggle("explained", !row.hidden);
    if (row.hidden || cell.firstChild) return;
    try {
      const found = await why(member.name);
      cell.replaceChildren(because(found.witnesses[0], semantics[found.semantics].reason));
    } catch (problem) {
      cell.replaceChildren(h("p", { class: "warning" }, problem.message));
    }
  };
  const opener = button("why?", toggle, { class: "whybutton", "aria-expanded": "false", "aria-label": `why ${member.label}` });
  return { opener, row, toggle };
}

// verdict says whether a predicted answer is true: of one atom by two buttons, of several by the links that its reason predicts.
function verdict(member, reason, { why, atoms }) {
  if (!allowed() || !["predicted", "confirmed"].includes(member.status)) return null;
  const first = () => reason.row.querySelector(".review button")?.focus();
  if (atoms > 1) return button("true?", () => (reason.row.hidden ? reason.toggle().then(first) : first()), { class: "whybutton", "aria-label": `true? ${member.label}` });
  return review(member.label, async () => {
    const [atom] = predicted((await why(member.name)).witnesses[0]);
    if (!atom) throw new Error("The graph has it.");
    return factOf(atom);
  });
}

// shown is the value of a variable in the best witness of an answer.
function shown(m, variable) {
  const value = (m.values ?? []).find((v) => v.variable === variable);
  return value ? entity(value) : "–";
}

const outOfRange = () => h("span", { class: "badge" }, "out of range");

// written is a number or a date.
const written = (value) => (typeof value === "number" ? value.toLocaleString("en", { maximumFractionDigits: 6 }) : value);

// columnsOf are those of a list: each has a heading and what stands in it.
function columnsOf(list, measure, { show = [], without = [], values = [] }) {
  const sure = calibrated(list), measured = barOf(list), barred = { class: "bars", cell: (m) => bar(measured(m)) };
  const has = (column, there) => there && !without.includes(column);
  return [
    has("confidence", sure) && { heading: "confidence", ...barred },
    has("score", true) && { heading: measure, ...(sure ? { class: "number", cell: (m) => number(m.score) } : barred) },
    has("status", list.some((m) => m.status)) && { heading: "status", class: "state", cell: (m) => [badge(m.status), m.out_of_range && [" ", outOfRange()]] },
    ...values.map((v) => ({ heading: h("bdi", {}, v.name), class: "number value", cell: (m) => v.of(m).map(written).join(", ") || "–" })),
    ...show.map((v) => ({ heading: v, class: "value", cell: (m) => shown(m, v) })),
  ].filter(Boolean);
}

// members lists entities under a caption, with the columns that are wanted. why, if given,
// fetches the witness of an entity.
function members(list, caption, measure, view = {}) {
  const { why, atoms } = view, columns = columnsOf(list, measure, view);
  const heading = (text, of) => h("th", { scope: "col", class: of }, text);
  return scrolling(`Table of ${caption}`, h("table", {},
    h("thead", {}, h("tr", {}, heading(h("span", { class: "hidden" }, "rank"), "rank"), heading(h("bdi", {}, caption)), columns.map((c) => heading(c.heading, c.class)))),
    h("tbody", {}, list.flatMap((m, i) => {
      const reason = why && whyButton(m, 2 + columns.length, why);
      return [h("tr", { class: m.status ?? "" },
        h("td", { class: "rank" }, i + 1),
        h("th", { scope: "row" }, entity(m), " ", reason?.opener, reason && verdict(m, reason, { why, atoms }), m.label !== m.name && h("bdi", { class: "name small quiet" }, m.name)),
        columns.map((c) => h("td", { class: c.class }, c.cell(m)))), reason?.row];
    }))));
}

// list is what a result holds: answers, or rows of several variables.
export const list = (result) => result.rows ?? result.answers;

// rows lists rows: an entity for each variable, with the witness that came with it.
function rows(result, { show = [] }) {
  const { measure } = semantics[result.semantics], columns = columnsOf(result.rows, measure, { values: filtered(result) });
  const heading = (text, of) => h("th", { scope: "col", class: of }, text);
  const value = (x, v) => (x.witness?.values ?? []).find((w) => w.variable === v);
  return scrolling(`Table of ${result.variables.join(", ")}`, h("table", {},
    h("thead", {}, h("tr", {}, heading(h("span", { class: "hidden" }, "rank"), "rank"), result.variables.map((v) => heading(h("bdi", {}, v))), columns.map((c) => heading(c.heading, c.class)), show.map((v) => heading(v, "value")))),
    h("tbody", {}, result.rows.flatMap((x, i) => {
      const all = { label: x.values.map((v) => v.label).join(", ") };
      const why = x.witness && whyButton(all, 1 + result.variables.length + columns.length + show.length, () => ({ semantics: result.semantics, witnesses: [x.witness] }));
      return [h("tr", { class: x.status },
        h("td", { class: "rank" }, i + 1),
        x.values.map((v, k) => h("td", {}, entity(v), k === x.values.length - 1 && why && [" ", why.opener, verdict({ ...all, status: x.status }, why, { atoms: 2 })])),
        columns.map((c) => h("td", { class: c.class }, c.cell(x))), show.map((v) => h("td", { class: "value" }, value(x, v) ? entity(value(x, v)) : "–"))), why?.row];
    }))));
}

// answers shows the answers of a question; view has the variables to show, the columns that are
// left out, and how witnesses are fetched.
export function answers(result, view) {
  const found = list(result), present = Object.keys(meanings).filter((s) => found.some((a) => a.status === s));
  return [
    found.length === 0 && h("p", {}, "There are no such answers."),
    result.rows && found.length > 0 && rows(result, view),
    !result.rows && found.length > 0 && members(result.answers, result.variable, semantics[result.semantics].measure, { ...view, values: filtered(result) }),
    found.some((a) => a.status === "known" && a.confidence < 1) && h("p", { class: "quiet small" },
      "The confidence of a known answer is the chance that no missing fact refutes it, as the question negates an atom."),
    present.length > 0 && h("dl", { class: "legend" }, present.map((s) => [h("dt", {}, badge(s)), h("dd", {}, meanings[s])]),
      found.some((a) => a.out_of_range) && [h("dt", {}, outOfRange()),
        h("dd", {}, `no fact of the graph has it where ${result.variable} stands in the question`)]),
  ].filter(Boolean);
}

// warnings are what the server says beside the answers.
export const warnings = (result) => [
  ...[...(result.warnings ?? []), result.incomplete && "The search was given up because it took too much work: there may be more answers.",
    result.proved === false && `Not proved: ${result.searched} values of ${result.variables.slice(0, -1).join(", ")} were tried, the most promising; others may give better rows.`]
    .filter(Boolean).map((text) => h("p", { class: "warning" }, text)),
  result.changes && h("p", { class: "quiet small", id: "effect" }, `With the assumption ${["came", "went", "rose", "fell"].map((change) => {
    const names = result.changes.filter((c) => c.change === change).map((c) => c.values.map((v) => v.label).join(" – "));
    return names.length > 0 && `${names.join(", ")} ${change}`;
  }).filter(Boolean).join("; ") || "these answers stay as they are"}.`),
  result.coverage && h("p", { class: "quiet small", id: "covers" }, `The best ${count(result.coverage.size, "answer")} hold all true ones for ${percent(result.coverage.level)} of the questions of this form that lack answers, by ${count(result.coverage.questions, "validation question")}${result.answers.length < result.coverage.size ? "; more than are shown" : ""}.`),
  result.uncalibrated && h("p", { class: "quiet small" }, `There is no confidence: ${result.uncalibrated}. The bars show the ${semantics[result.semantics].measure}.`),
].filter(Boolean);

// variable shows what was found for a variable of a disjunct.
export function variable(result, disjunct, term) {
  const { measure, setMeasure, setMeaning } = semantics[result.semantics];
  if (term.kind === "free") return [h("h3", {}, `${term.name}, the answer`), members(result.answers, term.name, measure)];
  const set = (result.sets ?? []).find((s) => s.disjunct === disjunct && s.variable === term.name);
  if (!set) return [h("h3", {}, term.name), h("p", { class: "quiet" }, "The answer does not depend on this variable.")];
  return [h("h3", {}, `${term.name}, a fuzzy set`), h("p", { class: "quiet small" }, setMeaning), members(set.top, term.name, setMeasure)];
}
