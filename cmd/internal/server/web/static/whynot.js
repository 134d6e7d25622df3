// Says why entities are not an answer: what fails at the values that come closest.
import * as api from "./api.js";
import { complete, wholeField } from "./completion.js";
import { button, entity, h, relation } from "./dom.js";
import { factOf, review, written as text } from "./facts.js";
import { percent } from "./numbers.js";
import { written } from "./why.js";

const reasons = {
  predicted: (a) => `not in the graph${a.confidence ? `, confidence ${percent(a.confidence)}` : ""}`,
  refuted: () => "not in the graph, and refuted: the relation is complete, or the fact is marked as not true",
  negated: (a) => (a.relation === "=" ? "the same entity" : "in the graph"),
};

// part is a line for an atom or a filter; fails says why it does not hold, and is empty if it does; more follows that.
const part = (what, fails, more) => h("li", {}, h("span", { class: `link ${fails ? "absent" : "observed"}` }, fails ? "fails" : "holds"), " ", what, fails && `: ${fails}`, more && [" ", more]);

const atom = (a) => part(a.relation === "=" ? [entity(a.head), " is not ", entity(a.tail)] : written(a), reasons[a.fails]?.(a), a.fails === "predicted" && review(text(factOf(a)), () => factOf(a)));

const filter = (f) => part([relation(f.attribute), "(", entity(f.entity), ")", f.value && ` = ${f.value}`], f.degree < 1 && `${f.value ? "" : "has no value, "}asked ${f.asked}`);

// told is what the server says of the entities.
function told({ row, rank, nearest, others, proved }) {
  const values = (nearest.values ?? []).flatMap((v) => [", ", `${v.variable} = `, entity(v)]);
  const state = [row.status, row.confidence && `confidence ${percent(row.confidence)}`, rank && `rank ${rank}`].filter(Boolean).join(", ");
  const fails = [...(nearest.atoms ?? []), ...(nearest.filters ?? [])].some((part) => part.fails || part.attribute && part.degree < 1);
  return [
    h("p", { class: "small" }, fails ? "Not a known answer: " : "An answer: ", state, values.length > 0 && ["; nearest by ", values.slice(1)]),
    h("ul", {}, (nearest.atoms ?? []).map(atom), (nearest.filters ?? []).map(filter)),
    others && h("p", { class: "quiet small" }, `The nearest of ${others.length + 1} disjuncts.`),
    !proved && h("p", { class: "quiet small" }, "The search was bounded: other values may come closer."),
  ].filter(Boolean);
}

// whyNot is a form that asks why an entity for each variable is not an answer to a question, and shows why.
export function whyNot(question, variables) {
  const fields = variables.map((v) => h("input", { type: "text", required: true, autocomplete: "off", spellcheck: "false", maxlength: 400, "aria-label": `Why not ${v}`, placeholder: variables.length > 1 ? v : "an entity" }));
  const found = h("div", { class: "why", role: "status" });
  const ask = async (event) => {
    event.preventDefault();
    found.textContent = "…";
    try {
      found.replaceChildren(...told(await api.whyNot(question, fields.map((f) => f.value.trim()))));
    } catch (problem) {
      found.textContent = problem.message;
    }
  };
  const form = h("form", { class: "row", onsubmit: ask }, "Why not", fields.map((f) => h("span", { class: "field" }, f)), button("Say why", null, { type: "submit", class: "small" }));
  fields.forEach((f) => complete(f, wholeField(f, "entity"), (item) => item.text));
  return [form, found];
}
