// Package turtle reads RDF 1.1 Turtle (https://www.w3.org/TR/turtle/) as a stream, and with it
// N-Triples and, if documents may name graphs, N-Quads and TriG. Its memory is bounded: it
// keeps one statement, the prefixes and the base, and bounds terms, nesting and prefixes.
//
// It is checked against the test suite of the W3C, see testdata. It knows neither graphs nor
// models.
package turtle
