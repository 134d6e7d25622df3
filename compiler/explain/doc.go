// Package explain describes what the compiler makes of a query: the query
// graph, the messages of every layer, the plan before and after each pass, and
// what it costs.
//
// A Report holds the facts; Text, DOT and JSON write them. The package does not depend
// on models and executes nothing.
package explain
