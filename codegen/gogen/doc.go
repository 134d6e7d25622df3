// Package gogen prints Go: for every template of a file a type that answers it,
// and for every query shape in the file one plan that its templates share.
//
//	file.go    the file: header, package, templates, plans
//	types.go   the Go types of parameters, by a model
//	query.go   a template: its type, parameters and constructor
//	methods.go a template: its methods, and its result if it shows variables
//	bench.go   a template: the benchmark that compares the engines
//	plan.go    a shape: its plan variable and the function that runs it
//	pattern.go a shape: its query graphs
//	names.go   a term or a relation: its name in the template, and in Go
//	values.go  a value of a plan: the name of its variable
//	ops.go     an op: one call of the runtime
//
// What is printed links against package query and the packages below it; package fit explains
// answers, and nothing else, and is the same whether or not there are kernels for a device
// beside it. Names from queries become Go identifiers or quoted strings, never code.
package gogen
