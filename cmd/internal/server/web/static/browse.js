// What is known of an entity or a relation, beside the page: names anywhere open it.
import * as api from "./api.js";
import * as editor from "./editor.js";
import { $, button, entity, h, relation } from "./dom.js";
import { count } from "./numbers.js";

const dialog = $("browse");
let trail = []; // what was looked at, the last one at the end
let ask = null; // asks a question

// start makes names open what is known of them; asked is called with a question to ask.
export function start(asked) {
  ask = asked;
  document.addEventListener("click", (event) => open(event.target.closest("[data-entity], [data-relation]"), event));
  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter" || event.key === " ") open(event.target.closest("svg [data-entity]"), event);
  });
  $("browse-close").addEventListener("click", () => dialog.close());
  $("browse-back").addEventListener("click", () => {
    trail.pop();
    show();
  });
  dialog.addEventListener("close", () => (trail = []));
  // A click beside it closes it.
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
}

function open(name, event) {
  if (!name) return;
  event.preventDefault();
  look(name.dataset.entity !== undefined ? { entity: name.dataset.entity } : { relation: name.dataset.relation });
}

// look shows an entity, by its id, or a relation, by its name.
export function look(at) {
  trail.push(at);
  if (!dialog.open) dialog.showModal();
  show();
}

async function show() {
  const at = trail.at(-1);
  $("browse-back").hidden = trail.length < 2;
  $("browse-state").textContent = "…";
  try {
    const found = at.entity !== undefined ? await api.entity(at.entity) : await api.relation(at.relation);
    if (at !== trail.at(-1)) return;
    $("browse-title").replaceChildren(h("bdi", {}, found.label));
    $("browse-what").replaceChildren(...(at.entity !== undefined ? facts(found) : samples(found)));
    $("browse-state").textContent = "";
  } catch (problem) {
    if (at !== trail.at(-1)) return;
    $("browse-title").textContent = "Not found";
    $("browse-what").replaceChildren();
    $("browse-state").textContent = problem.message;
  }
  dialog.scrollTop = 0;
  $("browse-title").focus();
}

const quoted = (name) => JSON.stringify(name);

// asking asks a question in place of that of the page.
const asking = (formula, label) => button("Ask", () => {
  dialog.close();
  ask(formula);
}, { class: "small", "aria-label": label, title: formula });

const inserting = (text) => button("Put into the question", () => {
  dialog.close();
  editor.insert(text);
}, { class: "small" });

// facts are those of an entity by relation, with its neighbours.
function facts(e) {
  return [
    h("p", { class: "quiet small" }, "Entity ", e.name !== e.label && h("bdi", {}, e.name), " with ", count(e.facts, "fact")),
    h("p", {}, inserting(quoted(e.text))),
    e.links.map((l) => h("section", { class: "links" },
      h("h3", {}, relation(l.name, l.relation), h("span", { class: "quiet small" }, ` ${count(l.count, "entity", "entities")} `),
        asking(`${l.relation}(${quoted(e.text)}, y)`, `Ask for ${l.relation} of ${e.label}`)),
      h("ul", { class: "names" }, l.entities.map((x) => h("li", {}, entity(x))),
        l.count > l.entities.length && h("li", { class: "quiet small" }, `and ${count(l.count - l.entities.length, "other")}`)))),
  ].flat();
}

// samples are facts of a relation.
function samples(r) {
  return [
    h("p", { class: "quiet small" }, "Relation ", r.name !== r.label && h("bdi", {}, r.name),
      ` with ${count(r.facts, "fact")} from ${count(r.heads, "entity", "entities")} to ${count(r.tails, "entity", "entities")}`),
    h("h3", {}, "For example"),
    h("ul", { class: "facts" }, r.examples.map((f) => h("li", {}, entity(f.head), h("span", { "aria-label": "to" }, " → "), entity(f.tail), " ",
      asking(`${written(r)}(${quoted(f.head.name)}, y)`, `Ask for ${r.label} of ${f.head.label}`)))),
  ];
}

const written = (r) => (/^[\p{L}_][\p{L}\p{N}_]*$/u.test(r.text) ? r.text : quoted(r.text));
