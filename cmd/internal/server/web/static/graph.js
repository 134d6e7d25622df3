// Draws the query graph: constants at the start, the variable asked for at the end.
import { svg } from "./dom.js";

const radius = 25, high = 36;
const short = (text, n) => (text.length > n ? `${text.slice(0, n - 1)}…` : text);
// The end of a path such as /film/film/genre says more than its beginning.
const shortPath = (text, n) => (text.length > n ? `…${text.slice(text.length - n + 1)}` : text);
const unquote = (text) => text.replace(/^["'`](.*)["'`]$/s, "$1");

// layout gives each term of a disjunct a place: one column for each step from the
// free variable. upright turns columns into rows, for narrow screens.
function layout(disjunct, upright) {
  const near = new Map(disjunct.terms.map((t) => [t.id, []]));
  for (const e of disjunct.edges) {
    near.get(e.head).push(e.tail);
    near.get(e.tail).push(e.head);
  }
  const far = new Map([[disjunct.terms[0].id, 0]]); // the free variable comes first
  for (const queue = [...far.keys()]; queue.length > 0; ) {
    const id = queue.shift();
    for (const next of near.get(id)) {
      if (!far.has(next)) {
        far.set(next, far.get(id) + 1);
        queue.push(next);
      }
    }
  }
  const deepest = Math.max(...far.values());
  const columns = Array.from({ length: deepest + 1 }, () => []);
  for (const t of disjunct.terms) columns[far.get(t.id) ?? deepest].push(t);
  const widest = Math.max(...columns.map((c) => c.length));
  const [margin, step, border, apart] = upright ? [140, 125, 190, 165] : [190, 225, 120, 105];
  const length = margin + deepest * step, breadth = border + (widest - 1) * apart;
  const places = new Map();
  columns.forEach((column, depth) => {
    // Terms are in the order of their neighbours closer to the end.
    const weight = (t) => {
      const known = near.get(t.id).map((id) => places.get(id)?.rank).filter((r) => r !== undefined);
      return known.length ? known.reduce((a, b) => a + b) / known.length : 0;
    };
    column.sort((a, b) => weight(a) - weight(b)).forEach((term, i) => {
      const rank = i - (column.length - 1) / 2;
      const along = length / 2 + (deepest / 2 - depth) * step;
      const across = breadth / 2 + rank * apart;
      const label = term.kind === "constant" ? short(unquote(term.name), 20) : short(term.name, 6);
      const wide = term.kind === "constant" ? Math.max(60, label.length * 8.2 + 24) : 2 * radius;
      places.set(term.id, { term, depth, rank, label, wide, x: upright ? across : along, y: upright ? along : across });
    });
  });
  return { places, width: upright ? breadth : length, height: upright ? length : breadth };
}

// within reports whether a point lies in a node, with some room around it.
function within(node, [x, y], room) {
  const dx = Math.abs(x - node.x), dy = Math.abs(y - node.y);
  if (node.term.kind === "constant") return dx < node.wide / 2 + room && dy < high / 2 + room;
  return Math.hypot(dx, dy) < radius + (node.term.kind === "free" ? 5 : 0) + room;
}

// curve returns the points of an edge from a to b that bends to the side by bend,
// without what lies in the nodes.
function curve(a, b, bend) {
  const dx = b.x - a.x, dy = b.y - a.y, length = Math.hypot(dx, dy) || 1;
  const at = (t) => {
    const turn = 2 * Math.PI * t;
    if (a === b) return [a.x + Math.sin(turn) * 26, a.y - radius - 24 - Math.abs(bend) + Math.cos(turn) * 30];
    const lift = (4 * t * (1 - t) * bend) / length;
    return [a.x + dx * t - dy * lift, a.y + dy * t + dx * lift];
  };
  return Array.from({ length: 61 }, (_, i) => at(i / 60)).filter((p) => !within(a, p, 3) && !within(b, p, 5));
}

const path = (points) => points.map(([x, y], i) => `${i ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");

// bends says how far each edge bends, so that those between the same two terms lie
// side by side and those in a column go around it. It is the same whichever way an
// edge points.
function bends(disjunct, places) {
  const groups = new Map();
  for (const e of disjunct.edges) {
    const pair = [e.head, e.tail].sort().join(" ");
    groups.set(pair, [...(groups.get(pair) ?? []), e]);
  }
  const bend = new Map();
  for (const [pair, edges] of groups) {
    const [first] = pair.split(" ");
    const a = places.get(edges[0].head), b = places.get(edges[0].tail);
    const around = edges.length === 1 && Math.abs(a.rank - b.rank) > 1.5 && (a.x === b.x || a.y === b.y) ? 50 : 0;
    edges.forEach((e, i) => {
      const side = around + (i - (edges.length - 1) / 2) * 44;
      bend.set(e, e.head === first ? side : -side);
    });
  }
  return bend;
}

const marker = (id, kind) => svg("marker", { id, viewBox: "0 0 10 10", refX: 8, refY: 5, markerWidth: 11, markerHeight: 11, orient: "auto", markerUnits: "userSpaceOnUse" },
  svg("path", { d: "M0 0L10 5L0 10Z", class: kind }));

// draw returns the drawing of a disjunct. layer is what a layer sends, or null for
// the graph alone; choose is called with a variable that is clicked.
export function draw(disjunct, index, layer, chosen, upright, choose) {
  const { places, width, height } = layout(disjunct, upright);
  const bend = bends(disjunct, places);
  const name = (kind) => `arrow-${index}-${kind}`;
  const defs = svg("defs", {}, ["plain", "negated", "sent", "shared", "pruned", "dead"].map((kind) => marker(name(kind), kind)));
  const lines = [], labels = [];
  disjunct.edges.forEach((e, i) => {
    const a = places.get(e.head), b = places.get(e.tail);
    const points = curve(a, b, bend.get(e));
    const kind = e.negated || e.unequal ? "negated" : "plain";
    lines.push(svg("path", { d: path(points), class: `edge ${kind} ${layer ? "faint" : ""}`, "marker-end": layer || e.unequal ? null : `url(#${name(kind)})` }));
    for (const m of layer?.messages.filter((m) => m.edge === i) ?? []) {
      // Each message lies beside its edge, on its own side.
      const way = curve(a, b, bend.get(e) + (m.backward ? -9 : 9));
      if (m.backward) way.reverse();
      lines.push(svg("path", { d: path(way), class: `message ${m.state}`, "marker-end": `url(#${name(m.state)})` }));
    }
    // Edges that meet in a term start apart: there is room for names at their starts.
    const early = upright && disjunct.edges.length > 1 ? 0.36 : 0.45;
    const from = b.depth > a.depth ? 1 - early : a.depth > b.depth ? early : 0.5;
    const [x, y] = points[Math.floor(points.length * from)] ?? [a.x, a.y];
    labels.push(svg("text", { x, y: y - (upright ? -4 : 9), "text-anchor": "middle", class: `relation ${kind}` },
      svg("title", {}, e.atom), e.unequal ? "≠" : (e.negated ? "not " : "") + shortPath(unquote(e.relation), 22)));
  });
  const nodes = [...places.values()].map((p) => node(p, chosen === p.term.id, choose));
  for (const [id, { x, y }] of places) {
    const conditions = (disjunct.filters ?? []).filter((f) => f.term === id).map((f) => f.condition);
    conditions.forEach((c, i) => labels.push(svg("text", { x, y: y + radius + 18 * (i + 1), "text-anchor": "middle", class: "relation plain" }, svg("title", {}, c), short(c, 28))));
  }
  return svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "group", "aria-label": `query graph ${index + 1}` }, defs, lines, labels, nodes);
}

function node(p, chosen, choose) {
  const { term, x, y } = p;
  const attributes = { class: `node ${term.kind} ${chosen ? "chosen" : ""}` };
  if (term.kind !== "constant") {
    Object.assign(attributes, {
      role: "button", tabindex: 0, "aria-pressed": String(chosen), "aria-label": `variable ${term.name}`, "data-variable": term.name,
      onclick: () => choose(term),
      onkeydown: (event) => {
        if (event.key === "Enter" || event.key === " ") {
          event.preventDefault();
          choose(term);
        }
      },
    });
  }
  const shape = term.kind === "constant"
    ? svg("rect", { x: x - p.wide / 2, y: y - high / 2, width: p.wide, height: high, rx: 8 })
    : [term.kind === "free" && svg("circle", { cx: x, cy: y, r: radius + 5 }), svg("circle", { cx: x, cy: y, r: radius })];
  return svg("g", attributes, svg("title", {}, term.name), shape, svg("text", { x, y: y + 5, "text-anchor": "middle" }, p.label));
}
