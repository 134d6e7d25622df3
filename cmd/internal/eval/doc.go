// Package eval measures how well a model answers benchmark queries.
//
//	Ranks       the rank of each right answer
//	Pairs       ranks of rows of two answer variables
//	Run         asks all queries of a set, in batches   -> Outcome
//	State       a log of finished queries, to resume from
//	Summarize   means over answers, queries and shapes  -> Report
//	Compare     paired tests against another report
//	Dump        the ranks and scores of each query
//	Published   figures that papers report for the same shapes
//	LaTeX       the report, those that it is compared with, and published figures in one table
//
// It knows query sets, the compiler and the runtime, but no flags, no terminals, and no file
// format of queries.
package eval
