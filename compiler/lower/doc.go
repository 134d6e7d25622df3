// Package lower turns queries in disjunctive normal form into plans.
//
//	lang.DNF --NewShape--> Shape --NewSchedule--> Schedule --NSMP--> ir.Plan
//	                       Shape --FIT--> ir.Plan
//
//	shape.go      what a shape is
//	canon.go      the canonical order of its literals, colour.go the refinement for it
//	schedule.go   which messages are sent, nsmp.go their plan, start.go that of the states
//	              before the first layer
//	fit.go        truth degrees: eliminate.go the leaves, cutset.go the cycles
//
// A Shape is a query stripped of its names: one query graph of the runtime per
// SCQ, with numbered slots for relations and constants, in a canonical order.
// A Schedule says which messages each layer sends, by the dynamic pruning of
// NSMP (ICML 2025, section 4.3), which depends on the shape alone. NSMP unrolls
// the schedule into straight-line code.
//
// FIT lowers a shape to truth degrees instead: it eliminates one existential variable
// after the other, and breaks a cycle by conditioning on one, as package fit of the
// runtime specifies. Mixed lowers a shape to both, and mixes the answers.
//
// The package does not depend on models and executes nothing.
package lower
