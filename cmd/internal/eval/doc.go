// Package eval measures the quality of a model's answers to benchmark queries.
//
//	Ranks       the rank of each hard answer
//	Run         asks all queries of a set, in batches   -> Outcome
//	State       a log of finished queries, to resume from
//	Summarize   means over answers, queries and shapes  -> Report
//	Dump        the ranks and scores of each query
//
// It knows query sets, the compiler and the runtime, but no flags, terminals or file formats of queries.
package eval
