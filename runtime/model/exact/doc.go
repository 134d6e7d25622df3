// Package exact finds all answers of a query on a graph of known facts, and counts the
// facts that an answer lacks. It uses logic only, no model. It knows the runtime's patterns
// and graphs, but no formulas, embeddings or files.
//
// A variable has a set of candidates, a constant one candidate. A variable with a single
// remaining neighbour is projected into it and eliminated. That solves every tree, including
// negated atoms. Cycles remain: candidates without support are dropped, then the variable
// with the fewest candidates is fixed to each in turn.
//
// Package scq decides single answers, which is another task: it may stop at the first witness,
// searches a union of graphs within a small budget, and allocates nothing for a candidate.
// Generated plans link it and not this package. Neither is the other's oracle: the tests here
// compare each with all assignments of small graphs.
package exact
