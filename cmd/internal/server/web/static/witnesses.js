// The graph of the witnesses: what the best answers rest on, as one drawing and in words.
import { h, scrolling, svg } from "./dom.js";
import { count } from "./numbers.js";
import { forwards, kind, written } from "./why.js";

const high = 30, apart = 46, gap = 130, edge = 12, few = 24;
const short = (text, n) => (text.length > n ? `${text.slice(0, n - 1)}…` : text);
// The end of a path such as /film/film/genre says more than its beginning.
const shortPath = (text, n) => (text.length > n ? `…${text.slice(text.length - n + 1)}` : text);

const lines = {
  observed: ["a link of the graph", ""],
  predicted: ["a link that the model predicts", "?"],
  absent: ["no such link, as the question asks", "✕"],
};

const roles = { answer: "an answer", value: "a value of a variable", constant: "named in the question" };

// gather returns the entities and the links of witnesses, each once; links of several witnesses
// are the same if their ends and relation are.
function gather(witnesses) {
  const nodes = new Map(), links = new Map();
  const node = (e, role) => {
    if (!nodes.has(e.id)) nodes.set(e.id, { ...e, role, near: [] });
    return nodes.get(e.id);
  };
  for (const w of witnesses) if (w.atoms) node(w.answer, "answer");
  for (const w of witnesses) {
    for (const v of w.values ?? []) node(v, "value");
    for (const atom of (w.atoms ?? []).map(forwards)) {
      const key = `${atom.head.id} ${atom.relation} ${atom.tail.id} ${atom.negated ?? ""}`;
      if (links.has(key)) continue;
      const [a, b] = [node(atom.head, "constant"), node(atom.tail, "constant")];
      links.set(key, { atom, a, b, kind: kind(atom) });
      a.near.push(b);
      b.near.push(a);
    }
  }
  return { nodes: [...nodes.values()], links: [...links.values()] };
}

// layout gives each entity a place: the answers are on the right, in their order, the values of
// variables in a column for each step from them, and what the question names on the left.
function layout(nodes) {
  const queue = nodes.filter((n) => n.role === "answer");
  for (const n of queue) n.depth = 0;
  for (let i = 0; i < queue.length; i++) {
    for (const next of queue[i].near) {
      if (next.depth !== undefined || next.role === "constant") continue;
      next.depth = queue[i].depth + 1;
      queue.push(next);
    }
  }
  const deepest = 1 + Math.max(0, ...queue.map((n) => n.depth));
  for (const n of nodes) n.depth ??= deepest; // values that only constants lead to stand beside these
  const columns = Array.from({ length: deepest + 1 }, (_, d) => nodes.filter((n) => n.depth === d));
  const tallest = Math.max(...columns.map((c) => c.length));
  columns.forEach((column, depth) => {
    const weight = (n) => {
      const known = n.near.filter((m) => m.depth < depth).map((m) => m.y);
      return known.reduce((a, b) => a + b, 0) / Math.max(1, known.length);
    };
    if (depth > 0) column.sort((a, b) => weight(a) - weight(b));
    column.forEach((n, i) => {
      n.y = 28 + (tallest / 2 + i - column.length / 2) * apart;
      n.text = short(n.label, depth > 0 ? 20 : 34);
      n.wide = Math.max(44, n.text.length * 8.5 + 20);
    });
  });
  const gaps = []; // the middle of the gap to the left of each column
  let width = edge;
  for (let depth = deepest; depth >= 0; depth--) {
    const wide = Math.max(44, ...columns[depth].map((n) => n.wide));
    for (const n of columns[depth]) n.x = width + wide / 2;
    if (depth > 0) gaps[depth - 1] = width + wide + gap / 2;
    width += wide + (depth > 0 ? gap : edge);
  }
  return { gaps, width, height: 10 + tallest * apart };
}

