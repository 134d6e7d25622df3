// The graph of witnesses: what answers rest on, as a drawing that grows, and in words.
import * as api from "./api.js";
import { button, h, svg } from "./dom.js";
import { count } from "./numbers.js";
import { keep, narrow, path, place, shift, short, shortPath } from "./diagram.js";
import { kinds } from "./kinds.js";
import { stage } from "./stage.js";
import { raw } from "./syntax.js";
import { forwards, kind } from "./atoms.js";
import { written } from "./why.js";

const each = 3, most = 10; // facts of a relation, of an entity that is added

const lines = {
  observed: ["a link of the graph", ""],
  predicted: ["a link that the model predicts", " ?"],
  absent: ["no such link, as the question asks", " ✕"],
};

const roles = { answer: "an answer", value: "a value of a variable", constant: "named in the question", neighbour: "a neighbour" };

// known are some facts of an entity as atoms of a witness, of each relation before more of any.
export function known(e) {
  const rounds = Array.from({ length: each }, (_, i) => e.links.flatMap((l) => (l.entities[i] ? [link(e, raw(l), l.entities[i], true)] : [])));
  return rounds.flat().slice(0, most);
}

// link is an atom of a witness.
export const link = (head, relation, tail, observed) => ({ relation, head, tail, observed });

// gather returns the entities and the links of witnesses and of facts that were added, each once.
function gather(witnesses, facts) {
  const nodes = new Map(), links = new Map();
  const node = (e, role) => {
    const text = short(e.label, 26);
    if (!nodes.has(e.id)) nodes.set(e.id, { ...e, role, shown: text, wide: Math.max(44, text.length * 8.5 + 20), high: 30 });
    return nodes.get(e.id);
  };
  const add = (atom, role) => {
    const { head, relation, tail, ...how } = forwards(atom);
    const key = `${head.id} ${relation} ${tail.id} ${how.negated ?? ""}`;
    if (links.has(key)) return;
    const is = kind(atom);
    links.set(key, { atom, relation, a: node(head, role), b: node(tail, role), kind: is, text: `${how.negated ? "not " : ""}${shortPath(relation, 26)}${lines[is][1]}` });
  };
  for (const w of witnesses) node(w.answer, "answer");
  for (const w of witnesses) {
    for (const v of w.values ?? []) node(v, "value");
    for (const atom of w.atoms) add(atom, "constant");
  }
  for (const atom of facts) add(atom, "neighbour");
  return { nodes: [...nodes.values()], links: [...links.values()] };
}

function drawLink(l) {
  const { head, relation, tail } = forwards(l.atom);
  const line = svg("path", { "marker-end": l.kind === "absent" ? null : `url(#witness-${l.kind})` }), name = svg("text", { "text-anchor": "middle" }, l.text);
  l.redraw = () => {
    line.setAttribute("d", path(l.parts));
    name.setAttribute("x", l.x);
    name.setAttribute("y", l.y + 5);
  };
  l.redraw();
  return svg("g", { class: `link ${l.kind}` }, svg("title", {}, `${relation}(${head.label}, ${tail.label}): ${lines[l.kind][0]}`), line, name);
}

// drawNode draws an entity, which adds its facts to the drawing, and opens its drawer once they are there.
function drawNode(n, expanded) {
  const expands = !expanded.has(n.name);
  n.group = svg("g", { class: `entity ${n.role}`, role: "button", tabindex: 0, "data-node": n.id, [expands ? "data-expand" : "data-entity"]: n.name,
    "aria-label": `${n.label}, ${roles[n.role]}${expands ? ": add its facts" : ""}`, transform: `translate(${n.x} ${n.y})` },
    svg("title", {}, n.name), svg("rect", { x: -n.wide / 2, y: -n.high / 2, width: n.wide, height: n.high, rx: n.role === "constant" ? 4 : n.high / 2 }),
    n.role === "answer" && svg("rect", { x: -n.wide / 2 - 3, y: -n.high / 2 - 3, width: n.wide + 6, height: n.high + 6, rx: n.high / 2 + 3, class: "outer" }),
    svg("text", { y: 5, "text-anchor": "middle" }, n.shown));
  return n.group;
}

const marker = (name) => svg("marker", { id: `witness-${name}`, viewBox: "0 0 10 10", refX: 9, refY: 5, markerWidth: 10, markerHeight: 10, orient: "auto", markerUnits: "userSpaceOnUse" },
  svg("path", { d: "M1 1L9 5L1 9Z", class: name }));

