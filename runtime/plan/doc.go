// Package plan defines the plans of query shapes and the workspace that runs them. Generated plans and the
// plans of package compiler call it; programs use package runtime.
//
//	Plan          a compiled shape: its disjuncts, buffers, and Run
//	Workspace     what Run is given; its methods are the ops of the plan language
//	Sweep         ops that share one sweep of the entity table
//	Tiles         the ops of plans for small tables: a loop over tiles in place of a sweep (tiles.go)
//	Executor      runs a plan on a Host, a model in main memory with what workspaces share
//	Spec          a question as data
//	Names         the names by which a query reports answers
//
// ABI is the version of the contract with generated code, which is this package and the ops of truth degrees in
// package fit. Package runtime refuses a plan made for another version.
//
// # A sweep of the entity table
//
//	AccessTo         chooses how plans read the table, by its size and the cache's (access.go)
//	Plan.Run         says what it wants of each row: Sweep.Score, Cosine, Embed, …
//	Sweep.Run        asks for the sweep; Sweep.Serve makes one for all queries of a batch
//	rows.Fastest     chooses whether rows are read one by one or, if there are many columns, as matrices
//	sweep.Sweep.Run    reads each row once: columns first, then sums (package sweep)
//	Sweep.readAgain  chooses the rows that are read again, exactly, if codes were read (reread.go)
//
// A plan may leave its answer to the readout (readout.go). The k best entities then need no sweep if
// bounds decide; a ranking of all entities needs one. A batch on matrix units makes one sweep for all
// its readouts. The k best of a mixture are found by the same bounds (bounds.go), and by bounds on
// truth degrees that observed links give.
//
// If a state was only estimated when its rows were summed, Workspace.Correct adds the
// residuals afterwards (correct.go).
//
// # Parts of a split model
//
//	reduce.go             ops that need a number of all entities, on a shard by an exchange (package exchange)
//
// The package does not import package runtime, which names answers, filters them and finds their witnesses.
package plan
