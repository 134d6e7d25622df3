// Which answers are wanted: how many, of which statuses, with which columns.
import { $, h } from "./dom.js";
import { complete } from "./completion.js";

// Columns beside the name that the user may leave out.
const standing = ["confidence", "score", "status"];
let variables = []; // whose values are shown
let left = []; // standing columns that are left out
let formula = ""; // the question that the variables are of

const boxes = () => [...$("statuses").querySelectorAll("input[value]")];

// wanted is what a request says beside the question. All statuses together are no filter.
export function wanted(question) {
  if (question.formula !== formula) variables = [];
  formula = question.formula;
  const chosen = boxes().filter((b) => b.checked).map((b) => b.value);
  const type = $("type").value.trim();
  const least = Math.min(100, Math.max(0, Number($("confidence").value))) / 100;
  return {
    ...($("coverage").checked ? { coverage: 0.9 } : { k: Number($("k").value) }),
    ...(chosen.length < boxes().length && { status: chosen }),
    ...($("in-range").checked && { in_range: true }),
    ...(least > 0 && { min_confidence: least }),
    ...(type && { type }),
    ...(variables.length > 0 && { show: variables }),
  };
}

// without are the columns that are left out.
export const without = () => left;

// parameters writes that as the parameters of an address.
export function parameters({ k, coverage, status, in_range, min_confidence, type, show }) {
  return { ...(coverage ? { coverage } : { k }), ...(status && { status: status.join() }), ...(in_range && { in_range }), ...(min_confidence && { min_confidence }), ...(type && { type }), ...(show && { show: show.join() }) };
}

// recallWanted sets it to what an address says of a question.
export function recallWanted(saved, question) {
  pick("k", saved.get("k"));
  $("coverage").checked = $("k").disabled = saved.has("coverage");
  const chosen = saved.get("status")?.split(",");
  for (const b of boxes()) b.checked = !chosen || chosen.includes(b.value);
  $("in-range").checked = saved.get("in_range") === "true";
  const least = Number(saved.get("min_confidence"));
  $("confidence").value = least > 0 ? Math.round(100 * least) : "";
  $("type").value = saved.get("type") ?? "";
  left = saved.get("without")?.split(",").filter((c) => standing.includes(c)) ?? [];
  showVariables(question, saved.get("show")?.split(",") ?? []);
}

// showVariables wants the values of variables of a question.
export function showVariables(question, names) {
  formula = question;
  variables = names;
}

// pick chooses an option that there is.
export const pick = (id, value) => [...$(id).options].some((o) => o.value === value) && ($(id).value = value);

// limit leaves out numbers of answers that the server does not give at once.
export function limit(most) {
  for (const o of [...$("k").options]) if (Number(o.value) > most) o.remove();
}

// startWanted calls changed when the user chooses otherwise. One status is wanted at least.
export function startWanted(changed) {
  $("coverage").addEventListener("change", (event) => ($("k").disabled = event.target.checked));
  for (const id of ["k", "coverage", "in-range", "confidence", "type", "assume"]) $(id).addEventListener("change", changed);
  for (const box of boxes()) {
    box.addEventListener("change", () => {
      if (boxes().every((b) => !b.checked)) box.checked = true;
      else changed();
    });
  }
  // A type is relation=entity; where the model names the relation, the entity is enough.
  const type = $("type");
  complete(type, (asked) => {
    const from = type.value.indexOf("=") + 1, text = type.value.slice(from);
    return text || asked ? { kind: from > 0 ? "entity" : "relation", text, from, to: type.value.length, sure: false } : null;
  }, (item) => (item.kind === "relation" ? `${item.text}=` : item.text));
}

// offerColumns has a box for each column and each variable under exists; redrawn is called where
// what is there is enough, changed where the server has to be asked.
export function offerColumns(report, redrawn, changed) {
  const names = [...new Set(report.disjuncts.flatMap((d) => d.terms.filter((t) => t.kind === "existential").map((t) => t.name)))];
  const box = (name, checked, onchange) => h("label", { class: "inline" }, h("input", { type: "checkbox", value: name, checked, onchange }), ` ${name}`);
  $("columns").replaceChildren(h("legend", {}, "Columns"),
    ...standing.map((name) => box(name, !left.includes(name), (event) => {
      left = event.target.checked ? left.filter((c) => c !== name) : [...left, name];
      redrawn();
    })),
    ...names.map((name) => box(name, variables.includes(name), (event) => {
      variables = event.target.checked ? [...variables, name] : variables.filter((c) => c !== name);
      changed();
    })));
}
