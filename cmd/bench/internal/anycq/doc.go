// Package anycq evaluates models on the benchmarks of AnyCQ (One Model, Any Conjunctive
// Query, arXiv 2409.13959): query answer classification, whose questions come with positive
// and negative answers, and query answer retrieval, whose questions of one to three free
// variables want one right answer. Their formulas have up to 30 atoms and 20 variables,
// with cycles. The package knows their files, formulas and models; it knows no command line.
//
// # Files
//
// A file qac_{split}_*.json or qar_{split}_*.json is an object:
//
//	{formula: [[slots, positive answers, negative answers], …], …}
//	{formula: [[slots, answers, "e", "h" or "n"], …], …}
//
// Slots are {"s1": entity, "r1": directed relation, …}, answers {"f1": [[1], [2]]} or
// {"f1&f2": [[1, 2], …]}. "e" says that observed facts give an answer, "h" that none do,
// and "n" that there is no answer. Files are untrusted: everything in them is bounded and checked.
//
// # Questions with several free variables
//
// If observed facts give an answer, which the solver finds out within a budget, it is taken. Otherwise the
// model's best row is. efoc's formulas have no atoms between two constants; such an atom multiplies the
// score by the score of its link.
package anycq
