// Package eval measures how well a model answers benchmark queries.
//
//	Ranks       the place of each right answer among the others
//	Run         all queries of a set, in batches        -> Outcome
//	State       a file that keeps what is done          -> and goes on from it
//	Readout     the scores under many λ for one run of a plan
//	Summarize   means over answers, queries and shapes  -> Report
//	Published   what papers report of the same shapes
//
// It knows query sets, the compiler and the runtime. It knows neither flags nor
// terminals, and no file format of queries.
package eval
