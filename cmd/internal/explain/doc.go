// Package explain describes the compilation of a query: the query graph, the messages of every layer, the plan before
// and after each pass, and its cost.
//
// A Report holds the facts; Text and JSON format them. With a model, a report also describes the sweeps of the entity
// table. The package executes nothing.
package explain
