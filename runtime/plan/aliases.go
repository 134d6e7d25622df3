package plan

import (
	"github.com/efoc/efoc/runtime/kind"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/scq"
)

// Aliases for generated code, which then imports only runtime and plan.
type (
	// Disjunct is a disjunct of a question as a graph, whose edges are Atoms and whose nodes are Terms. Filters
	// restrict its variables.
	Disjunct = scq.Disjunct
	Atom     = scq.Atom
	Filter   = scq.Filter
	Term     = scq.Term
	// Condition is a condition on values, made of Comparisons.
	Condition  = model.Condition
	Comparison = model.Comparison
	// Kind is what a question asks for.
	Kind = kind.Question
)

// What questions ask for, and what parameters stand for.
const (
	Answers       = kind.Answers
	Rows          = kind.Rows
	Verdict       = kind.Verdict
	Count         = kind.Count
	EntityParam   = kind.Entity
	RelationParam = kind.Relation
	NumberParam   = kind.Number
	DateParam     = kind.Date
)

// Identity is the relation of an inequality.
const Identity = scq.Identity

// Const returns the term for constant slot i.
func Const(i int) Term { return scq.Const(i) }

// Var returns the term for variable i of a disjunct.
func Var(i int) Term { return scq.Var(i) }

// Semantics, and how an op reads an atom.
const (
	NSMP     = model.NSMP
	FIT      = model.FIT
	Mixed    = model.Mixed
	Forward  = graph.Forward
	Backward = graph.Backward
	Positive = graph.Positive
	Negated  = graph.Negated
)
