// Colours the entities of a drawing by their types.
import * as api from "./api.js";
import { h } from "./dom.js";

const colours = 8, together = 4; // requests
const types = new Map(); // the type of an entity by its name, or null
let model = null;

// use sets the model that answers.
export const use = (m) => (model = m);

// fetchTypes asks for the types of entities by the type relation of the model.
async function fetchTypes(nodes) {
  const unknown = nodes.filter((n) => !types.has(n.name));
  for (let i = 0; i < unknown.length; i += together) {
    const some = unknown.slice(i, i + together);
    const found = await Promise.all(some.map((n) => api.entity(n.name, { relation: model.type_relation, k: 1 })));
    some.forEach((n, j) => types.set(n.name, found[j].links[0]?.entities[0].label ?? null));
  }
}

// sorts are classes of entities where a graph names no types: ends of relations belong together if an entity of the drawing is
// at both. It returns the class of an entity by its id, named by one of its ends.
function sorts(links) {
  const over = new Map(), at = new Map();
  const root = (end) => (over.has(end) ? root(over.get(end)) : end);
  const join = (id, end) => {
    const [a, b] = [root(at.get(id) ?? end), root(end)];
    if (a !== b) over.set(b, a);
    at.set(id, a);
  };
  for (const { a, b, relation } of links) {
    join(a.id, `${relation}(x, …)`);
    join(b.id, `${relation}(…, x)`);
  }
  return new Map([...at].map(([id, end]) => [id, root(end)]));
}

// kinds colours the groups of the nodes of a graph, and adds what the colours mean to a list.
export async function kinds({ nodes, links }, list) {
  const named = model?.type_relation;
  if (named) await fetchTypes(nodes).catch(() => {}); // without types the drawing has no colours
  const sort = named ? new Map(nodes.map((n) => [n.id, types.get(n.name)])) : sorts(links);
  const names = [...new Set(nodes.map((n) => sort.get(n.id)))].filter(Boolean);
  const colour = (name) => `kind-${names.indexOf(name) % colours}`;
  for (const n of nodes) if (sort.get(n.id)) n.group.classList.add("kind", colour(sort.get(n.id)));
  list.querySelectorAll(".kind").forEach((x) => x.remove());
  list.append(...names.map((name) => h("li", { class: "kind" }, h("i", { class: `swatch ${colour(name)}`, "aria-hidden": "true" }), h("bdi", {}, name))));
}
