// Package query answers: it is what a program opens models with and asks, and what
// generated plans link against.
//
//	Open           a bundle, read and checked              -> Model
//	New            a plan bound to a model                 -> Query
//	Query.Answer   one choice of constants and relations   -> Answers
//	AnswerBatch    several, of queries of one plan         -> Answers of each
//	Group.Answer   one of several that come at any time    -> Answers
//	Model.Change   other facts, for all that is asked next (snapshot.go)
//	Query.Why      the best witness of each answer         -> Witness
//
// A Query is made for each user of a plan: it holds the names that answers are reported
// with. What runs the plan, the model and its workspaces, is shared by all. A query is
// answered where its Model is: by the processor, or on the device that Model.On has
// brought it to.
//
// # A pass over the entity table
//
//	Plan.Run         describes what is wanted of each row: Sweep.Score, Cosine, Embed, …
//	Sweep.Run        sweeprun.go: of a batch or group, all queries' wishes at once (lockstep)
//	pool.Pool.Run    workers take one chunk of the rows at a time
//	Sweep.chunk      block by block, so that a row is loaded once: scores, then sums
//	  scoreBlock     dot products of rows and queries          (kernels/simd)
//	  sumBlock       weights by online softmax, sums of rows   (sweepsoftmax.go)
//	  codeBlock      both on codes of 8 or 4 bits, for one query (sweepcodes.go)
//	Sweep.combine    adds the partial sums of the chunks, in order
//
// After a pass over codes, the rows that matter are read again from the exact table
// (reread.go).
//
// The answer of a plan may be left to be read out (readout.go): whoever wants the k best
// entities gets them without a pass where bounds decide, whoever wants all of it by a pass.
// A batch on matrix units makes one pass for all its readouts.
//
// Where a batch has many scores or sums, Sweep.productPass computes them as products of
// matrices (sweepbatch.go, kernels/product).
//
// Where a state was only estimated when its rows were summed, Workspace.Correct adds the
// residuals afterwards (correct.go, residuals.go).
//
// # Split models
//
//	Sharded, ServeShard   rank 0 is asked, by the head of the model and its shard; the others help (shards.go)
//	parted.go             ops on a part: what depends on the entities of others is exchanged (package collective)
//
// # Generated plans
//
// They may use Plan, PlanSet and NewPlan; the methods of Workspace, which are the ops of
// the plan language, those of truth degrees being in package fit; Sweep; NewLookup, New,
// NewBound, Template and the methods of Query. ABI counts the versions of that contract:
// a plan made for another one is refused.
//
// What is computed follows "Neural-Symbolic Message Passing with Dynamic Pruning"
// (ICML 2025). The package knows neither formulas nor how plans are made, nor how models
// are imported or trained.
package query
