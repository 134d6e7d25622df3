// Package sparql reads the part of SPARQL 1.1 that is EFO1: SELECT of one variable, and
// ASK, over basic graph patterns.
//
//	supported      triples with ; and , and a, blank nodes, paths of / ^ |, groups, UNION,
//	               sub-SELECT, FILTER of = != IN NOT IN EXISTS NOT EXISTS && || !, MINUS,
//	               DISTINCT, REDUCED, ORDER BY, LIMIT, OFFSET
//	refused        everything else, with its place: OPTIONAL, GRAPH, SERVICE, BIND, VALUES,
//	               aggregates, updates, paths of * + ? !, variables as predicates, several
//	               selected variables, negation over variables that only it has, and
//	               comparisons of literals
//
// An IRI stands for the entity or relation that has it as its name, and urn:efoc:NAME, with
// the name's special characters in percent-encoding, for one whose name is not an IRI. A
// literal stands for the entity that is this literal, where a graph in RDF has it, or else, if
// it has neither language nor type, for the entity of that name or label. The prefix of the
// empty name is urn:efoc: unless the query declares another.
//
// A triple of an entity or relation that the graph lacks holds of nothing, however its IRI is
// written. A store that asks by SERVICE may put its values in the places of variables: a SELECT
// whose variable the pattern lacks has one solution without it, or none.
//
// Each answer comes once, as with DISTINCT, however many solutions it has; where LIMIT or OFFSET
// would count them in an order, DISTINCT has to be written.
//
// Every answer y has, beside ?y, what no pattern binds: ?y_confidence and ?y_status, which
// FILTER compares and ORDER BY sorts by, and ?y_label.
//
// The result is a query of package lang, which knows no SPARQL. This package knows neither
// models nor how a query is answered.
package sparql
