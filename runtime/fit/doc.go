// Package fit is what plans of truth degrees run on: a second semantics of the same
// formulas, that of FIT (ICLR 2024) and QTO (ICML 2023), computed without their
// matrices, and its mixture with message passing. A Machine has a method for each op
// of the plan language; Rows makes the rows of atoms and keeps them; Witnesses follows
// an answer's degree back to who won each maximum. The package knows the graphs and
// predictors of package model; it knows neither formulas nor how plans are made.
//
// # Degrees of atoms
//
// The row of entity h under the directed relation r gives each entity t a degree:
//
//	P_r(h)[t] = 1                                where r(h,t) is observed
//	          = p if p ≥ θ, otherwise 0          elsewhere, with
//	        p = min(0.9999, c · softmax_t(⟨r⊗E_h, E_t⟩ / (τ·τ_r)))
//
// The softmax is over all entities. τ_r is 1 unless the model has temperatures of its
// relations, see Calibrate. T being the observed tails of h, c is
// max(1, |T|); with Degrees.Mass it is |T| / max(1e-6, Σ_{t∈T} softmax_t), or 1
// if T is empty.
//
// Where the table has codes of 8 bits, scores are products of integers of 16 bits: by package
// product's Integers if the machine multiplies matrices of bytes, otherwise by dot products, for
// fewer than 8 rows at a time. Their error is estimated from the scales of queries and rows. If it
// would exceed 2·10⁻⁴, as a root mean square, scores are products of float32 numbers. On FB15k-237
// it is 3·10⁻⁵; a degree is off by that share of it.
//
// An atom r(x,y) has the degree P_r(x)[y], read from its head, or P_{r⁻¹}(y)[x],
// read from its tail. It is read from the end that the plan eliminates first, see
// below: from its constant, if it has one; an atom of two constants and one of a
// single variable are read from the head. A negated atom has the degree 1 − min(1,
// ν·P).
//
// An inequality x != y has degree 1 for different entities and 0 for equal ones.
//
// # Degrees of formulas
//
// A conjunction has the product of its parts, ∃ the maximum over the entities, and
// a disjunction the probabilistic sum 1 − Π(1−p). The degree of an answer is thus
// the largest product of the degrees of atoms that values of the existential
// variables reach: the best witness's.
//
// # The plan
//
// A plan is made of the query graph alone. It multiplies the rows of constants into the
// degrees of variables. An existential variable that has one neighbour left is
// eliminated by pushing it into that neighbour: each value of the neighbour gets the
// best product. If every one has several, there is a cycle, and the plan conditions on
// a cutset: each value of one variable, an anchored one if there is any, becomes a
// branch, in which the variable counts as a constant. The best branch wins. A variable
// without neighbours leaves its best degree, by which the answers are multiplied in the
// end.
//
// # Bounded rows
//
// The exact method needs the rows of all entities. With K below their number, a
// variable passes on its K best entities, ties in order of id, except those whose
// degree is below 0.03 of the best one's:
//
//   - Pushed, its K best have their rows. The others, those listed with a
//     degree, lead where every atom to the neighbour that is not negated is
//     observed, and no negated one is. If all are negated, these are the 512·K best.
//   - In the cutset, it has its 512·K best as values: the K best have their rows, the
//     others only rows of observed links. So an answer that follows from observed links
//     has its witness among the values. Several variables of a cutset have 16·K values
//     each and at most 64·K combinations, the best ones. The best of an unanchored variable are those
//     that its neighbours lead to.
//   - An unanchored existential variable, such as x in r(a,y) ∧ ∃x q(x,y), is pushed
//     without rows: a link that is observed has degree 1, and any other φ. An x without
//     any observed link to y counts as the best x. A negated link has degree 1 unless it
//     is observed.
//   - r(x,x) is read from the rows of the K best, and from the graph for others.
//   - Inequalities need no rows, so that they are exact whatever K is: what is pushed along
//     one alone is the best degree of another entity, and a leaf with one has no link to
//     its neighbour itself.
//
// Branches share their K best: those whose degree, times the branch's, is largest in any
// of them. Apart from φ and negated atoms of which no row is made, no answer gets more
// than its exact degree.
//
// Who wants the k best answers needs fewer rows: see Finish. Candidates of the last push whose
// degree is below the k-th best that observed links lead to have none made, as they would change
// none of the k best.
//
// Rows that were computed are kept, thresholded, as long as a budget of memory
// lasts; see Rows.
package fit
