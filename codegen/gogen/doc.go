// Package gogen prints Go: a type for every template of a file, and for every query shape a plan that its
// templates share.
//
//	file.go    the file: header, package, templates, plans
//	types.go   the Go types of parameters, from a model
//	query.go   a template: its type, parameters and constructor
//	methods.go a template: its methods, and its result if it shows variables
//	bench.go   a template: the benchmark that compares the engines
//	plan.go    a shape: its plan variable, its query graphs and the function that runs it
//	names.go   a term or a relation: its name in the template, and in Go
//	values.go  a value of a plan: the name of its variable
//	ops.go     an op: one call of the runtime
//
// Generated code links only against packages runtime and plan, and packages below them, such as fit, which
// explains answers. It does not depend on whether there are kernels for a device. Names from queries become Go
// identifiers or quoted strings, never code.
package gogen
