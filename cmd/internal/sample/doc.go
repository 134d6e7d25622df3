// Package sample draws benchmark queries: benchmark shapes with parameters chosen so that they have answers, some of which
// follow only from the larger of two graphs. It knows formulas and graphs, but no model and no command line.
//
// # How a query is drawn
//
// An entity of the larger graph is drawn as an answer, and the positive atoms are walked backwards from it. For a
// free relation, one of the relations of the entity is drawn, then one of the entities at its other end, as in BetaE.
// A term shared by several atoms is drawn from the intersection of their candidates, so that cycles close. For a
// negated atom, another solution of the positive part is drawn, and the atom is filled to exclude that solution. The
// disjuncts of a union are drawn one by one.
//
// # Rejected queries
//
//   - queries without enough hard answers, or with too many answers in all;
//   - queries with a negated atom that changes nothing: the answers in
//     the larger graph are the same without it;
//   - repeated queries, also with symmetric parts exchanged or a relation read the other
//     way;
//   - queries that contain an atom twice, or in both signs, and unions of the same
//     disjunct twice;
//   - queries that turn back: an existential variable x with r(x,a) and r(x,b), a or b
//     being a variable, or r(x,a) and a leaf r(x,e) that adds nothing.
//
// # The published protocols
//
// Options.Like follows the published protocols, with the sizes and settings of the authors' programs
// (github.com/snap-stanford/KGReasoning create_queries.py, github.com/HKUST-KnowComp/FIT sample_query.py).
//
// BetaE: an entity is drawn as an answer of every branch, including negated ones. Each atom gets one of the relations
// into its end, then one of its heads. Within a chain no relation is followed by its inverse. The 1p queries are the
// pairs of an entity and a relation in facts of the split. With a negated atom, the split must refute an answer. The
// number of easy answers is unbounded; there are at most 100 hard ones and 100 refuted ones, for NELL995 80. Negated
// branches are read universally.
//
// FIT, for its own ten shapes: first the terms, each one of the entities that enough facts, of any relations, link to
// its neighbours; then the relations; last the relation of the negated atom, which must change the answers. There may
// be 300 answers without the negated atom and 100 hard ones. The original program closes a triangle with the first
// entity of a set; here it is a random one. The original program keeps some queries whose negated atom changes
// nothing; here they are rejected.
//
// In both protocols, queries that differ only in the order of their parts are distinct.
//
// # Reproducibility
//
// Attempts are numbered, and each has its own random numbers, derived from the seed, the template's name and the
// attempt's number. Results are taken in order. So any number of workers draws the same queries.
package sample
