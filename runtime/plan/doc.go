// Package plan defines the plans of query shapes and the workspace that runs them. Generated plans and the
// plans of package compiler call it; programs use package runtime.
//
//	Plan          a compiled shape: its disjuncts, buffers, and Run
//	Workspace     the argument of Run; its methods are the ops of the plan language
//	Sweep         ops that share one sweep of the entity table
//	Tiles         the ops of plans for small tables: a loop over tiles instead of a sweep (tiles.go)
//	Executor      runs a plan on a Host, a model in main memory with the state that workspaces share
//	Spec          a question as data
//	Names         the names by which a query reports answers
//
// ABI is the version of the contract with generated code: this package and the ops of truth degrees in package fit.
// Package runtime refuses a plan made for another version.
//
// # A sweep of the entity table
//
//	AccessTo         chooses how plans read the table, by its size and the cache's (access.go)
//	Plan.Run         requests computations for each row: Sweep.Score, Cosine, Embed, …
//	Sweep.Run        asks for the sweep; Sweep.Serve makes one for all queries of a batch
//	rows.Fastest     chooses between reading rows one by one and, for many columns, as matrices
//	sweep.Sweep.Run    reads each row once: columns first, then sums (package sweep)
//	Sweep.readAgain  after a sweep of codes, chooses the rows to read exactly (reread.go)
//
// A plan may leave its answer to the readout (readout.go). Bounds then often find the k best entities without a
// sweep; a ranking of all entities needs one. A batch on matrix units makes one sweep for all its readouts. The same
// bounds (bounds.go), with bounds on truth degrees from observed links, find the k best of a mixture.
//
// If a sweep summed the rows of a state by an estimate, Workspace.Correct then adds the residual (correct.go).
//
// # Parts of a split model
//
//	reduce.go             ops that reduce all entities to a number, on a shard by an exchange (package exchange)
//
// The package does not import package runtime, which names answers, filters them and finds their witnesses.
package plan
