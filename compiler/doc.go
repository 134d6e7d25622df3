// Package compiler turns queries into plans, and plans into answers for whoever
// has a formula and no generated code.
//
//	lang.Query --lang.Normalize--> lang.DNF        formula to disjuncts
//	           --lower.NewShape--> lower.Shape     names to slots, canonical order
//	           --lower.NSMP------> ir.Plan         layers unrolled, messages pruned
//	           --pass.Run--------> ir.Plan         nothing computed twice or in vain
//	           --exec, interp or codegen--> runtime.Plan: what runs on a model
//
// Package lower follows "Neural-Symbolic Message Passing with Dynamic Pruning"
// (ICML 2025). Under another semantics, see runtime/fit, the plan is wrapped: truth
// degrees need no more of it than the patterns. This package knows how the stages
// fit together and nothing of how each works; it never generates code.
package compiler
