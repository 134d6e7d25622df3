package lang

import "fmt"

// Pos is a position in source text. Line and Col count from 1; Col counts Unicode code points.
// The zero Pos means "nowhere": text that was not parsed.
type Pos struct {
	File string
	Line int
	Col  int
	// Offset is the byte offset into the text.
	Offset int
}

// Position returns p; formulas embed their positions, and have it by that.
func (p Pos) Position() Pos { return p }

// IsValid reports whether p is a position in a text.
func (p Pos) IsValid() bool { return p.Line > 0 }

// String formats p as file:line:col, without the file if it is unknown.
func (p Pos) String() string {
	switch {
	case !p.IsValid():
		return "-"
	case p.File == "":
		return fmt.Sprintf("%d:%d", p.Line, p.Col)
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col)
}

// Kind is the kind of a template parameter.
type Kind uint8

// The two kinds of parameters.
const (
	EntityKind Kind = iota
	RelationKind
)

// String returns the keyword of the kind.
func (k Kind) String() string { return [...]string{"entity", "relation"}[k] }

// File is one parsed and checked .efo file.
type File struct {
	// Package is the name in the package clause, empty without one.
	Package string
	// Semantics is nsmp, fit or mixed, or empty without a semantics clause.
	Semantics string
	// Layers is the number of layers, 0 without a layers clause.
	Layers int
	// Aliases are the short names of relations, in source order.
	Aliases []*Alias
	// Doc is the comment above the package clause, without comment marks.
	Doc string
	// Queries are the templates in source order, without the refused ones.
	Queries []*Query
	// Refused are the templates with errors.
	Refused []Refused
	// Loose are the comments that belong to neither Doc nor a query's Doc, in
	// source order.
	Loose []Comment

	// all are the templates, those with errors too.
	all []*Query
}

// Alias is a short name of a relation in a file.
type Alias struct {
	Name string
	// Relation is what the name stands for.
	Relation Relation
	Pos      Pos

	used bool
}

// Refused is a template with errors.
type Refused struct {
	// Name is the template's name, empty if the name itself is wrong.
	Name string
	// Mistakes are the errors.
	Mistakes ErrorList
}

// Comment is a comment of a file, without the comment mark.
type Comment struct {
	Text string
	Pos  Pos

	// trails says that the comment stands behind code on its line.
	trails bool
	// decl is the index of the declaration, a clause or a query, that the comment stands
	// in or, where next is 0, in front of.
	decl int
	// next is the offset of the token that follows in the declaration, not counting what
	// joins and opens operands; afterAll where none follows.
	next int
}

// Query is a named template of a file, or an ad-hoc question: an EFO1 query, one with several answer
// variables, or a sentence, which asks yes or no. EFO1 queries answer the other two: see Parts.
// It is checked (scopes, arities, kinds) and free of parser types.
type Query struct {
	// Name of the template, empty for an ad-hoc question.
	Name string
	// Doc is the comment above the query, without comment marks.
	Doc string
	// Params are the template's parameters in source order.
	Params []Param
	// Free is the name of the free variable, empty for a sentence, which asks yes or no.
	Free string
	// FreePos is the position where a template declares Free; for an ad-hoc question, the
	// variable's first position in the formula.
	FreePos Pos
	// Others are the answer variables after Free, where the head names several.
	Others []Term
	// TypeFilter is the type of the answers, nil for any.
	TypeFilter *TypeFilter
	// Count says that a template asks how many answers there are.
	Count bool
	// Show are existential variables whose values a template reports with each answer.
	Show []Term
	// Formula is the body.
	Formula Formula
	// Normal is the disjunctive normal form of Formula. The parsers compute it; a query that
	// is built or changed needs Normalize. A sentence has none.
	Normal *DNF
	// Warnings are what Normalize says about the formula: see there.
	Warnings []Warning
	// Pos is the position of the query's name, or of the formula.
	Pos Pos

	// src is the text that the query was parsed from; nil for a query that was built. Errors
	// quote their line from it.
	src *source
	// plain is the formula without abbreviations, which Normalize sets.
	plain Formula
	// borrows says that plain has what a short name or another template stands for.
	borrows bool
	// sentence has the parts of a sentence, which Normalize sets; nil for other queries.
	sentence *sentence
	// scope has what the names in a template may stand for, nil for an ad-hoc question.
	scope *scope
	// mistakes are the errors of a template, once examined is set. A faulty template has mistakes of its own,
	// independent of the templates that it uses.
	mistakes         ErrorList
	examined, faulty bool
}

// Alone returns the query as it reads without its file, whose short names and templates it may
// use.
func (q *Query) Alone() *Query {
	alone := *q
	alone.scope = nil
	if q.borrows {
		alone.Formula = q.plain
	}
	if f := q.TypeFilter; f != nil {
		alone.TypeFilter = &TypeFilter{Relation: f.Relation, Entity: f.Entity, Pos: f.Pos, variable: f.variable}
	}
	return &alone
}

// Variables returns the answer variables: Free and Others. A sentence has none.
func (q *Query) Variables() []Term {
	if q.Free == "" {
		return nil
	}
	return append([]Term{{Name: q.Free, Pos: q.FreePos}}, q.Others...)
}

// Shown returns the names of the variables of Show.
func (q *Query) Shown() []string { return names(q.Show) }

// NewQuery returns a query without a formula, for syntaxes other than the language of formulas: errors
// point into the text. Set Formula, then call Normalize, which checks it and fills in the rest.
func NewQuery(text string) *Query { return &Query{src: &source{text: text}} }

