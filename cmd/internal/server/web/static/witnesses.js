// The graph of the witnesses: what the best answers rest on, as one drawing and in words.
import { h, scrolling, svg } from "./dom.js";
import { count } from "./numbers.js";
import { columnsOf, inColumns, inRows, shortPath } from "./layout.js";
import { forwards, kind, written } from "./why.js";

const few = 24;

const lines = {
  observed: ["a link of the graph", ""],
  predicted: ["a link that the model predicts", "?"],
  absent: ["no such link, as the question asks", "✕"],
};

const roles = { answer: "an answer", value: "a value of a variable", constant: "named in the question", neighbour: "a neighbour" };

// gather returns the entities and the links of witnesses, each once; links of several witnesses
// are the same if their ends and relation are. Values have a role.
function gather(witnesses, role) {
  const nodes = new Map(), links = new Map();
  const node = (e, as) => {
    if (!nodes.has(e.id)) nodes.set(e.id, { ...e, role: as, near: [], links: [] });
    return nodes.get(e.id);
  };
  for (const w of witnesses) if (w.atoms) node(w.answer, "answer");
  for (const w of witnesses) {
    for (const v of w.values ?? []) node(v, role);
    for (const atom of (w.atoms ?? []).map(forwards)) {
      const key = `${atom.head.id} ${atom.relation} ${atom.tail.id} ${atom.negated ?? ""}`;
      if (links.has(key)) continue;
      const [a, b] = [node(atom.head, "constant"), node(atom.tail, "constant")];
      const link = { atom, a, b, kind: kind(atom) };
      links.set(key, link);
      a.near.push(b);
      b.near.push(a);
      a.links.push(link);
      b.links.push(link);
    }
  }
  return { nodes: [...nodes.values()], links: [...links.values()] };
}

// said is what a link says: its relation, and whether the question asks for it.
const said = ({ atom }) => `${atom.negated ? "not " : ""}${shortPath(atom.relation, 26)}`;

// right is the column on the right of the gap where the name of a link stands.
const right = ({ a, b }, gaps) => Math.min(a.depth, b.depth, gaps.length - 1);

// headings are above the gaps between columns: the relations of the links that end there. Rows have none.
function headings(links, gaps) {
  if (!gaps) return { texts: [], high: 0, several: () => false };
  const found = new Map(); // what links say, by the column on their right
  for (const l of links) {
    const depth = right(l, gaps);
    found.set(depth, new Set([...(found.get(depth) ?? []), said(l)]));
  }
  const texts = [...found].flatMap(([depth, names]) => [...names].map((name, i) =>
    svg("text", { x: gaps[depth], y: 16 * (i + 1) - 2, "text-anchor": "middle", class: "heading" }, name)));
  return { texts, high: 16 * Math.max(...[...found.values()].map((names) => names.size)), several: (link) => found.get(right(link, gaps)).size > 1 };
}

// drawLinks draws the links, with their signs, and their names where they are few of several kinds.
function drawLinks(links, route, several) {
  const turns = new Map(); // how many links there are between two entities so far
  return links.map((link) => {
    const pair = [link.a.id, link.b.id].sort().join(" ");
    const turn = turns.get(pair) ?? 0;
    turns.set(pair, turn + 1);
    const { path, at, sign } = route(link, turn);
    // Signs stand where the links are apart: near the answers, or in rows near the lower end.
    const [x, y] = at(sign ?? (link.a.depth > link.b.depth ? 0.7 : link.a.depth < link.b.depth ? 0.3 : 0.5));
    const name = link.kind !== "absent" && links.length <= few && several(link) ? said(link) : "";
    const text = `${link.atom.relation}(${link.atom.head.label}, ${link.atom.tail.label}): ${lines[link.kind][0]}`;
    return svg("g", { class: `link ${link.kind}` }, svg("title", {}, text),
      svg("path", { d: path, "marker-end": link.kind === "absent" ? null : `url(#witness-${link.kind})` }),
      svg("text", { x, y: y + (name ? -4 : 5), "text-anchor": "middle" }, `${name} ${lines[link.kind][1]}`.trim()));
  });
}

// drawNode draws an entity, which opens its drawer, or adds its neighbours.
const drawNode = (n) => svg("g", { class: `entity ${n.role}`, role: "button", tabindex: 0, [n.expands ? "data-expand" : "data-entity"]: n.name,
  "aria-label": `${n.label}, ${roles[n.role]}${n.expands ? ": add its neighbours" : ""}` },
  svg("title", {}, n.name), svg("rect", { x: n.x - n.wide / 2, y: n.y - n.high / 2, width: n.wide, height: n.high, rx: n.role === "constant" ? 4 : n.high / 2 }),
  n.role === "answer" && svg("rect", { x: n.x - n.wide / 2 - 3, y: n.y - n.high / 2 - 3, width: n.wide + 6, height: n.high + 6, rx: n.high / 2 + 3, class: "outer" }),
  svg("text", { x: n.x, y: n.y + (n.caption ? -2 : 5), "text-anchor": "middle" }, n.text));

const drawCaption = (n) => n.caption && svg("text", { x: n.x, y: n.y + 13, "text-anchor": "middle", class: "caption" }, n.caption);

const sample = (name) => svg("svg", { viewBox: "0 0 60 12", class: `sample link ${name}`, "aria-hidden": "true" },
  svg("path", { d: "M2 6H56", "marker-end": name === "absent" ? null : `url(#witness-${name})` }), svg("text", { x: 26, y: 10, "text-anchor": "middle" }, lines[name][1]));

// draw returns the drawing of witnesses, what its lines mean, and its links in words. It is in rows
// where columns are wider than the room, and for neighbours, with the entity that they are of above.
export function draw(witnesses, room, role = "value") {
  const { nodes, links } = gather(witnesses, role);
  if (links.length === 0) return [h("p", { class: "quiet" }, "There are no links to draw.")];
  const columns = columnsOf(nodes), near = role === "neighbour";
  let plan = inColumns(columns);
  if (near || plan.width > room) plan = inRows(near ? columns : columns.toReversed(), room, said);
  const { gaps, width, height, route } = plan, above = headings(links, gaps);
  const present = Object.keys(lines).filter((k) => links.some((l) => l.kind === k));
  const markers = Object.keys(lines).map((k) => svg("marker", { id: `witness-${k}`, viewBox: "0 0 10 10", refX: 9, refY: 5, markerWidth: 10, markerHeight: 10, orient: "auto", markerUnits: "userSpaceOnUse" },
    svg("path", { d: "M1 1L9 5L1 9Z", class: k })));
  const absent = links.filter((l) => l.kind === "absent").length;
  const summary = `${count(nodes.length, "entity", "entities")}, ${count(links.length - absent, "link")}${absent > 0 ? `, ${absent} absent` : ""}`;
  return [
    scrolling("Graph of the witnesses", svg("svg", { viewBox: `0 ${-above.high} ${width} ${height + above.high}`, width, height: height + above.high, role: "group", "aria-label": summary, class: "witnesses" },
      svg("defs", {}, markers), drawLinks(links, route, above.several), nodes.map(drawNode), nodes.map(drawCaption),
      svg("g", { transform: `translate(0 ${-above.high})` }, above.texts))),
    h("ul", { class: "lines" }, present.map((k) => h("li", {}, sample(k), `${k}: ${lines[k][0]}`))),
    h("details", {}, h("summary", {}, `The ${summary} in words`),
      h("ul", { class: "why" }, links.map((l) => h("li", {}, h("span", { class: `link ${l.kind}` }, l.kind), " ", written(l.atom))))),
  ];
}
