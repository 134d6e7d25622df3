// Places the nodes and links of a drawing by dagre (dagre.js, its licence beside it), and writes their paths.
import { Graph, layout } from "./dagre.js";

// narrow is the screen of a phone.
export const narrow = matchMedia("(max-width: 34rem)");

// short cuts a text between words if it can: the visible text of a name is part of its accessible name.
export function short(text, n) {
  if (text.length <= n) return text;
  const cut = text.slice(0, n - 1);
  return `${text[n - 1] === " " ? cut : cut.replace(/(\S)\s+\S*$/, "$1")}…`;
}

// shortPath keeps the end of a path such as /film/film/genre, which says more than its beginning.
export const shortPath = (text, n) => (text.length > n ? `…${text.slice(text.length - n + 1)}` : text);

const margin = 12;

// place sets x and y of nodes, which have an id, wide and high, and of links, which lead from node a to node b and have a
// text. The text of a link is a node of the layout right behind a, so that no text lies over another; parts are the points of
// its path before and behind the text. It returns the width and height of all.
export function place(nodes, links, upright) {
  const graph = new Graph({ multigraph: true });
  graph.setGraph({ rankdir: upright ? "TB" : "LR", ranksep: 24, nodesep: 14, edgesep: 8 });
  for (const n of nodes) graph.setNode(`node ${n.id}`, { width: n.wide, height: n.high });
  links.forEach((l, i) => {
    Object.assign(l, { wide: l.text.length * 7.6 + 8, high: 18 });
    graph.setNode(`text ${i}`, { width: l.wide, height: l.high });
    graph.setEdge(`node ${l.a.id}`, `text ${i}`, { weight: 4 });
    graph.setEdge(`text ${i}`, `node ${l.b.id}`, { weight: 1 });
  });
  layout(graph);

  const put = (x, { x: left, y: top }) => Object.assign(x, { x: left, y: top });
  for (const n of nodes) put(n, graph.node(`node ${n.id}`));
  links.forEach((l, i) => {
    put(l, graph.node(`text ${i}`));
    l.parts = [graph.edge(`node ${l.a.id}`, `text ${i}`).points, graph.edge(`text ${i}`, `node ${l.b.id}`).points];
  });
  return trim([...nodes, ...links], links.flatMap((l) => l.parts.flat()));
}

// keep moves nodes with given places there, and everything else down from under them. It returns the width and height of all.
export function keep(nodes, links, places) {
  const kept = nodes.filter((n) => places.has(n.id));
  for (const n of kept) shift(n, links, places.get(n.id).x - n.x, places.get(n.id).y - n.y);
  const placed = [...kept];
  for (const box of [...nodes, ...links].filter((b) => !kept.includes(b))) {
    while (placed.some((p) => Math.abs(p.x - box.x) < (p.wide + box.wide) / 2 && Math.abs(p.y - box.y) < (p.high + box.high) / 2)) box.y += 4;
    placed.push(box);
  }
  links.forEach(direct);
  return extent(placed, []);
}

// shift moves a node, and its links with it.
export function shift(node, links, dx, dy) {
  Object.assign(node, { x: node.x + dx, y: node.y + dy });
  for (const l of links.filter(({ a, b }) => a === node || b === node)) {
    Object.assign(l, { x: l.x + dx / 2, y: l.y + dy / 2 });
    direct(l);
  }
}

// trim moves boxes and points so that they begin at the margin, and returns how far they reach.
function trim(boxes, points) {
  const left = Math.min(...boxes.map((b) => b.x - b.wide / 2), ...points.map((p) => p.x)) - margin;
  const top = Math.min(...boxes.map((b) => b.y - b.high / 2), ...points.map((p) => p.y)) - margin;
  for (const x of [...boxes, ...points]) Object.assign(x, { x: x.x - left, y: x.y - top });
  return extent(boxes, points);
}

// extent is how far boxes and points reach, with the margin.
const extent = (boxes, points) => ({
  width: Math.max(...boxes.map((b) => b.x + b.wide / 2), ...points.map((p) => p.x)) + margin,
  height: Math.max(...boxes.map((b) => b.y + b.high / 2), ...points.map((p) => p.y)) + margin,
});

// direct leads a link straight from node to text to node, after one of them has moved.
function direct(link) {
  const { a, b } = link;
  link.parts = [[border(a, link), border(link, a)], [border(link, b), border(b, link)]];
}

// border is where the line from the centre of a box to that of another leaves it.
function border(box, { x, y }) {
  const dx = x - box.x, dy = y - box.y;
  const part = Math.min(1, box.wide / 2 / Math.abs(dx), box.high / 2 / Math.abs(dy));
  return { x: box.x + dx * part, y: box.y + dy * part };
}

// backwards are the parts of a path in the other direction.
export const backwards = (parts) => parts.toReversed().map((points) => points.toReversed());

// beside moves the parts of a path to their right.
export const beside = (parts, by) => parts.map((points) => points.map((p, i) => {
  const a = points[Math.max(0, i - 1)], b = points[Math.min(points.length - 1, i + 1)];
  const length = Math.hypot(b.x - a.x, b.y - a.y) || 1;
  return { x: p.x - ((b.y - a.y) / length) * by, y: p.y + ((b.x - a.x) / length) * by };
}));

// path is a smooth curve along the points of each part.
export const path = (parts) => parts.map(curve).join("");

function curve(points) {
  const text = ({ x, y }) => `${x.toFixed(1)} ${y.toFixed(1)}`;
  const last = points.length - 1;
  const curves = points.slice(1, last).map((p, i) => {
    const next = points[i + 2];
    return `Q${text(p)} ${text(i + 2 < last ? { x: (p.x + next.x) / 2, y: (p.y + next.y) / 2 } : next)}`;
  });
  return `M${text(points[0])}${curves.join("") || `L${text(points[last])}`}`;
}
