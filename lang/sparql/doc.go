// Package sparql parses the subset of SPARQL 1.1 that package lang can express, SELECT, COUNT of one variable,
// and ASK over basic graph patterns, and queries for an entity's facts.
//
//	supported      triples with ; and , and a, blank nodes, paths of / ^ | ? {n} {n,m}, groups, UNION,
//	               sub-SELECT, FILTER of = != IN NOT IN EXISTS NOT EXISTS && || !, MINUS,
//	               DISTINCT, REDUCED, ORDER BY, LIMIT, OFFSET, (COUNT(DISTINCT ?y) AS ?n);
//	               DESCRIBE :a, SELECT ?p ?o { :a ?p ?o }, SELECT ?s ?p { ?s ?p :a }
//	refused        everything else, with its position: OPTIONAL, GRAPH, SERVICE, BIND, VALUES,
//	               other variables as predicates, other aggregates, updates, paths of * + !, negation over variables that occur only in it, and
//	               comparisons of literals
//
// An IRI names the entity or relation of that name; urn:efoc:NAME, percent-encoded, names one whose name is not
// an IRI. A literal names the entity that is this literal, if the RDF graph has one; otherwise, if it has
// neither language nor type, it names the entity with that name or label. The empty prefix is urn:efoc: unless
// the query declares another.
//
// A triple with an unknown entity or relation has no solution. A store that uses SERVICE may substitute values
// for variables: a SELECT whose variable does not occur in the pattern has one solution, in which it is
// unbound, or none.
//
// A variable or literal that is the object of an attribute is a value. A single value must meet all comparisons of its
// variable, which are FILTERs joined by && in the group of its only triple. SELECT returns values beside their entity.
//
// Each answer appears once, as with DISTINCT, however many solutions it has. If LIMIT or OFFSET would count
// ordered solutions, the query must say DISTINCT.
//
// A SELECT of several variables needs LIMIT and returns the best rows, without ORDER BY and without conditions on
// confidence or status.
//
// Every answer y also binds ?y_confidence and ?y_status, which FILTER and ORDER BY may use, and
// ?y_label.
//
// COUNT(?y) AS ?n counts known answers and estimates the others: ?n is the sum, rounded; ?n_known is the number
// of known answers, and ?n_low and ?n_high are bounds.
//
// The result is a query of package lang, which is independent of SPARQL. This package knows neither models nor
// how a query is answered.
package sparql
