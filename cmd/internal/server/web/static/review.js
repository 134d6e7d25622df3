// The likeliest missing facts of a relation.
import * as api from "./api.js";
import { badge, bar, barOf } from "./answers.js";
import { allowed, review, written } from "./facts.js";
import { open } from "./queue.js";
import { button, entity, h, relation, scrolling } from "./dom.js";
import { count } from "./numbers.js";

// likeliest has buttons that find the likeliest missing facts of a relation, or of all.
export function likeliest(name, signal) {
  const state = h("p", { class: "quiet small", role: "status" });
  const found = h("div");
  const find = (label, parameters) => button(label, async () => {
    state.textContent = "Asking the model…";
    try {
      const { facts, questions, possible } = await api.missing(parameters, signal);
      state.textContent = `${count(questions, "question")} of ${possible} asked.`;
      found.replaceChildren(...(facts.length > 0 ? [table(facts)] : []));
    } catch (problem) {
      if (!signal.aborted) state.textContent = problem.message;
    }
  });
  return h("section", { class: "likeliest" }, h("h3", {}, "May be missing"),
    h("div", { class: "row" }, find(`Facts of ${name}`, { relation: name }), find("Facts of any relation", {}), allowed() && button("One by one", () => open({ relation: name }))), state, found);
}

function reviewed({ head, relation: name, tail }) {
  const fact = [head.name, name, tail.name];
  return review(written(fact), () => fact);
}

function table(facts) {
  const measure = barOf(facts);
  return scrolling("Facts that may be missing", h("table", {}, h("tbody", {}, facts.map((f) => h("tr", { class: f.status },
    h("td", {}, entity(f.head), " ", relation(f.relation), " ", entity(f.tail), f.status === "confirmed" && [" ", badge(f.status)]),
    h("td", { class: "bars" }, bar(measure(f))), allowed() && h("td", {}, reviewed(f)))))));
}
