// Package lang parses queries: text in; checked query and disjunctive normal form out, as trees of package ast.
// It knows neither models nor plans; the caller supplies a Vocabulary to look up names. README.md shows each
// construct of the language by an example.
//
// # Meaning
//
// An EFO1 query asks for the entities y of a knowledge graph for which a formula holds. The formula combines
// atoms r(s, t), which say that relation r holds from s to t, by conjunction, disjunction, negation and
// existential quantifiers; y is its one free variable. r^-1(s, t) and r(t, s) are the same atom: a normal form
// has it in one direction, however it is written. See ast.Literal.
//
// Implications, universal quantifiers, paths and aliases of relations are abbreviations. Normalize expands them
// first; a Query keeps its formula as written. A mistake in an expansion is reported at the abbreviation.
//
// Three conditions restrict queries to what the engine can answer:
//
//   - Negation must end at atoms. It may not reach an existential quantifier, because "for
//     no x" is a universal statement, and must reach a universal one.
//   - A negated inequality must have an existential variable, which the other argument
//     then replaces.
//   - Each disjunct of the disjunctive normal form must contain each free variable. Atoms of
//     either sign must link each of its variables to an entity, or to a variable of an
//     atom that is not negated.
//
// A formula without a free variable is a sentence, which asks yes or no. It is split into EFO1 queries: see
// Query.Parts. The conditions apply to each of them.
//
// A type filter, y: City, applies to the whole query and is not part of the formula. It may be joined by &
// where only & and exists enclose it, or be in the head of a template. Queries with several answer variables
// have none.
//
// A filter, population(x) > 5, holds for entities with a value of the attribute that meets the condition. In a range,
// population(x) in 2..3, a single value must lie between both ends, which are included unless a < on their side of the
// dots excludes them. With a question mark, population(x) >? 5, a filter also holds for entities without a value. The
// negation of a filter holds for entities whose values all fail the condition, and with a question mark also for
// entities without a value.
//
// x, y: r(x, y) & s(y, "a") asks for pairs: a head with commas names several free variables, and the answers
// are rows of entities for them. count y: r("a", y) asks for the number of answers, and count y: City & r("a", y) for that
// of cities.
//
// # Grammar
//
//	File       = [ "package" ident ] [ "semantics" ident ] [ "layers" number ] { Alias } { Query } .
//	Alias      = "relation" ident "=" Name [ "^-1" ] .
//	Query      = "query" ident [ "(" [ Param { "," Param } ] ")" ] [ Answers [ ":" Type ] [ Show ] ] "=" Formula .
//	Answers    = [ "count" ] ident { "," ident } .
//	Show       = "show" ident { "," ident } .
//	Param      = ident [ "entity" | "relation" | "number" | "date" ] .
//	Formula    = Disj [ implies Disj ] .
//	Disj       = Conj { or Conj } .
//	Conj       = Operand { and Operand } .
//	Operand    = not Operand | ( exists | forall ) ident { "," ident } "." Formula | "(" Formula ")" | Atom | Inequality | TypeFilter | Filter .
//	Atom       = ( Relation | "(" Relation or Relation { or Relation } ")" ) [ Bounds ] "(" Argument { "," Argument } ")" .
//	Relation   = ( ident | prefixed | quoted | parameter ) [ "^-1" ] .
//	Bounds     = "{" number [ "," number ] "}" .
//	Inequality = Argument unequal Argument .
//	Argument   = ident | quoted | parameter .
//	TypeFilter = ident ":" Type .
//	Filter     = Name "(" Argument ")" ( compare Value | "in" [ "?" ] Value dots Value ) .
//	Value      = value | quoted | parameter .
//	Type       = Name | Name [ "^-1" ] "(" Name ")" .
//	Name       = ident | prefixed | quoted .
//
//	or         = "|" | "||" | "∨" | "or" .
//	and        = "&" | "&&" | "∧" | "and" .
//	not        = "!" | "¬" | "~" | "not" .
//	unequal    = "!=" | "≠" .
//	compare    = ( "=" | unequal | "<" | "<=" | "≤" | ">" | ">=" | "≥" ) [ "?" ] .
//	dots       = ".." | "<.." | "..<" | "<..<" .
//	implies    = "->" | "→" .
//	exists     = "∃" | "exists" .
//	forall     = "∀" | "forall" | "all" .
//	ident      = ( letter | "_" ) { letter | digit | "_" } .
//	prefixed   = [ ident { "-" word } ] ":" word { "-" word } , where word = ( letter | digit | "_" ) { letter | digit | "_" } .
//	quoted     = `"` { char | escape } `"` | "'" { char | escape } "'" | "`" { char } "`" .
//	parameter  = "$" ident .
//	number     = digit { digit } .
//	value      = [ "+" | "-" ] ( number [ "." number ] | "." number ) [ ( "e" | "E" ) [ "+" | "-" ] number ] .
//
// Letters and digits are defined as in Unicode. An ident is none of the keywords package, query, exists,
// forall, and, or, not, entity and relation; the word all is a keyword before a variable. A quoted name ends on
// the line on which it starts. It has the escapes of Go strings, and either quote may be escaped; between
// backquotes there are none. As an argument, an ident is a variable and a quoted name an entity. A prefixed
// name has no blanks, and "(", "^-1" or "{" follows it. An atom has two arguments, the attribute of a filter one.
//
// The last parameter of a list has a kind; a parameter without one has the kind
// of the next parameter that has one, as in Go. A quantifier extends as far to
// the right as possible: A(x) & exists z. B(z) & C(z) means
// A(x) & (exists z. (B(z) & C(z))).
//
// ParseFormula parses a single Formula, or Answers ":" Formula with a count or several answer variables; ParseBenchmark
// parses one in the notation of the EFO-1 and FIT data sets.
//
// # Limits
//
// Package limits bounds the bytes of a file and of a formula, and the numbers of parameters, answer variables,
// quantified variables, atoms, nested operators and disjuncts. Each is checked before the work that it bounds.
//
// # Errors
//
// Errors are collected into an ErrorList, sorted by position. After a syntax error, parsing continues at the
// next query.
package lang
