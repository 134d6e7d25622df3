// Package explain describes what the compiler makes of a query: the query graph, the messages of
// every layer, the plan before and after each pass, and its cost.
//
// A Report holds the facts; Text and JSON write them. A report needs no model; with one, it
// says what a sweep of the entity table reads. The package executes nothing.
package explain
