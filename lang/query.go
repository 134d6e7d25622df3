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
	// Aliases are the short names of relations, in source order.
	Aliases []*ast.Alias
	// Doc is the comment above the package clause, without comment marks.
	Doc string
	// Queries are the templates in source order, without the refused ones.
	Queries []*Query
	// Refused are the templates with errors: see Query.Mistakes. One without a name has a mistake in it.
	Refused []*Query

	// all are the templates, those with errors too.
	all []*Query
	// loose are the comments that belong to neither Doc nor a query's Doc, in source order.
	loose []comment
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
	FreePos ast.Pos
	// Others are the answer variables after Free, where the head names several.
	Others []ast.Term
	// TypeFilter is the type of the answers, nil for any.
	TypeFilter *ast.TypeFilter
	// Wants is what a query with one answer variable asks for: kind.Answers, or kind.Count. See Asks.
	Wants kind.Question
	// Show are existential variables whose values a template reports with each answer.
	Show []ast.Term
	// Formula is the body.
	Formula ast.Formula
	// Normal is the disjunctive normal form of Formula. The parsers compute it; a query that
	// is built or changed needs Normalize. A sentence has none.
	Normal *ast.DNF
	// Warnings are what Normalize says about the formula: see there.
	Warnings []Warning
	// Pos is the position of the query's name, or of the formula.
	Pos ast.Pos

	// Source is the text that the query was parsed from, nil for a query that was built. Errors quote their line
	// from it. A parser of another syntax sets it and Formula, and then calls Normalize, which checks the formula and
	// fills in the rest.
	Source *ast.Source

	// plain is the formula without abbreviations, which Normalize sets.
	plain ast.Formula
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

// Mistakes returns the errors of a template that its file lists as refused.
func (q *Query) Mistakes() ErrorList { return q.mistakes }

// Shown returns the names of the variables of Show.
func (q *Query) Shown() []string { return ast.Names(q.Show) }

// Param is a parameter of a template; the formula names it with a dollar sign.
type Param struct {
	Name string
	Kind kind.Param
	Pos  ast.Pos
}

// Param returns the index of the parameter of a name, -1 if there is none.
func (q *Query) Param(name string) int {
	return slices.IndexFunc(q.Params, func(p Param) bool { return p.Name == name })
}
