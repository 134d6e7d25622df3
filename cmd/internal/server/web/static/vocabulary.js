// The relations of the model, each with an example.
import * as api from "./api.js";
import { $, h, entity, relation } from "./dom.js";
import { count } from "./numbers.js";

let next = 0, request = null, timer = 0;

// start lists relations once the list is opened, and again for what is typed above it.
export function start() {
  $("vocabulary").addEventListener("toggle", () => $("vocabulary").open && $("relations").children.length === 0 && load(0));
  $("relation").addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => load(0), 150);
  });
  $("relations-more").addEventListener("click", () => load(next));
}

async function load(offset) {
  request?.abort();
  request = new AbortController();
  try {
    const found = await api.relations($("relation").value.trim(), offset, request.signal);
    next = found.next ?? 0;
    const rows = found.relations.map((r) => h("li", {},
      h("div", {}, relation(r.name, r.text), h("span", { class: "quiet small" }, ` ${count(r.facts, "fact")}`)),
      r.examples.map((f) => h("div", { class: "small" }, entity(f.head), " → ", entity(f.tail)))));
    if (offset > 0) $("relations").append(...rows);
    else $("relations").replaceChildren(...rows);
    $("relations-more").hidden = next === 0;
    $("relations-state").textContent = rows.length === 0 ? "No relation has such a name." : "";
  } catch (problem) {
    if (problem.name !== "AbortError") $("relations-state").textContent = problem.message;
  }
}
