// Package lang reads queries: text in, checked query and disjunctive normal
// form out. It knows neither models nor plans; names are looked up through a
// Vocabulary that the caller supplies.
//
// # Meaning
//
// A query of the class EFO1 asks for the entities y of a knowledge graph for
// which a formula holds. The formula is built from atoms r(s, t), which say
// that relation r leads from s to t, with conjunction, disjunction, negation
// and existential quantifiers; y is its one free variable. An argument is a
// variable, an entity by name, or a parameter of the query. r^-1(s, t) holds
// exactly when r(t, s) does, and the two count as one atom: a normal form has it in one
// direction, however it is written. See Literal. An inequality s != t says that two
// arguments are different entities.
//
// Three conditions keep queries within what the engine can answer. A negation
// must end up at atoms: it may not reach a quantifier, since "for no x" is a
// universal statement. A negated inequality must have an existential variable, which
// then stands for the other argument. Each disjunct of the disjunctive normal form must hold
// the free variable, and each of its variables must be linked by atoms of either sign to
// an entity, or to a variable of an atom that is not negated.
//
// y: City leaves out answers that are no City by a fact of the graph, of the relation that the
// model has for types; y: in_continent("Europe") names the relation. It is a condition on
// answers, no part of the formula, and may be joined by & wherever only & and exists are
// around it, or stand in the head of a template. That may also name variables whose values
// are to be shown beside the answers.
//
// # Files
//
// A file of templates has the ending .efo. Comments run from // to the end of
// the line; one right above the package clause or a query documents it, and Format
// keeps the others at their places.
//
//	package films
//
//	// DebutVenues ranks places where films of a genre that follow another film opened.
//	query DebutVenues(genre, prequel entity) y =
//	    exists x. "/film/film/genre"(x, $genre) & "/film/film/prequel"(x, $prequel) & opened_in(x, y)
//
// Below the package clause a file may choose how its queries are answered: by which
// semantics, nsmp, fit or mixed, and with how many layers of message passing.
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
//	Operand    = not Operand | exists ident { "," ident } "." Formula | "(" Formula ")" | Atom | Inequality | Limit .
//	Atom       = ( ident | quoted | parameter ) [ "^-1" ] "(" Argument "," Argument ")" .
//	Inequality = Argument unequal Argument .
//	Argument   = ident | quoted | parameter .
//	Limit      = ident ":" Type .
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
// ∀ are known in order to be refused with an explanation. A quoted name ends on
// the line that it starts on. Its escapes are those of Go strings, and either
// quote may be escaped; between backquotes there are none. In argument
// position an ident is a variable, a quoted name an entity.
//
// The last parameter of a list has a kind, and a parameter without kind has
// that of the next one with a kind, as in Go. A quantifier reaches as far to
// the right as it can: A(x) & exists z. B(z) & C(z) means
// A(x) & (exists z. (B(z) & C(z))).
//
// ParseFormula reads a Formula alone, and ParseBenchmark one in which the names
// of the EFO-1 and FIT data sets say what they stand for.
//
// # Limits
//
// The constants MaxFileBytes, MaxFormulaBytes, MaxNesting, MaxAtoms,
// MaxVariables, MaxParams, MaxDisjuncts and MaxLiterals bound what is accepted.
// Each is checked before the work that it bounds is done.
//
// # Errors
//
// Mistakes are collected into an ErrorList, sorted by position. A syntax error
// ends its query, and parsing goes on at the next one.
package lang
