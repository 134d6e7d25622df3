// Package explain says in words what the compiler makes of a query: the query
// graph, the messages of every layer, the plan before and after each pass, and
// what it costs.
//
// A Report holds the facts; Text, DOT and JSON write them. The package knows no
// models and executes nothing.
package explain
