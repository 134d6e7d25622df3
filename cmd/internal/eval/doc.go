// Package eval measures how well a model answers benchmark queries.
//
//	Ranks       the rank of each right answer
//	Run         asks all queries of a set, in batches   -> Outcome
//	State       a file of finished queries, to resume from
//	Readout     the scores under many λ for one run of a plan
//	Summarize   means over answers, queries and shapes  -> Report
//	Published   figures that papers report for the same shapes
//
// It knows query sets, the compiler and the runtime, but no flags, no terminals, and no file
// format of queries.
package eval