const sample = (name) => svg("svg", { viewBox: "0 0 60 12", class: `sample link ${name}`, "aria-hidden": "true" },
  svg("path", { d: "M2 6H56", "marker-end": name === "absent" ? null : `url(#witness-${name})` }), svg("text", { x: 26, y: 10, "text-anchor": "middle" }, lines[name][1]));

// sketch lays a graph out from left to right, or downwards where that is too wide for the room; the entity that was seen last is to be
// in view, and those that were dragged stay where they are. It returns what a stage shows.
function sketch({ nodes, links, label, dragged }, room, expanded, seen, key) {
  const focus = document.activeElement?.dataset?.node;
  let size = place(nodes, links, false);
  if (size.width > room) {
    const downwards = place(nodes, links, true);
    size = downwards.width < size.width ? downwards : place(nodes, links, false);
  }
  if (dragged.size > 0) size = keep(nodes, links, dragged);
  const contents = [svg("defs", {}, Object.keys(lines).map(marker)), links.map(drawLink), nodes.map((n) => drawNode(n, expanded))];
  kinds({ nodes, links }, key);
  if (focus) requestAnimationFrame(() => nodes.find((n) => String(n.id) === focus)?.group.focus());
  const { x, y } = nodes.find((n) => n.id === seen) ?? nodes[0];
  return { label, ...size, contents, x, y };
}

// move moves an entity by its group.
function move({ nodes, links, dragged }, group, dx, dy) {
  const n = nodes.find((node) => node.group === group);
  shift(n, links, dx, dy);
  dragged.set(n.id, { x: n.x, y: n.y });
  group.setAttribute("transform", `translate(${n.x} ${n.y})`);
  for (const l of links) l.redraw();
}

// drawing draws witnesses: all of them, or one at a time as the reader chooses, on a phone always. Expanded are names of
// entities whose facts are there. add adds facts.
export function drawing(found, expanded = new Set()) {
  const witnesses = found.filter((w) => w.atoms); // the search for a witness may find none
  if (witnesses.length === 0) return { element: h("p", { class: "quiet" }, "There are no links to draw."), add: () => {} };
  const facts = [], state = h("p", { class: "quiet small", role: "status" });
  const key = h("ul", { class: "lines" }), summary = h("summary"), words = h("ul", { class: "why" });
  const dragged = new Map(); // places by id
  let one = narrow.matches ? 0 : -1, seen = null, graph;

  const choices = h("div", { class: "row", role: "group", "aria-label": "Draw" });
  const choose = (i) => {
    one = i;
    seen = null;
    facts.length = 0;
    expanded.clear();
    dragged.clear();
    render();
  };
  const render = () => {
    const shown = one < 0 ? witnesses : witnesses.slice(one, one + 1);
    const choice = (label, i) => button(h("bdi", {}, label), () => choose(i), { class: "small", "aria-pressed": String(i === one) });
    choices.replaceChildren(...(narrow.matches ? [] : [choice("All", -1)]), ...witnesses.map((w, i) => choice(w.title ?? w.answer.label, i)));
    choices.hidden = witnesses.length < 2;

    graph = { ...gather(shown, facts), dragged };
    const { nodes, links } = graph, present = Object.keys(lines).filter((k) => links.some((l) => l.kind === k));
    key.replaceChildren(...present.map((k) => h("li", {}, sample(k), `${k}: ${lines[k][0]}`)));
    const absent = links.filter((l) => l.kind === "absent").length;
    graph.label = `${count(nodes.length, "entity", "entities")}, ${count(links.length - absent, "link")}${absent > 0 ? `, ${absent} absent` : ""}`;
    summary.textContent = `The ${graph.label} in words`;
    words.replaceChildren(...links.map((l) => h("li", {}, h("span", { class: `link ${l.kind}` }, l.kind), " ", written(l.atom))));
    board.show();
  };
  const board = stage((room) => sketch(graph, room, expanded, seen, key), (group, dx, dy) => move(graph, group, dx, dy));
  const add = (atoms) => {
    facts.push(...atoms);
    render();
  };

  const grow = async (event) => {
    const name = event.target.closest("[data-expand]")?.dataset.expand;
    if (name === undefined || (event.type === "keydown" && event.key !== "Enter" && event.key !== " ")) return;
    event.preventDefault();
    event.stopPropagation();
    try {
      const found = await api.entity(name, { k: each });
      expanded.add(found.name);
      seen = found.id;
      add(known(found));
    } catch (problem) {
      state.textContent = problem.message;
    }
  };
  board.box.addEventListener("click", grow);
  board.box.addEventListener("keydown", grow);
  render();
  return { element: h("div", { class: "drawing" }, choices, board.box, state, key, h("details", {}, summary, words)), add };
}
