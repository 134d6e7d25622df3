// Package mixed holds the generated plans of the benchmark shapes by the mixture of message passing
// and truth degrees: see package shapes.
package mixed
