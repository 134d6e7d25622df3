// Draws the query graph.
import { svg } from "./dom.js";
import { backwards, beside, path, place, short, shortPath } from "./diagram.js";

const radius = 25;
const unquote = (text) => text.replace(/^["'`](.*)["'`]$/s, "$1");

const marker = (id, kind) => svg("marker", { id, viewBox: "0 0 10 10", refX: 8, refY: 5, markerWidth: 11, markerHeight: 11, orient: "auto", markerUnits: "userSpaceOnUse" },
  svg("path", { d: "M0 0L10 5L0 10Z", class: kind }));

// termOf is a node for a term, with the conditions on its numbers and dates below it.
function termOf(term, filters) {
  const conditions = filters.filter((f) => f.term === term.id).map((f) => f.condition);
  const constant = term.kind === "constant", label = constant ? short(unquote(term.name), 20) : short(term.name, 6);
  const below = 18 * conditions.length;
  return {
    id: term.id, term, label, conditions,
    wide: Math.max(constant ? Math.max(60, label.length * 8.2 + 24) : 2 * radius + 10, ...conditions.map((c) => short(c, 28).length * 7.6)),
    high: (constant ? 36 : 2 * radius + 10) + 2 * below, // the same above, or links would not meet the middle
  };
}

function linkOf(edge, nodes) {
  const [a, b] = [edge.head, edge.tail].map((id) => nodes.find((n) => n.id === id));
  return { edge, a, b, text: edge.unequal ? "≠" : (edge.negated ? "not " : "") + shortPath(unquote(edge.relation), 22) };
}

// draw returns the drawing of a disjunct. layer is what a layer sends, or null for the graph alone; choose is called with a
// variable that is clicked.
export function draw(disjunct, index, layer, chosen, upright, choose) {
  const nodes = disjunct.terms.map((t) => termOf(t, disjunct.filters ?? []));
  const links = disjunct.edges.map((e) => linkOf(e, nodes));
  const { width, height } = place(nodes, links, upright);
  const name = (kind) => `arrow-${index}-${kind}`;
  const defs = svg("defs", {}, ["plain", "negated", "sent", "shared", "pruned", "dead"].map((kind) => marker(name(kind), kind)));
  const lines = links.flatMap(({ edge, parts }, i) => [
    svg("path", { d: path(parts), class: `edge ${kindOf(edge)} ${layer ? "faint" : ""}`, "marker-end": layer || edge.unequal ? null : `url(#${name(kindOf(edge))})` }),
    // Each message lies beside its edge, on its own side.
    ...(layer?.messages ?? []).filter((m) => m.edge === i).map((m) =>
      svg("path", { d: path(beside(m.backward ? backwards(parts) : parts, 9)), class: `message ${m.state}`, "marker-end": `url(#${name(m.state)})` })),
  ]);
  const text = (x, y, title, shown, kind) => svg("text", { x, y, "text-anchor": "middle", class: `relation ${kind}` }, svg("title", {}, title), shown);
  const texts = [
    ...links.map(({ edge, x, y, text: shown }) => text(x, y + 5, edge.atom, shown, kindOf(edge))),
    ...nodes.flatMap((n) => n.conditions.map((c, i) => text(n.x, n.y + radius + 18 * (i + 1), c, short(c, 28), "plain"))),
  ];
  return svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "group", "aria-label": `query graph ${index + 1}` },
    defs, lines, texts, nodes.map((n) => drawTerm(n, chosen === n.id, choose)));
}

const kindOf = (edge) => (edge.negated || edge.unequal ? "negated" : "plain");

function drawTerm({ term, label, x, y }, chosen, choose) {
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
  const wide = Math.max(60, label.length * 8.2 + 24);
  const shape = term.kind === "constant"
    ? svg("rect", { x: x - wide / 2, y: y - 18, width: wide, height: 36, rx: 8 })
    : [term.kind === "free" && svg("circle", { cx: x, cy: y, r: radius + 5 }), svg("circle", { cx: x, cy: y, r: radius })];
  return svg("g", attributes, svg("title", {}, term.name), shape, svg("text", { x, y: y + 5, "text-anchor": "middle" }, label));
}