// route returns the points of a link: a curve from the side of one entity to that of another,
// lower for each further link between the same two.
function route({ a, b }, turn) {
  // Within a column a link goes round by the gap beside it.
  const flat = a.depth === b.depth;
  const [out, into] = flat ? (a.depth === 0 ? [-1, -1] : [1, 1]) : a.x < b.x ? [1, -1] : [-1, 1];
  const from = [a.x + (out * a.wide) / 2, a.y], to = [b.x + (into * b.wide) / 2, b.y];
  const reach = flat ? [60 * out, 60 * out] : [(to[0] - from[0]) / 2, (from[0] - to[0]) / 2];
  const lift = turn * 26;
  const points = [from, [from[0] + reach[0], from[1] + lift], [to[0] + reach[1], to[1] + lift], to];
  const at = (t) => [0, 1].map((i) => [(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t ** 3].reduce((sum, w, j) => sum + w * points[j][i], 0));
  return { path: `M${points[0]}C${points.slice(1).join(" ")}`, at };
}

// said is what a link says: its relation, and whether the question asks for it.
const said = ({ atom }) => `${atom.negated ? "not " : ""}${shortPath(atom.relation, 26)}`;

// right is the column on the right of the gap where the name of a link stands.
const right = ({ a, b }, gaps) => Math.min(a.depth, b.depth, gaps.length - 1);

// headings are above the gaps between columns: the relations of the links that end there.
function headings(links, gaps) {
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
function drawLinks(links, several) {
  const turns = new Map(); // how many links there are between two entities so far
  return links.map((link) => {
    const pair = [link.a.id, link.b.id].sort().join(" ");
    const turn = turns.get(pair) ?? 0;
    turns.set(pair, turn + 1);
    const { path, at } = route(link, turn);
    // Signs stand near the answers, where the links are apart.
    const [x, y] = at(link.a.depth > link.b.depth ? 0.7 : link.a.depth < link.b.depth ? 0.3 : 0.5);
    const name = link.kind !== "absent" && links.length <= few && several(link) ? said(link) : "";
    const text = `${link.atom.relation}(${link.atom.head.label}, ${link.atom.tail.label}): ${lines[link.kind][0]}`;
    return svg("g", { class: `link ${link.kind}` }, svg("title", {}, text),
      svg("path", { d: path, "marker-end": link.kind === "absent" ? null : `url(#witness-${link.kind})` }),
      svg("text", { x, y: y + (name ? -4 : 5), "text-anchor": "middle" }, `${name} ${lines[link.kind][1]}`.trim()));
  });
}

const drawNode = (n) => svg("g", { class: `entity ${n.role}`, role: "button", tabindex: 0, "data-entity": n.id, "aria-label": `${n.label}, ${roles[n.role]}` },
  svg("title", {}, n.name), svg("rect", { x: n.x - n.wide / 2, y: n.y - high / 2, width: n.wide, height: high, rx: n.role === "constant" ? 4 : high / 2 }),
  n.role === "answer" && svg("rect", { x: n.x - n.wide / 2 - 3, y: n.y - high / 2 - 3, width: n.wide + 6, height: high + 6, rx: high / 2 + 3, class: "outer" }),
  svg("text", { x: n.x, y: n.y + 5, "text-anchor": "middle" }, n.text));

const sample = (name) => svg("svg", { viewBox: "0 0 60 12", class: `sample link ${name}`, "aria-hidden": "true" },
  svg("path", { d: "M2 6H56", "marker-end": name === "absent" ? null : `url(#witness-${name})` }), svg("text", { x: 26, y: 10, "text-anchor": "middle" }, lines[name][1]));

// draw returns the drawing of witnesses, what its lines mean, and its links in words.
export function draw(witnesses) {
  const { nodes, links } = gather(witnesses);
  if (links.length === 0) return [h("p", { class: "quiet" }, "There are no witnesses: no values of the variables make an answer true.")];
  const { gaps, width, height } = layout(nodes);
  const above = headings(links, gaps);
  const present = Object.keys(lines).filter((k) => links.some((l) => l.kind === k));
  const markers = Object.keys(lines).map((k) => svg("marker", { id: `witness-${k}`, viewBox: "0 0 10 10", refX: 9, refY: 5, markerWidth: 10, markerHeight: 10, orient: "auto", markerUnits: "userSpaceOnUse" },
    svg("path", { d: "M1 1L9 5L1 9Z", class: k })));
  const absent = links.filter((l) => l.kind === "absent").length;
  const summary = `${count(nodes.length, "entity", "entities")}, ${count(links.length - absent, "link")}${absent > 0 ? `, ${absent} absent` : ""}`;
  return [
    scrolling("Graph of the witnesses", svg("svg", { viewBox: `0 ${-above.high} ${width} ${height + above.high}`, width, height: height + above.high, role: "group", "aria-label": summary, class: "witnesses" },
      svg("defs", {}, markers), drawLinks(links, above.several), nodes.map(drawNode),
      svg("g", { transform: `translate(0 ${-above.high})` }, above.texts))),
    h("ul", { class: "lines" }, present.map((k) => h("li", {}, sample(k), `${k}: ${lines[k][0]}`))),
    h("details", {}, h("summary", {}, `The ${summary} in words`),
      h("ul", { class: "why" }, links.map((l) => h("li", {}, h("span", { class: `link ${l.kind}` }, l.kind), " ", written(l.atom))))),
  ];
}
