// Package atoms computes the rows of atoms: the degrees of an entity's links under a directed relation, as package
// fit defines them. A Cache caches them for all runs on a model and counts the memory of runs; a Request asks for the
// rows that one run needs next. Calibrate and FitScoreTerms fit the parameters of rows to facts that the graph lacks.
// The package knows neither ops nor plans.
package atoms
