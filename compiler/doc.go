// Package compiler answers formulas without generated code:
//
//	m, err := runtime.Open("world.efoc")
//	q, err := compiler.Prepare(m, `exists x. borders("France", x) & capital(x, y)`, compiler.Options{})
//	r, err := q.Ask(ctx, nil, runtime.Options{K: 5}) // r.Rows: entities with scores, confidence and status
//
// It turns queries into plans and binds them to a model. Plans without generated code are interpreted.
//
// # From a formula to a plan
//
//	lang.ParseFormula   text                  -> lang.Query: formula with positions, normal form
//	Analyze             parts, with one answer variable each; of each, by lower.Order and NewShape:
//	                    Shape: query graphs over numbered slots
//	Analysis.Resolve    names                 -> plan.Spec: the question as data, with the ids of the names
//	Cache.Compile       by the shape's text   -> Compiled, or else Compile:
//	  lower.NSMP        unrolls the layers and prunes messages   -> ir.Plan
//	  lower.FIT         eliminates the variables one by one      -> ir.Plan
//	  pass.Run          removes repeated and unused values       -> ir.Plan
//	Prepare             generated code, package interpreted or package reference
//	                    -> plan.Plan, in the Spec, bound to a model -> runtime.Question
//
// Each stage runs once per query. With a Cache, a text that was parsed before or a shape that was compiled before
// skips the later stages.
//
// Package lower follows "Neural-Symbolic Message Passing with Dynamic Pruning" (ICML 2025) and, for truth degrees,
// the definitions in package fit of the runtime. This package connects the stages; packages below it implement
// them. Package codegen generates code.
package compiler
