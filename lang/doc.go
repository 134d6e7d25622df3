// Package lang parses queries: text in, checked query and disjunctive normal
// form out. It knows neither models nor plans; the caller supplies a Vocabulary
// to look up names.
//
// # Meaning
//
// An EFO1 query asks for the entities y of a knowledge graph for which a formula
// holds. The formula consists of atoms r(s, t), which say that relation r leads
// from s to t, with conjunction, disjunction, negation and existential
// quantifiers; y is its one free variable. An argument is a variable, an entity
// by name, or a parameter of the query. r^-1(s, t) holds exactly when r(t, s)
// does, and the two are one atom: a normal form has it in one direction, however
// it is written. See Literal. An inequality s != t says that two arguments are
// different entities.
//
// Three conditions keep queries within what the engine can answer:
//
//   - Negation must end at atoms. It may not reach a quantifier, because "for no x" is a
//     universal statement.
//   - A negated inequality must have an existential variable, which the other argument
//     then replaces.
//   - Each disjunct of the disjunctive normal form must contain the free variable. Atoms of
//     either sign must link each of its variables to an entity, or to a variable of an
//     atom that is not negated.
//
// y: City keeps only answers that the graph types as City, by the model's type
// relation; y: in_continent("Europe") names the relation. A type filter applies to the whole
// query and is not part of the formula. It may be joined by & wherever only & and exists
// enclose it, or stand in the head of a template. The head may also name variables whose
// values to show beside the answers.
//
// # Files
//
// The names of template files end in .efo. Comments run from // to the end of
// the line; one directly above the package clause or a query documents it. Format
// keeps the others in place.
//
//	package films
//
//	// DebutVenues ranks places where films of a genre that follow another film opened.
//	query DebutVenues(genre, prequel entity) y =
//	    exists x. "/film/film/genre"(x, $genre) & "/film/film/prequel"(x, $prequel) & opened_in(x, y)
//
// Below the package clause, a file may choose the semantics, nsmp, fit or mixed, and
// the number of layers of message passing.
//
//	semantics mixed
//	layers 3
//
// # Grammar
//
//	File       = [ "package" ident ] [ "semantics" ident ] [ "layers" number ] { Query } .
//	Query      = "query" ident [ "(" [ Param { "," Param } ] ")" ] ident [ ":" Type ] [ Show ] "=" Formula .
//	Show       = "show" ident { "," ident } .
//	Param      = ident [ "entity" | "relation" ] .
//	Formula    = Conj { or Conj } .
//	Conj       = Operand { and Operand } .
//	Operand    = not Operand | exists ident { "," ident } "." Formula | "(" Formula ")" | Atom | Inequality | TypeFilter .
//	Atom       = ( ident | quoted | parameter ) [ "^-1" ] "(" Argument "," Argument ")" .
//	Inequality = Argument unequal Argument .
//	Argument   = ident | quoted | parameter .
//	TypeFilter = ident ":" Type .
//	Type       = Name | Name [ "^-1" ] "(" Name ")" .
//	Name       = ident | quoted .
//
//	or         = "|" | "||" | "∨" | "or" .
//	and        = "&" | "&&" | "∧" | "and" .
//	not        = "!" | "¬" | "~" | "not" .
//	unequal    = "!=" | "≠" .
//	exists     = "∃" | "exists" .
//	ident      = ( letter | "_" ) { letter | digit | "_" } .
//	quoted     = `"` { char | escape } `"` | "'" { char | escape } "'" | "`" { char } "`" .
//	parameter  = "$" ident .
//	number     = digit { digit } .
//
// Letters and digits are those of Unicode. An ident is none of the keywords
// package, query, exists, forall, and, or, not, entity and relation; forall and
// ∀ are reserved to be refused with an explanation. A quoted name ends on
// the line that it starts on. It has the escapes of Go strings, and either
// quote may be escaped; between backquotes there are none. In argument
// position an ident is a variable, a quoted name an entity.
//
// The last parameter of a list has a kind; a parameter without one has the kind
// of the next parameter that has one, as in Go. A quantifier extends as far to
// the right as possible: A(x) & exists z. B(z) & C(z) means
// A(x) & (exists z. (B(z) & C(z))).
//
// ParseFormula reads a single Formula; ParseBenchmark reads one with the names
// of the EFO-1 and FIT data sets.
//
// # Limits
//
// The constants MaxFileBytes, MaxFormulaBytes, MaxNesting, MaxAtoms,
// MaxVariables, MaxParams and MaxDisjuncts bound the input. Each is
// checked before the work that it bounds.
//
// # Errors
//
// Errors are collected into an ErrorList, sorted by position. After a syntax
// error, parsing continues at the next query.
package lang
