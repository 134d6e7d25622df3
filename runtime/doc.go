// Package runtime opens models and answers queries on them. This is what a program uses.
//
//	Open            reads and checks a bundle                     -> Model
//	Model.Bind      binds a plan.Spec, a question of any kind     -> Question
//	Question.Ask    answers for one set of parameters             -> Reply: Rows, a Verdict or a Count
//	Question.AskAll answers for several                           -> a Reply for each
//	Question.Why    finds the best witness of each answer         -> Witness
//	Question.Each   runs the plan and passes all scores           -> Run
//	Model.Links     finds and judges tails of single links        -> Replies
//	Options         how many answers, and which: Filter, Show, …
//	Model.Change    changes the facts that later queries see
//	Model.On        copies the model to a device; queries bound to that run there
//	Group           lets questions that arrive at any time share work
//
// The types that efoc generate writes for templates have these methods, with typed parameters.
// Package compiler makes a Question from a formula. The parts of a question are plans with one answer variable, bound to
// the model, whose workspaces they share.
//
// # Packages
//
// For users:
//
//	runtime         models, queries and answers
//	runtime/model   bundles: names, facts, settings; packages below it make models
//	runtime/facts   stores changes of facts in a file
//	runtime/device  models on devices; runtime/device/nvidia opens one
//
// For generated code:
//
//	runtime/plan    plans, questions as data, and the workspace whose methods are the ops of plans
//
// For efoc's own tools, in this module:
//
//	runtime/shards  models that are split among processes; runtime/shards/mpi connects these
//	runtime/pause   suspends the work on questions between its steps
//	runtime/fit, scq, memory, atomicfile, regularfile
//	Model.Bundle, Links and At, Question.Each and PartBindings
//
// Below internal, from the top down: judge finds statuses and confidences, search finds rows of several variables and
// explain finds witnesses, all three by id. run runs plans where the model is, drive serves their requests,
// collective exchanges data among the ranks of a split model, sweep reads the entity table once for all requests,
// exchange holds a rank's share of a split model, top picks the best entities, rows knows how rows are stored, and
// moments bounds sums over all rows.
//
// # Split models
//
// Rank 0 holds the head of the model and a shard, and receives the questions (internal/run/shards.go). All ranks
// answer them in step, each with the rows of its shard (internal/run/shard.go).
//
// The computation follows "Neural-Symbolic Message Passing with Dynamic Pruning" (ICML 2025). The
// package knows neither formulas nor the compiler, and does not import or train models.
package runtime
