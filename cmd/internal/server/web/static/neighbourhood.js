// The neighbourhood of an entity as a drawing that grows: facts, and what may be missing.
import { h } from "./dom.js";
import { count } from "./numbers.js";
import { drawing, known, link } from "./drawing.js";
import { raw } from "./syntax.js";

const likely = 4; // predictions

// neighbourhood draws that of an entity; all are the predictions.
export function neighbourhood(e, all) {
  const atoms = known(e), state = h("p", { class: "quiet small", role: "status" });
  const { element, add } = drawing([{ answer: e, atoms }], new Set([e.name]));
  (async () => {
    let found = [];
    for await ({ found } of all);
    add(found.slice(0, likely).map((r) => link(e, raw(r.by), r.answers[0], false)));
  })().catch((problem) => {
    if (problem.name !== "AbortError") state.textContent = problem.message;
  });
  return h("section", {}, h("p", { class: "quiet small" }, `${count(atoms.length, "fact")} of ${e.facts}, and the likeliest predictions. Click a name to add its facts, and again for its drawer.`), state, element);
}
