// The neighbourhood of an entity as a drawing that grows: facts, and what may be missing.
import * as api from "./api.js";
import { h } from "./dom.js";
import { count } from "./numbers.js";
import { draw } from "./witnesses.js";
import { raw } from "./syntax.js";

const each = 3, most = 10, likely = 4; // entities of a relation, of an expansion, predictions

// known are some facts of an entity as atoms of a witness: of each relation before more of any.
function known(e, limit) {
  const rounds = Array.from({ length: each }, (_, i) => e.links.flatMap((l) => (l.entities[i] ? [atom(e, raw(l), l.entities[i], true)] : [])));
  return rounds.flat().slice(0, limit);
}

const atom = (head, name, tail, observed) => ({ relation: name, head, tail, observed });

// neighbourhood draws that of an entity; all are the predictions.
export function neighbourhood(e, all, signal) {
  let predicted = [];
  const facts = known(e, most), expanded = new Set([e.name]);
  const state = h("p", { class: "quiet small", role: "status" });
  const picture = h("div", { class: "neighbourhood" });
  const render = () => {
    const focus = document.activeElement?.dataset?.expand;
    const atoms = [...facts, ...predicted], ends = atoms.flatMap((a) => [a.head, a.tail]).filter((x) => x.id !== e.id);
    const values = ends.map((x) => ({ ...x, expands: !expanded.has(x.name) }));
    picture.replaceChildren(...draw([{ answer: e, values, atoms }], picture.clientWidth, "neighbour"));
    if (focus) [...picture.querySelectorAll("[data-entity], [data-expand]")].find((n) => n.dataset.entity === focus || n.dataset.expand === focus)?.focus();
  };
  const grow = async (event) => {
    const node = event.target.closest("[data-expand]");
    if (!node || (event.type === "keydown" && event.key !== "Enter" && event.key !== " ")) return;
    event.preventDefault();
    event.stopPropagation();
    try {
      const found = await api.entity(node.dataset.expand, { k: each }, signal);
      expanded.add(found.name);
      facts.push(...known(found, most));
      render();
    } catch (problem) {
      if (!signal.aborted) state.textContent = problem.message;
    }
  };
  picture.addEventListener("click", grow);
  picture.addEventListener("keydown", grow);
  requestAnimationFrame(render); // it is as wide as its place, once it has one
  (async () => {
    for await (const { found } of all) {
      predicted = found.slice(0, likely).map((r) => atom(e, raw(r.by), r.answers[0], false));
      render();
    }
  })().catch((problem) => {
    if (problem.name !== "AbortError") state.textContent = problem.message;
  });
  return h("section", {}, h("p", { class: "quiet small" }, `${count(Math.min(most, e.facts), "fact")} of ${e.facts}, and the likeliest predictions. Click a name to add its neighbours, and again for its drawer.`), state, picture);
}
