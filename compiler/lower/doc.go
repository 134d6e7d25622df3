// Package lower turns queries in disjunctive normal form into plans.
//
//	ast.DNF --NewShape--> Shape --NewSchedule--> Schedule --NSMP--> ir.Plan
//	                       Shape --FIT--> ir.Plan
//
//	shape.go      what a shape is
//	canon.go      the canonical order of its literals; colour.go the refinement for it
//	schedule.go   which messages are sent; nsmp.go their plan; start.go the states
//	              before the first layer
//	fit.go        truth degrees; eliminate.go the leaves; cutset.go the cycles
//
// A Shape is a query without its names: one query graph of the runtime per disjunct, with numbered slots for
// relations and constants, in a canonical order. A Schedule lists the messages that each layer sends. It
// follows the dynamic pruning of NSMP (ICML 2025, section 4.3), which depends only on the shape. NSMP unrolls
// the schedule into straight-line code.
//
// FIT lowers a shape to truth degrees instead: it eliminates the existential variables one by
// one, and breaks a cycle by conditioning on a variable, as package fit of the runtime specifies.
// Mixed lowers a shape to both and mixes the answers.
//
// The package does not depend on models and executes nothing.
package lower
