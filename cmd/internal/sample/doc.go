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
// is filled so that it is the one that is ruled out. The disjuncts of a union are
// drawn one by one.
//
// # What is left out
//
//   - queries without enough hard answers, or with too many answers in all;
//   - queries with a negated atom that changes nothing: without it the answers
//     in the larger graph are the same;
//   - queries that were there already, also with their symmetric parts exchanged
//     or a relation read the other way;
//   - queries that say the same atom twice, or in both signs, and unions of the
//     same disjunct twice;
//   - queries that turn back: an existential variable x with r(x,a) and r(x,b), a
//     or b being a variable, or r(x,a) and a leaf r(x,e) that says nothing new.
//     What the template fixes itself is not held against it.
//
// # Reproducibility
//
// Attempts are numbered, and each has its own random numbers that follow from the
// seed, the template's name and its number. Results are taken in order. So neither
// the number of workers nor an interruption changes what is drawn.
package sample
