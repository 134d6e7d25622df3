// Package codegen holds the parts that all code generators share: names of generated declarations, and printing
// of Go files and composite literals.
package codegen
