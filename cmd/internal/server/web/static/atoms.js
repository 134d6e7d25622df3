// Atoms of witnesses.

// kind is how an atom holds, as text and as the class of its line in the drawing.
export const kind = (atom) => (atom.observed ? "observed" : atom.negated ? "absent" : "predicted");

// forwards is an atom by its relation rather than the inverse.
export function forwards(atom) {
  if (!atom.relation.endsWith("^-1")) return atom;
  return { ...atom, relation: atom.relation.slice(0, -3), head: atom.tail, tail: atom.head };
}
