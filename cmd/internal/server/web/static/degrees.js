// Describes how truth degrees are computed.
import { h } from "./dom.js";

// atoms writes the atoms of a step, which are in canonical names, as the question does.
function atoms(report, text) {
  return [...text.matchAll(/!?(r\d+)(\^-1)?\([^)]*\)|\w+!=\w+/g)].map(([whole, slot, inverse]) => {
    const edge = report.disjuncts.flatMap((d) => d.edges).find((e) => (slot ? e.slot === slot : e.text === whole));
    return edge.atom.replace(/^!/, "not ") + (inverse ? ", read backwards" : "");
  }).join("; ");
}

// name returns what the question calls a variable; ids of several alternatives are the
// same, then an atom of the step decides which one is meant, if any does.
function name(report, id, text) {
  const slot = text.match(/r\d+(?=[(^])/)?.[0];
  const among = slot ? report.disjuncts.filter((d) => d.edges.some((e) => e.slot === slot)) : report.disjuncts;
  return (among.length === 1 && among[0].terms.find((t) => t.id === id)?.name) || "a variable";
}

// proposal is a step of a cycle, whose values a neighbour proposes.
function proposal(report, step) {
  const [, from, to] = step.what.match(/(\w+) proposes values of (\w+)/);
  return `The best ${name(report, from, "")} proposes values of ${name(report, to, "")}.`;
}

const words = {
  rows: (r, s) => `Sweep ${s.sweep} of the entities finds how well each of them fits ${atoms(r, s.what)}.`,
  branch: (r, s) => `Each of the best values of ${name(r, s.what.match(/\w+$/)[0], s.what)} is tried in turn, as it is part of a cycle.`,
  each: (r, s) => `What each value implies for ${name(r, s.what.match(/-> (\w+)/)[1], s.what)}: ${atoms(r, s.what)}.`,
  push: (r, s) => (/proposes/.test(s.what) ? proposal(r, s) : `The best ${name(r, s.what.match(/^\w+/)[0], s.what)} determines each ${name(r, s.what.match(/-> (\w+)/)[1], s.what)}: ${atoms(r, s.what)}.`),
  other: (r, s) => `The best ${name(r, s.what.match(/^\w+/)[0], s.what)} that is another entity counts: ${atoms(r, s.what)}.`,
  except: (r, s) => `One entity is left out: ${atoms(r, s.what)}.`,
  join: () => "Of all values tried, the best one counts.",
  either: () => "An entity may be an answer by any of the alternatives.",
  mixture: () => "Probabilities by message passing and truth degrees are mixed.",
};
words.leaf = words.push;

// degrees lists the steps that say something about the question.
export function degrees(report) {
  return [h("ol", { class: "degrees", "aria-label": "How truth degrees are computed" },
    report.degrees.filter((s) => words[s.op]).map((s) => h("li", {}, words[s.op](report, s))))];
}
