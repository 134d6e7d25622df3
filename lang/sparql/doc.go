// Package sparql parses the part of SPARQL 1.1 that queries of package lang can say, SELECT, COUNT of
// one variable, and ASK over basic graph patterns, and queries of stored facts.
//
//	supported      triples with ; and , and a, blank nodes, paths of / ^ | ? {n} {n,m}, groups, UNION,
//	               sub-SELECT, FILTER of = != IN NOT IN EXISTS NOT EXISTS && || !, MINUS,
//	               DISTINCT, REDUCED, ORDER BY, LIMIT, OFFSET, (COUNT(DISTINCT ?y) AS ?n);
//	               variables as predicates, COUNT(*), GROUP BY, DESCRIBE, isIRI, isBlank, isLiteral
//	refused        everything else, with its position: OPTIONAL, GRAPH, SERVICE, BIND, VALUES,
//	               other aggregates, updates, paths of * + !, negation over variables that occur only in it, and
//	               comparisons of literals
//
// An IRI names the entity or relation of that name; urn:efoc:NAME, percent-encoded, names one
// whose name is not an IRI. A literal names the entity that is this literal, if an RDF graph has
// one; otherwise, if it has neither language nor type, it names the entity with that name or
// label. The empty prefix is urn:efoc: unless the query declares another.
//
// A triple with an unknown entity or relation has no solution. A store that uses SERVICE may
// substitute values for variables: a SELECT whose variable does not occur in the pattern has
// one solution without it, or none.
//
// Each answer appears once, as with DISTINCT, however many solutions it has. If LIMIT or OFFSET
// would count solutions in an order, the query must say DISTINCT.
//
// A SELECT of several variables with LIMIT has the best rows, without ORDER BY and without conditions on
// confidence or status.
//
// Every answer y also binds ?y_confidence and ?y_status, which FILTER and ORDER BY may use, and
// ?y_label.
//
// COUNT(?y) AS ?n counts known answers and expects others: ?n is the sum, rounded; ?n_known,
// ?n_low and ?n_high are the known ones and bounds.
//
// A query with a variable as predicate, COUNT(*), several counts or GROUP BY, DESCRIBE, and a SELECT of several
// variables without LIMIT, ask for stored facts: see Facts. They have the solutions of SPARQL, which may repeat, negation may be over variables that occur only in it, and
// paths are not repeated.
//
// The result is a query of package lang, which knows no SPARQL. This package knows neither
// models nor how a query is answered.
package sparql