// Param is a parameter of a template; the formula names it with a dollar sign.
type Param struct {
	Name string
	Kind Kind
	Pos  Pos
}

// Formula is one of *And, *Or, *Not, *Exists, *Atom and *Unequal, or an abbreviation that
// Normalize writes out by them: *Implies, *Forall, *Path or *Call.
type Formula interface {
	// Position is where the formula starts.
	Position() Pos
}

// And is the conjunction of two or more formulas.
type And struct {
	Args []Formula
	Pos
}

// Or is the disjunction of two or more formulas.
type Or struct {
	Args []Formula
	Pos
}

// Not is a negation.
type Not struct {
	Arg Formula
	Pos
}

// Exists quantifies one or more variables.
type Exists struct {
	Vars []Term
	Body Formula
	Pos

	// refusal says what a negation of it means where it was not written so, empty elsewhere.
	refusal string
}

// Implies is the implication if -> then.
type Implies struct {
	If, Then Formula
	Pos
}

// Forall quantifies one or more variables universally. It is part of EFO1 under a negation.
type Forall struct {
	Vars []Term
	Body Formula
	Pos
}

// Path is a chain of Least to Most atoms, each by one of the relations: (r|s^-1){1,3}(head, tail).
type Path struct {
	Relations   []Relation
	Least, Most int
	Head, Tail  Term
	Pos
}

// Call uses a template with other than two arguments; one with two is an *Atom until Normalize
// looks its name up. A relation among the arguments is a Variable or a Constant.
type Call struct {
	Name string
	Args []Term
	Pos
}

// Atom is r(head, tail).
type Atom struct {
	Relation   Relation
	Head, Tail Term
	Pos
}

// Unequal is left != right: the two are different entities.
type Unequal struct {
	Left, Right Term
	Pos
}

// Relation is the relation of an atom: a name or a parameter, possibly inverted.
//
// r^-1(x, y) means the same as r(y, x). A normal form has one of the two, whichever was
// written, see Literal; a checkpoint with reciprocal relations has an embedding for each.
type Relation struct {
	// Name of the relation, or of the parameter.
	Name string
	// Param says that Name is a parameter.
	Param bool
	// Inverse says that the atom uses r^-1.
	Inverse bool
	// Quoted says that a file has the name in quotes that it could do without: it is neither a
	// template's nor an alias. Normal forms leave it out.
	Quoted bool
	Pos    Pos
}

// TermKind is the kind of a term.
type TermKind uint8

// The kinds of terms.
const (
	// Variable is the free variable or an existential one.
	Variable TermKind = iota
	// Constant is an entity by name.
	Constant
	// Parameter is an entity that the caller of a template supplies.
	Parameter
)

// Term is an argument of an atom.
type Term struct {
	Kind TermKind
	// Name of the variable, entity or parameter.
	Name string
	Pos  Pos
}

// DNF is a query in disjunctive normal form: prenex, with negation only on atoms, distinct
// bound variables, and one SCQ per disjunct.
type DNF struct {
	// Free is the name of the free variable, the first where there are several.
	Free string
	// SCQs are the disjuncts, at least one.
	SCQs []SCQ
}

// SCQ is a conjunctive query: a conjunction of literals in which every variable that is not free
// is existential and occurs in a literal that is no inequality.
type SCQ struct {
	Literals []Literal
}

// Literal is an atom or its negation. In a normal form it is written from an entity to a
// variable, or between variables towards the free one, by distance in the query graph;
// where both ends are equally far, without ^-1.
//
// An inequality is a negated atom of the relation "is the same as". In a normal form a
// variable is its head.
type Literal struct {
	Negated bool
	// Same says that the relation is "is the same as"; Relation is empty then.
	Same       bool
	Relation   Relation
	Head, Tail Term
	// Reversed says that the formula has it from the other end: r^-1(tail, head).
	Reversed bool
	// Site numbers the atom in the formula, from 0 in source order. Distribution copies an atom
	// into several disjuncts; the copies keep the site, which shows that they have the same
	// relation and constants.
	Site int
	Pos  Pos
}

// parts returns the formulas that f is made of.
func parts(f Formula) []Formula {
	switch f := f.(type) {
	case *And:
		return f.Args
	case *Or:
		return f.Args
	case *Not:
		return []Formula{f.Arg}
	case *Exists:
		return []Formula{f.Body}
	case *Implies:
		return []Formula{f.If, f.Then}
	case *Forall:
		return []Formula{f.Body}
	case *Atom, *Path, *Call, *Unequal, *filterNode:
		return nil
	}
	panic(fmt.Sprintf("internal error: lang: unknown formula %T", f))
}

// quantified returns the variables of a quantifier, nil for other formulas.
func quantified(f Formula) []Term {
	switch f := f.(type) {
	case *Exists:
		return f.Vars
	case *Forall:
		return f.Vars
	}
	return nil
}

// Terms returns the arguments of an atom, path, call or inequality, nil for other formulas.
func Terms(f Formula) []*Term {
	switch f := f.(type) {
	case *Atom:
		return []*Term{&f.Head, &f.Tail}
	case *Path:
		return []*Term{&f.Head, &f.Tail}
	case *Call:
		terms := make([]*Term, len(f.Args))
		for i := range f.Args {
			terms[i] = &f.Args[i]
		}
		return terms
	case *Unequal:
		return []*Term{&f.Left, &f.Right}
	}
	return nil
}

// Walk calls visit for a formula and all its parts, in source order.
func Walk(f Formula, visit func(Formula)) {
	visit(f)
	for _, part := range parts(f) {
		Walk(part, visit)
	}
}
