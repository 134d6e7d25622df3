// Package fit runs plans of truth degrees: the semantics of FIT (ICLR 2024) and QTO (ICML 2023), computed without
// their matrices, and its mixture with message passing. A Machine has a method for each op of the plan language.
// Cache computes and caches the rows of atoms. Trace follows an answer's degree back to the entities that attain each
// maximum. The package uses the graphs and predictors of package model; it knows neither formulas nor how plans are
// made.
//
// # Degrees of atoms
//
// The row of entity h under the directed relation r gives each entity t a degree:
//
//	P_r(h)[t] = 1                                where r(h,t) is observed
//	          = p if p ≥ θ, otherwise 0          elsewhere, with
//	        p = min(0.9999, c·o · softmax_t((⟨r⊗E_h, E_t⟩ + g_r(h, t)) / (τ·τ_r)))
//
// The softmax is over all entities. τ_r is 1 unless the model has temperatures for relations, see Calibrate. If T is
// the set of observed tails of h, c is max(1, |T|); with Degrees.Mass it is |T| / max(1e-6, Σ_{t∈T} softmax_t), or 1
// if T is empty.
//
// g and o are the evidence of the observed graph for the relation, see FitScoreTerms; they are 0 and 1 unless
// Degrees.Regularities is set:
//
//	g_r(h, t) = w·ln(f + 0.1), f being the number of heads of t under r,
//	            and for t = h u·ln((loops of r + 0.01) / (facts of r + 1)) more
//	o         = min(1, (several + 0.5) / (one + 0.5))^v if T is not empty, otherwise 1;
//	            one and several count the heads of r with one tail and with more
//
// So a row changes with any fact of its relation, not only with the facts of its head.
//
// If plans read 8-bit codes, scores are products of 16-bit integers: by package product's Integers if the machine
// multiplies matrices of bytes; otherwise by dot products, for fewer than 24 rows at a time, in the sweep of message
// passing if there is one. In a mixture, the scores of messages along the same atoms also make the rows of constants.
// The error of scores is estimated from the scales of queries and rows. If its root mean square would exceed 2·10⁻⁴,
// scores are products of float32 numbers. On FB15k-237 it is 3.5·10⁻⁵, which is also the relative error of a degree.
//
// If only the best answers are wanted, most rows come from codes alone, except in a batch on a machine that
// multiplies matrices of bytes. Such rows are coarse: their degrees are off by a few hundredths at most, their sums
// by less than 2·10⁻⁴. The degrees that decide the best answers, and the degrees of these, are computed from rows of
// the table.
//
// An atom r(x,y) has the degree P_r(x)[y], read from its head, or P_{r⁻¹}(y)[x], read from its tail. The plan reads
// it from the end that it eliminates first: from the constant, if there is one. An atom of two constants or of a
// single variable is read from the head. A negated atom has the degree 1 − min(1, ν·P).
//
// An inequality x != y has degree 1 for different entities and 0 for equal ones.
//
// # Degrees of formulas
//
// The degree of a conjunction is the product of the degrees of its parts. The degree of ∃ is the maximum over the
// entities, and the degree of a disjunction the probabilistic sum 1 − Π(1−p). Norm is the interface for other
// t-norms. So an answer has the degree of its best witness: the largest product of degrees of atoms over all values
// of the existential variables.
//
// # Mixture
//
// The mixture of a probability p by message passing and a degree d, with weight g, is
//
//	F(p, d) = (p + a)^(1−g) · (d + b)^g,  a = 10⁻¹², b = 10⁻⁶
//	score   = (F(p, d) − F(0, 0)) / (F(1, 1) − F(0, 0))
//
// An entity that only one of the two rules out is still ranked by the other. An entity that both rule out, such as
// one excluded by an inequality, has score 0. The score depends only on p and d, so it is comparable between
// questions.
//
// # The plan
//
// A plan depends only on the query graph. A variable is informed if a chain of positive atoms connects it to an
// entity. The plan multiplies the rows of constants into the degrees of variables. An existential variable with one
// remaining neighbour is eliminated by pushing it into that neighbour: each value of the neighbour gets the best
// product. If every variable has several neighbours, there is a cycle, and the plan conditions on a smallest cutset:
// each value of one of its variables, preferably an informed one, becomes a branch in which the variable counts as a
// constant. The best branch wins. A variable without neighbours leaves its best degree, which finally multiplies the
// answers.
//
// # Bounded rows
//
// The exact method needs the rows of all entities. If K is smaller, a variable passes on its K
// best entities, ties in order of id, without those whose degree is below 0.03 of the best:
//
//   - A pushed variable has rows for its K best. Its other listed entities lead only along
//     observed links: each atom to the neighbour that is not negated must be observed, and
//     no negated one may be. If all are negated, these are the 512·K best.
//   - A variable in the cutset has its 512·K best as values: the K best have their rows, the
//     others only rows of observed links; those without an observed link by each atom that is
//     not negated open no branch. So an answer that follows from observed links has
//     its witness among the values. Several variables of a cutset have 16·K values each and
//     at most 64·K combinations, the best ones. The best values of an uninformed variable are
//     those that its neighbours lead to.
//   - An uninformed existential variable, such as x in r(a,y) ∧ ∃x q(x,y), is pushed without
//     rows: an observed link has degree 1, any other φ. An x without any observed link to y
//     counts as the best x. A negated link has degree 1 unless it is observed.
//   - r(x,x) is read from the rows of the K best, and from the graph for others.
//   - Inequalities need no rows and are exact for every K. A push along an inequality only
//     gives the best degree of another entity. A leaf with an inequality has no link to its
//     neighbour's own entity.
//
// Branches share their K best: the entities whose degree, times the branch's, is largest in
// any of them. Except for φ and negated atoms without rows, no answer gets more than its exact
// degree.
//
// The k best answers need fewer rows if Want.Best is set, see Finish and Complete: candidates that cannot bring any
// entity among them get none. Their contribution to an entity is bounded by their degree and, for the few entities
// that this brings near the k best, by the scores of some dozen rows of the table. In a mixture the bound includes the
// entity's probability. Rows of negated atoms are deferred only unless a value without a row has as large a degree.
//
// Computed rows are cached, thresholded, within a memory budget; see Cache. After a change of facts, a cached row gives
// the new one without a sweep, unless the degrees of its links grow by more than a quarter.
//
// # Packages
//
// Package fuzzy computes with sets of entities and their degrees, and package atoms makes the rows of atoms. Here,
// each op is a step, which the Machine evaluates at once or after the plan has ended, see step.go. A sharpener finds
// exact degrees where rows are coarse, and a contest the rows that no answer needs.
package fit
