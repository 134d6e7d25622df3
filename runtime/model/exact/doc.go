// Package exact matches query graphs with known facts: it finds all answers of a query, or which of given entities
// answer it, and counts the facts that an answer lacks. It uses logic only, no model. It knows the runtime's
// disjuncts and graphs, but no formulas, embeddings or files.
//
// A variable has a set of candidates, a constant one candidate. A variable with a single remaining neighbour is
// projected into it and eliminated. That solves every tree, including negated atoms. For the remaining cycles, the
// solver drops candidates without support, then tries each candidate of the variable with the fewest.
package exact
