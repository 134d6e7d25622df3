// Which answers are wanted: how many, of which statuses, with which columns.
import { $, h } from "./dom.js";

let columns = []; // variables whose values are shown
let formula = ""; // the question that they are of

const boxes = () => [...$("statuses").querySelectorAll("input[value]")];

// wanted is what a request says beside the question. All statuses together are no filter.
export function wanted(question) {
  if (question.formula !== formula) columns = [];
  formula = question.formula;
  const chosen = boxes().filter((b) => b.checked).map((b) => b.value);
  const type = $("type").value.trim();
  const least = Math.min(100, Math.max(0, Number($("confidence").value))) / 100;
  return {
    k: Number($("k").value),
    ...(chosen.length < boxes().length && { status: chosen }),
    ...($("in-range").checked && { in_range: true }),
    ...(least > 0 && { min_confidence: least }),
    ...(type && { type }),
    ...(columns.length > 0 && { show: columns }),
  };
}

// parameters writes that as the parameters of an address.
export function parameters({ k, status, in_range, min_confidence, type, show }) {
  return { k, ...(status && { status: status.join() }), ...(in_range && { in_range }), ...(min_confidence && { min_confidence }), ...(type && { type }), ...(show && { show: show.join() }) };
}

// recallWanted sets it to what an address says of a question.
export function recallWanted(saved, question) {
  pick("k", saved.get("k"));
  const chosen = saved.get("status")?.split(",");
  for (const b of boxes()) b.checked = !chosen || chosen.includes(b.value);
  $("in-range").checked = saved.get("in_range") === "true";
  const least = Number(saved.get("min_confidence"));
  $("confidence").value = least > 0 ? Math.round(100 * least) : "";
  $("type").value = saved.get("type") ?? "";
  formula = question;
  columns = saved.get("show")?.split(",") ?? [];
}

// pick chooses an option that there is.
export const pick = (id, value) => [...$(id).options].some((o) => o.value === value) && ($(id).value = value);

// limit leaves out numbers of answers that the server does not give at once.
export function limit(most) {
  for (const o of [...$("k").options]) if (Number(o.value) > most) o.remove();
}

// startWanted calls changed when the user chooses otherwise. One status is wanted at least.
export function startWanted(changed) {
  $("k").addEventListener("change", changed);
  $("in-range").addEventListener("change", changed);
  $("confidence").addEventListener("change", changed);
  $("type").addEventListener("change", changed);
  for (const box of boxes()) {
    box.addEventListener("change", () => {
      if (boxes().every((b) => !b.checked)) box.checked = true;
      else changed();
    });
  }
}

// offerColumns has a box for each variable under exists.
export function offerColumns(report, changed) {
  const names = [...new Set(report.disjuncts.flatMap((d) => d.terms.filter((t) => t.kind === "existential").map((t) => t.name)))];
  $("columns").hidden = names.length === 0;
  $("columns").replaceChildren(h("span", { class: "small quiet" }, "With the values of"), ...names.map((name) =>
    h("label", { class: "inline" }, h("input", {
      type: "checkbox", value: name, checked: columns.includes(name),
      onchange: (event) => {
        columns = event.target.checked ? [...columns, name] : columns.filter((c) => c !== name);
        changed();
      },
    }), ` ${name}`)));
}
