// Package degrees holds the generated plans of the benchmark shapes for truth degrees:
// those of package shapes with another semantics.
package degrees

//go:generate go run ../../../cmd/efoc generate --semantics fit --package degrees -o degrees_efo.go ../shapes.efo
