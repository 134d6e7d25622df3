// Package turtle reads RDF 1.1 Turtle (https://www.w3.org/TR/turtle/) as a stream, and with it
// N-Triples and, if documents may name graphs, N-Quads and TriG. It keeps one
// statement, the prefixes and the base, however long the document is. Terms, nesting and
// prefixes are bounded, and with them the memory.
//
// It is checked against the test suite of the W3C, see testdata. It knows neither graphs nor
// models.
package turtle
