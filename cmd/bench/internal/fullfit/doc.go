// Package fullfit is FIT as its paper has it (Wang et al., ICLR 2024): the exact
// method that the bounded one of package runtime/fit is measured against. It gives the
// degrees that runtime/fit gives with as many candidates as there are entities, which
// is how both are tested.
//
//	Make      the thresholded neural adjacency matrices of the relations in use
//	Query     a query that answers by them, over all entities
//
// The matrices are made once, before anything is asked, and kept as sparse rows; see
// runtime/fit for the degrees in them. The row of a head is all that the method reads:
// where an atom is read from its tail, it reads the matrix of the inverse relation,
// which the link predictor scores on its own.
//
// A conjunction is answered by variable elimination (FIT, section 4.3): constants first,
// then existential leaves, by a product of a vector with a sparse matrix in which max
// takes the place of the sum. A cycle is broken by conditioning on one variable: every
// entity is tried in its place. Vectors are dense and of all entities; nothing is
// bounded, approximated or shared between queries, and a query is answered on one thread.
// FIT's own code makes a dense n×n matrix for each variable; this one walks the rows of the
// entities that count.
package fullfit
