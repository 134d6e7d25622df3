// Package atoms computes the rows of atoms: the degrees of the links of an entity under a directed
// relation, as package fit defines them. Rows caches them for all runs on a model and counts the memory of
// runs; a Request asks for the rows that one run needs next. Calibrate and FitScoreTerms fit what rows depend
// on to facts that the graph lacks. The package knows neither ops nor plans.
package atoms
