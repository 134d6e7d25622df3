// Package sample draws benchmark queries: formulas whose parameters are filled so
// that they have answers, some of which the smaller of two graphs does not give.
// It knows formulas and graphs; it knows no model and no command line.
//
// # How a query is drawn
//
// An entity is drawn to be an answer in the larger graph, and the positive atoms
// are walked backwards from it: where a relation is free, one of those at hand is
// drawn, then one of the entities that it leads to, as in BetaE. A term that
// several atoms tie is drawn from what they have in common, so that cycles close.
// For a negated atom another solution of the positive part is drawn, and the atom
// is filled so that it is the one that is ruled out. A parameter that is in an inequality
// alone becomes what the other term is in the solution at hand. The disjuncts of a union are
// drawn one by one.
//
// # What is left out
//
//   - queries without enough hard answers, or with too many answers in all;
//   - queries with a negated atom or an inequality that changes nothing: without it the
//     answers in the larger graph are the same;
//   - queries that were there already, also with their symmetric parts exchanged
//     or a relation read the other way;
//   - queries that say the same atom twice, or in both signs, and unions of the
//     same disjunct twice;
//   - queries that turn back: an existential variable x with r(x,a) and r(x,b), a
//     or b being a variable, or r(x,a) and a leaf r(x,e) that says nothing new.
//     What the template fixes itself is not held against it.
//
// # The published protocols
//
// Options.Like draws as the published sets were drawn; sizes and settings are those
// of the authors' programs (github.com/snap-stanford/KGReasoning create_queries.py,
// github.com/HKUST-KnowComp/FIT sample_query.py).
//
// BetaE: an entity is drawn to be an answer of every branch, negated ones too; each atom
// gets one of the relations that lead to its end, then one of the entities that this comes
// from; within a chain no relation is followed by its inverse. The queries 1p are the
// pairs of an entity and a relation that facts of the split have. With a negated atom the
// split must refute an answer. Easy answers have no bound, hard ones and refuted ones 100.
// Negated branches are read universally.
//
// FIT, for the ten shapes of its own: terms first, each one of the entities that enough
// facts, of whatever relations, link with what it is tied to; then the relations; last that
// of the negated atom, which must change the answers. The answers without the negated atom
// may be 300, hard ones 100. Where the program takes the first entity of a set to close a
// triangle, it is a random one here; and queries whose negated atom changes nothing, of
// which the program keeps some, are left out.
//
// In both, queries that differ only in the order of their parts are two.
//
// # Reproducibility
//
// Attempts are numbered, and each has its own random numbers that follow from the
// seed, the template's name and its number. Results are taken in order. So neither
// the number of workers nor an interruption changes what is drawn.
package sample
