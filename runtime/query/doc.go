// Package runtime is what plans run on, and what a program needs to answer queries:
// the model (observed graph, link predictor, names), the plan of a query shape, and
// the answers. Generated code imports it as rt and links nothing else of this
// module, apart from package fit where its plans compute truth degrees, and package
// device where kernels were generated too.
//
//	Open           a bundle, read and checked              -> Model
//	NewQuery       a plan bound to a model                 -> Query
//	Query.Answer   one choice of constants and relations   -> Answers
//	AnswerBatch    several, of queries of one plan         -> Answers of each
//
// A Query is made for each user of a plan: it holds the names that answers are reported
// with. What runs the plan, the model and its workspaces, is shared by all.
//
// A query is answered where its model is (AnyModel): by the processor for a Model,
// by a GPU for one that package device has brought there.
//
// Generated plans may use: Plan, QueryGraph, Atom, PlanSet, Const and Var to
// describe a shape; the methods of Workspace, which are the ops of the plan
// language; Sweep, which makes one pass over the entity table for several of them;
// NewLookup, NewQuery, NewBoundQuery and the methods of Query. ABI counts the
// versions of that contract: a plan made for another one is refused.
//
// What is computed follows "Neural-Symbolic Message Passing with Dynamic Pruning"
// (ICML 2025). The package knows neither formulas nor how plans are made: it
// imports only the kernels. Package importer reads foreign formats.
package query
