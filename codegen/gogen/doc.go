// Package gogen prints Go: for every template of a file a type that answers it,
// and for every query shape in the file one plan that its templates share.
//
//	file.go    the file: header, package, templates, plans
//	query.go   a template: its type, parameters and constructor
//	plan.go    a shape: its plan variable and the function that runs it
//	values.go  a value of a plan: the name of its variable
//	ops.go     an op: one call of the runtime
//	degrees.go an op of truth degrees: one call of package fit
//
// What is printed links against package query and the packages below it; package fit explains
// answers, and nothing else, and is the same whether or not there are kernels for a device
// beside it. Names from queries become Go identifiers or quoted strings, never code.
package gogen
