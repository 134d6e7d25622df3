package lang

import (
	"slices"

	"github.com/efoc/efoc/lang/ast"
	"github.com/efoc/efoc/runtime/kind"
)

// File is one parsed and checked .efo file.
type File struct {
	// Package is the name in the package clause, empty without one.
	Package string
	// Semantics is nsmp, fit or mixed, or empty without a semantics clause.
	Semantics string
	// Layers is the number of layers, 0 without a layers clause.
	Layers int
	// Aliases are the aliases of relations, in source order.
	Aliases []*ast.Alias
	// Doc is the comment above the package clause, without comment marks.
	Doc string
	// Queries are the correct templates in source order.
	Queries []*Query
	// Refused are the templates with errors, see Query.Mistakes. A template without a name has a mistake in it.
	Refused []*Query

	// all are the templates, including refused ones.
	all []*Query
	// loose are the comments that belong to neither Doc nor a query's Doc, in source order.
	loose []comment
}

// Query is a named template of a file, or an ad-hoc question: an EFO1 query, a query with several answer
// variables, or a sentence, which asks yes or no. The latter two are answered by EFO1 queries: see Parts. A
// Query is checked (scopes, arities, kinds) and free of parser types.
type Query struct {
	// Name of the template, empty for an ad-hoc question.
	Name string
	// Doc is the comment above the query, without comment marks.
	Doc string
	// Params are the template's parameters in source order.
	Params []Param
	// Free is the name of the free variable, empty for a sentence.
	Free string
	// FreePos is the position where a template declares Free; for an ad-hoc question, the
	// variable's first position in the formula.
	FreePos ast.Pos
	// Others are the answer variables after Free, if the head names several.
	Others []ast.Term
	// TypeFilter is the type of the answers, nil for any.
	TypeFilter *ast.TypeFilter
	// Wants is what a query with one answer variable asks for: kind.Answers, or kind.Count. See Asks.
	Wants kind.Question
	// Show are existential variables whose values are reported with each answer of a template.
	Show []ast.Term
	// Formula is the body.
	Formula ast.Formula
	// Normal is the disjunctive normal form of Formula. The parsers compute it; call Normalize after building or
	// changing a query. A sentence has none.
	Normal *ast.DNF
	// Warnings are set by Normalize.
	Warnings []Warning
	// Pos is the position of the query's name, or of the formula.
	Pos ast.Pos

	// Source is the text that the query was parsed from, nil for a query that was built. Errors quote their line from
	// it. A parser of another syntax sets it and Formula, and then calls Normalize, which checks the formula and sets
	// the other fields.
	Source *ast.Source

	// plain is the formula without abbreviations, set by Normalize.
	plain ast.Formula
	// borrows says that plain contains an expanded alias.
	borrows bool
	// sentence holds the parts of a sentence, set by Normalize; nil for other queries.
	sentence *sentence
	// scope holds the aliases that a template can use, nil for an ad-hoc question.
	scope *scope
	// mistakes are the errors of a template.
	mistakes ErrorList
}

// Alone returns the query as it reads without its file, with the file's aliases expanded.
func (q *Query) Alone() *Query {
	alone := *q
	alone.scope = nil
	if q.borrows {
		alone.Formula = q.plain
	}
	if f := q.TypeFilter; f != nil {
		alone.TypeFilter = &ast.TypeFilter{Relation: f.Relation, Entity: f.Entity, Pos: f.Pos, Variable: f.Variable}
	}
	return &alone
}

// Variables returns the answer variables: Free and Others. A sentence has none.
func (q *Query) Variables() []ast.Term {
	if q.Free == "" {
		return nil
	}
	return append([]ast.Term{{Name: q.Free, Pos: q.FreePos}}, q.Others...)
}

// Mistakes returns the errors of a refused template.
func (q *Query) Mistakes() ErrorList { return q.mistakes }

// Shown returns the names of the variables in Show.
func (q *Query) Shown() []string { return ast.Names(q.Show) }

// Param is a parameter of a template; the formula names it with a dollar sign.
type Param struct {
	Name string
	Kind kind.Param
	Pos  ast.Pos
}

// Param returns the index of the parameter with the given name, -1 if there is none.
func (q *Query) Param(name string) int {
	return slices.IndexFunc(q.Params, func(p Param) bool { return p.Name == name })
}
