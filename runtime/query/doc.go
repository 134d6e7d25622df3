// Package query opens models and answers queries on them. Programs use it directly, and
// generated plans link against it.
//
//	Open           reads and checks a bundle               -> Model
//	New            binds a plan to a model                 -> Query
//	Query.Answer   answers for one set of parameters       -> Answers
//	AnswerBatch    answers for several, of one plan        -> Answers of each
//	Group.Answer   batches queries that arrive at any time -> Answers
//	Model.Change   changes the facts that later queries see (snapshot.go)
//	Query.Why      finds the best witness of each answer   -> Witness
//
// A Query belongs to one user of a plan: it holds the names that answers are reported with.
// All users share what runs the plan: the model and its workspaces. A query runs where its
// Model is: on the processor, or on the device that Model.On copied it to.
//
// # A pass over the entity table
//
//	Plan.Run         says what it wants of each row: Sweep.Score, Cosine, Embed, …
//	Sweep.Run        asks for the pass; Sweep.Serve makes one for all queries of a batch
//	rows.Fastest     chooses how rows are read: as codes, or as matrices if there are many columns
//	pass.Pass.Run    reads each row once: columns first, then sums (package pass)
//	Sweep.readAgain  chooses the rows that are read again, exactly, if codes were read (reread.go)
//
// A plan may leave its answer to the readout (readout.go). The k best entities then need no
// pass if bounds decide; a ranking of all entities needs one. A batch on matrix units makes
// one pass for all its readouts. The k best of a mixture are found by the same bounds (bounds.go), and by
// those of truth degrees that observed links give.
//
// If a state was only estimated when its rows were summed, Workspace.Correct adds the
// residuals afterwards (correct.go).
//
// # Split models
//
//	Sharded, ServeShard   rank 0 takes questions, with the head of the model and its shard; the others help (shards.go)
//	reduce.go             ops that need a number of all entities, on a part by an exchange (package part)
//
// # Generated plans
//
// Generated plans may use Plan, PlanSet and NewPlan; the methods of Workspace, which are
// the ops of the plan language (package fit has those of truth degrees); Sweep; NewLookup,
// New, NewBound, Template and the methods of Query. ABI numbers the versions of that
// contract. The package refuses a plan made for another version.
//
// The computation follows "Neural-Symbolic Message Passing with Dynamic Pruning"
// (ICML 2025). The package knows neither formulas nor the compiler, and does not import or
// train models.
package query
