// Steps through the layers of message passing, and describes how truth degrees are
// computed.
import { $, h, scrolling, svg } from "./dom.js";
import { count } from "./numbers.js";
import { narrow } from "./diagram.js";
import { draw } from "./graph.js";
import { variable } from "./answers.js";
import { degrees } from "./degrees.js";

const meanings = {
  sent: "computed in this layer",
  shared: "equal to an earlier message, computed once",
  pruned: "not sent: the sender knows nothing yet",
  dead: "not computed: it never reaches the answer",
};

let report = null, result = null, step = 0, chosen = null;

narrow.addEventListener("change", () => report && render());

// show shows how a question is answered; the result may come later.
export function show(newReport, newResult) {
  if (newReport !== report) [step, chosen] = [0, null];
  [report, result] = [newReport, newResult];
  render();
}

// Truth degrees have no layers; their steps are shown together, behind those.
const last = () => Math.max(...report.disjuncts.map((d) => d.l ?? 0));
const end = () => last() + (report.degrees ? 1 : 0);

function go(to, focus) {
  step = Math.min(end(), Math.max(0, to));
  render();
  if (focus) $("steps").querySelector('[aria-pressed="true"]').focus();
}

function render() {
  const keep = document.activeElement?.dataset?.variable;
  const names = ["Graph", ...Array.from({ length: last() }, (_, i) => `Layer ${i + 1}`), ...(report.degrees ? ["Degrees"] : [])];
  $("steps").replaceChildren(...names.map((name, i) =>
    h("button", {
      type: "button", "aria-pressed": String(i === step), onclick: () => go(i),
      onkeydown: (e) => {
        const by = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
        if (by) { e.preventDefault(); go(i + by, true); }
      },
    }, name)));
  $("graph").replaceChildren(...report.disjuncts.flatMap((d, i) => [
    report.disjuncts.length > 1 && h("h3", {}, `Alternative ${i + 1}`),
    scrolling(`Graph of the question${report.disjuncts.length > 1 ? `, alternative ${i + 1}` : ""}`,
      draw(d, i, d.layers?.[step - 1] ?? null, chosen?.disjunct === i ? chosen.term.id : null, narrow.matches, (term) => choose(i, term))),
  ].filter(Boolean)));
  $("messages").replaceChildren(...messages());
  $("variable").replaceChildren(...(chosen && result ? variable(result, chosen.disjunct, chosen.term) : []));
  if (keep) $("graph").querySelector(`[data-variable="${CSS.escape(keep)}"]`)?.focus();
}

function choose(disjunct, term) {
  const again = chosen?.disjunct === disjunct && chosen.term.id === term.id;
  chosen = again ? null : { disjunct, term };
  render();
}

// messages says in words what the layer sends, or sums up all of them.
function messages() {
  if (step === 0) {
    const n = report.cost.messages;
    return [h("p", { class: "quiet small" },
      last() > 0 && `${count(last(), "layer")} could send ${count(n.sent + n.shared + n.pruned + n.dead, "message")}: ${n.sent} are sent, ${n.shared} shared, ${n.pruned} pruned, ${n.dead} dead. `,
      `Sweeps of the entity table: ${report.cost.table_sweeps_before} as written, ${report.cost.table_sweeps_after} compiled` +
        (report.cost.table_sweeps_whole > report.cost.table_sweeps_after ? ` (${report.cost.table_sweeps_whole} for a whole ranking). ` : ". "),
      "Click a variable to see what was found for it.")];
  }
  if (step > last()) return degrees(report);
  return report.disjuncts.map((d, i) => {
    const layer = d.layers[step - 1];
    if (!layer) return h("p", { class: "quiet small" }, `Alternative ${i + 1} has ${d.l} layers.`);
    const name = (id) => d.terms.find((t) => t.id === id).name;
    return h("ul", { "aria-label": `Messages of layer ${step}` }, layer.messages.map((m) =>
      h("li", { title: meanings[m.state] },
        svg("svg", { viewBox: "0 0 36 10", "aria-hidden": "true" }, svg("line", { x1: 1, y1: 5, x2: 35, y2: 5, class: m.state })),
        h("span", {}, m.state),
        h("span", {}, `${name(m.from)} → ${name(m.to)}`, h("span", { class: "quiet" },
          ` along ${d.edges[m.edge].relation}${m.state === "shared" ? `, as in layer ${m.shared_with.layer}` : ""}`)))));
  });
}
