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
//	Sweep.Run        sweeprun.go: collects the requests of a batch or group
//	pool.Pool.Run    workers take one chunk of the rows at a time
//	Sweep.chunk      loads each row once, block by block: scores, then sums
//	  scoreBlock     dot products of rows and queries          (kernels/simd)
//	  sumBlock       weights by online softmax, sums of rows   (sweepsoftmax.go)
//	  codeBlock      both on integer codes, for one query      (sweepcodes.go)
//	Sweep.combine    adds the partial sums of the chunks, in order
//
// After a pass over codes, the exact table supplies the rows that matter (reread.go).
//
// If a batch has many scores or sums, Sweep.productPass computes them as matrix products
// (sweepbatch.go, kernels/product).
//
// A plan may leave its answer to the readout (readout.go). The k best entities then need no
// pass if bounds decide; a ranking of all entities needs one. A batch on matrix units makes
// one pass for all its readouts.
//
// If a state was only estimated when its rows were summed, Workspace.Correct adds the
// residuals afterwards (correct.go, residuals.go).
//
// # Split models
//
//	Sharded, ServeShard   rank 0 takes questions, with the head of the model and its shard; the others help (shards.go)
//	parted.go             ops on a part: they exchange what depends on other ranks' entities (package collective)
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
