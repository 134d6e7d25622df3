// Package eval measures the quality of a model's answers to benchmark queries.
//
//	Ranks       the rank of each hard answer
//	Pairs       ranks for queries with two answer variables
//	Run         asks all queries of a set, in batches   -> Outcome
//	State       a log of finished queries, to resume from
//	Summarize   means over answers, queries and shapes  -> Report
//	Compare     paired tests against another report
//	Dump        the ranks and scores of each query
//	Published   figures that papers report for the same shapes
//	LaTeX       the report, the reports that it is compared with, and published figures in one table
//
// It knows query sets, the compiler and the runtime, but no flags, terminals or file formats of queries.
package eval
