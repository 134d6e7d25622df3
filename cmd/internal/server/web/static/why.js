// Says why an entity is an answer: its best witness in words.
import { entity, h, relation } from "./dom.js";
import { number } from "./numbers.js";
import { factOf, review, written as text } from "./facts.js";
import { forwards, kind } from "./atoms.js";

// written is an atom with its entities.
export function written(atom) {
  const { relation: name, head, tail } = forwards(atom);
  return h("span", {}, atom.negated && "not ", relation(name), "(", entity(head), ", ", entity(tail), ")");
}

// because explains an answer: the values of the other variables, and for each atom whether its
// link is observed. Links that are predicted can be said to be true or not.
export function because(witness, reason) {
  if (!witness.atoms) return h("p", { class: "why quiet" }, "No explanation was found among the best values of the variables.");
  const values = (witness.values ?? []).flatMap((v, i) => [i > 0 && ", ", `${v.variable} = `, entity(v)]);
  return h("div", { class: "why" },
    h("p", { class: "small" }, values, values.length > 0 && ": ", `true to ${number(witness.degree)}, the product of`),
    h("ul", {}, witness.atoms.map((a) => h("li", {},
      h("span", { class: `link ${kind(a)}` }, a.assumed ? "assumed" : kind(a)), " ", written(a), " ", h("span", { class: "quiet small" }, number(a.degree)),
      kind(a) === "predicted" && [" ", review(text(factOf(a)), () => factOf(a))])),
      (witness.filters ?? []).map((f) => h("li", {},
        h("span", { class: `link ${f.value ? "observed" : "predicted"}` }, f.assumed ? "assumed" : f.value ? "stored" : "unknown"), " ",
        relation(f.attribute), "(", entity(f.entity), ")", f.value && ` = ${f.value}`, " ", h("span", { class: "quiet small" }, number(f.degree))))),
    h("p", { class: "quiet small" }, reason));
}
