// Package exact finds all answers of a query on a graph of known facts, and says
// how many facts an answer lacks: logic alone, without a model. It knows the
// patterns of the runtime and its graphs; it knows no formulas, no embeddings
// and no files.
//
// A variable has a set of candidates, a constant one candidate. A variable that has
// a single neighbour left is projected into it and eliminated.
// That solves every tree, negated atoms included. What remains are cycles: there
// candidates without support are dropped, and the variable with the fewest of
// them takes each in turn.
//
// scq.Holds decides one answer at a time without this package: generated
// plans link it, and it must start quickly on a handful of answers.
package exact
