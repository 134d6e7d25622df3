// Where the entities of a graph are drawn, and how its links run: in columns, or in rows where
// those are too wide.
export const high = 30, edge = 12;
const apart = 46, gap = 130, beside = 84;

// short cuts a text between words if it can: what is seen of a name is then in its accessible name, too.
export function short(text, n) {
  if (text.length <= n) return text;
  const cut = text.slice(0, n - 1);
  return `${text[n - 1] === " " ? cut : cut.replace(/(\S)\s+\S*$/, "$1")}…`;
}

// The end of a path such as /film/film/genre says more than its beginning.
export const shortPath = (text, n) => (text.length > n ? `…${text.slice(text.length - n + 1)}` : text);

// columnsOf gives each entity a depth, and returns the columns of those of the same: the answers in
// their order, the values of variables by their steps from them, and at last what the question names.
export function columnsOf(nodes) {
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
  return Array.from({ length: deepest + 1 }, (_, d) => nodes.filter((n) => n.depth === d)).filter((column) => column.length > 0);
}

// inColumns has the answers on the right, and a column further left with each step from them.
export function inColumns(columns) {
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
      n.high = high;
    });
  });
  const gaps = []; // the middle of the gap to the left of each column
  let width = edge;
  for (let depth = columns.length - 1; depth >= 0; depth--) {
    const wide = Math.max(44, ...columns[depth].map((n) => n.wide));
    for (const n of columns[depth]) n.x = width + wide / 2;
    if (depth > 0) gaps[depth - 1] = width + wide + gap / 2;
    width += wide + (depth > 0 ? gap : edge);
  }
  return { gaps, width, height: 10 + tallest * apart, route: across };
}

// inRows has a row for each entity, which says by which links it hangs on those above it; further
// columns are further in. The links go round on the right.
export function inRows(columns, room, said) {
  const width = Math.min(room, 480), right = width - beside;
  const nodes = columns.flat(), rank = new Map(nodes.map((n, i) => [n, i]));
  nodes.forEach((n, i) => {
    const left = edge + 14 * columns.findIndex((column) => column.includes(n));
    Object.assign(n, { x: (left + right) / 2, wide: right - left, y: 26 + i * 50, high: high + 10 });
    n.text = short(n.label, Math.floor((n.wide - 16) / 8.5));
    const above = n.links.filter(({ a, b }) => rank.get(a) < i || rank.get(b) < i);
    n.caption = short([...new Set(above.sort((p, q) => (p.kind === "absent") - (q.kind === "absent")).map(said))].join(", "), Math.floor((n.wide - 16) / 6.4));
  });
  const around = ({ a, b }, turn) => {
    const far = 24 + Math.min(beside - 24, (60 * Math.abs(rank.get(a) - rank.get(b))) / nodes.length + 12 * turn);
    return { ...curve([[right, a.y + 4], [right + far, a.y + 4], [right + far, b.y - 4], [right, b.y - 4]]), sign: rank.get(a) < rank.get(b) ? 0.85 : 0.15 };
  };
  return { width, height: 4 + 50 * nodes.length, route: around };
}

// across is a curve from the side of one entity to that of another, lower for each further link
// between the same two.
function across({ a, b }, turn) {
  // Within a column a link goes round by the gap beside it.
  const flat = a.depth === b.depth;
  const [out, into] = flat ? (a.depth === 0 ? [-1, -1] : [1, 1]) : a.x < b.x ? [1, -1] : [-1, 1];
  const from = [a.x + (out * a.wide) / 2, a.y], to = [b.x + (into * b.wide) / 2, b.y];
  const reach = flat ? [60 * out, 60 * out] : [(to[0] - from[0]) / 2, (from[0] - to[0]) / 2];
  const lift = turn * 26;
  return curve([from, [from[0] + reach[0], from[1] + lift], [to[0] + reach[1], to[1] + lift], to]);
}

// curve is a path by four points, and says where it is after a part of it.
function curve(points) {
  const at = (t) => [0, 1].map((i) => [(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t ** 3].reduce((sum, w, j) => sum + w * points[j][i], 0));
  return { path: `M${points[0]}C${points.slice(1).join(" ")}`, at };
}
