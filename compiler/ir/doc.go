// Package ir is the plan language between the compiler's front and its back
// ends: a query shape's message passing, unrolled over layers, as straight-line
// code in static single assignment form.
//
// A Plan is a list of Values in execution order. A value applies one Op to
// earlier values and to slots: constant slots (s1, s2, …) and relation slots
// (r1, r2, …) are filled when a query is answered, so one plan serves every
// query of its shape. Values are whole arrays: an embedding (2d numbers) or a
// fuzzy vector over the entities (n numbers).
//
// What an op computes, takes, returns and costs stands in one table (op.go);
// the printer, the parser, the verifier, the interpreter and every back end are
// tested against that table.
//
// The package knows neither models, nor how an op is executed, nor how queries
// become plans.
package ir
