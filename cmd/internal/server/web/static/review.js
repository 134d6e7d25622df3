// Facts that may be missing, to be added or marked as not true.
import * as api from "./api.js";
import { badge, bar, barOf } from "./answers.js";
import { button, entity, h, relation, scrolling } from "./dom.js";
import { count } from "./numbers.js";

// review has two buttons beside a fact: names of head, relation, which may end in ^-1, and tail. A server that
// changes no facts has none.
export function review(model, fact) {
  if (!model.changes_facts) return null;
  const state = h("span", { class: "quiet small", role: "status" });
  const choice = (label, change, told) => button(label, async () => {
    try {
      await api.change(change);
      box.replaceChildren(h("span", { class: "quiet small" }, told));
    } catch (problem) {
      state.textContent = problem.message;
    }
  }, { class: "small", "aria-label": `${label}: ${fact.join(" ")}` });
  const box = h("span", { class: "row review" }, choice("Add", { add: [fact] }, "added"), choice("Not true", { untrue: [fact] }, "marked as not true"), state);
  return box;
}

// likeliest has buttons that find the likeliest missing facts of a relation, or of all.
export function likeliest(model, name, signal) {
  const state = h("p", { class: "quiet small", role: "status" });
  const found = h("div");
  const find = (label, parameters) => button(label, async () => {
    state.textContent = "Asking the model…";
    try {
      const { facts, questions, possible } = await api.missing(parameters, signal);
      state.textContent = `${count(questions, "question")} of ${possible} asked.`;
      found.replaceChildren(...(facts.length > 0 ? [table(model, facts)] : []));
    } catch (problem) {
      if (!signal.aborted) state.textContent = problem.message;
    }
  });
  return h("section", { class: "likeliest" }, h("h3", {}, "May be missing"),
    h("div", { class: "row" }, find(`Facts of ${name}`, { relation: name }), find("Facts of any relation", {})), state, found);
}

function table(model, facts) {
  const measure = barOf(facts);
  return scrolling("Facts that may be missing", h("table", {}, h("tbody", {}, facts.map((f) => h("tr", { class: f.status },
    h("td", {}, entity(f.head), " ", relation(f.relation), " ", entity(f.tail), f.status === "confirmed" && [" ", badge(f.status)]),
    h("td", { class: "bars" }, bar(measure(f))), h("td", {}, review(model, [f.head.name, f.relation, f.tail.name])))))));
}
