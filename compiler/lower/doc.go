// Package lower turns queries in disjunctive normal form into plans.
//
//	lang.DNF --NewShape--> Shape --NewSchedule--> Schedule --NSMP--> ir.Plan
//	                       Shape --FIT--> ir.Plan
//
// A Shape is what is left of a query without its names: one query graph per
// SCQ, with numbered slots for relations and constants, in a canonical order.
// A Schedule says which messages each layer sends, by the dynamic pruning of
// NSMP (ICML 2025, section 4.3), which depends on the shape alone. NSMP unrolls
// the schedule into straight-line code.
//
// FIT lowers a shape to truth degrees instead: it is done with one existential
// variable after the other, and cuts a cycle by enumerating one, as package fit of the
// runtime states. Mixed lowers it to both, and mixes the answers.
//
// The package knows no models and executes nothing.
package lower
