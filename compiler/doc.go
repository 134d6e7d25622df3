// Package compiler turns queries into plans, and plans into answers for whoever
// has a formula and no generated code.
//
//	lang.Query --lang.Normalize--> lang.DNF        formula to disjuncts
//	           --lower.NewShape--> lower.Shape     names to slots, canonical order
//	           --lower.NSMP------> ir.Plan         layers unrolled, messages pruned
//	           --lower.FIT-------> ir.Plan         or variables cut off, one by one
//	           --pass.Run--------> ir.Plan         nothing computed twice or in vain
//	           --exec, interpreted or codegen--> runtime.Plan: what runs on a model
//
// Package lower follows "Neural-Symbolic Message Passing with Dynamic Pruning"
// (ICML 2025), and for truth degrees what package fit of the runtime states. This
// package knows how the stages fit together and nothing of how each works; it never
// generates code.
package compiler
