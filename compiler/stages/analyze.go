// Package stages implements the stages of the compiler, from a query to the plan of its shape: Analyze, Compile, and a
// Cache for their results. Tools such as the code generators stop at the stage they need.
package stages

import (
	"errors"
	"strings"

	"github.com/efoc/efoc/compiler/lower"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime/kind"
	"github.com/efoc/efoc/runtime/model"
)

// Analysis holds the model-independent facts about a query, before compilation. It must not be changed.
type Analysis struct {
	// Source is the query as written.
	Source *lang.Query
	// Line is the query on one line.
	Line string
	// Parts answer the query: see lang.Query.Parts.
	Parts []*Part
}

// Part is a query with one answer variable, and its shape.
type Part struct {
	lang.Part
	// Shape is the query's shape, with the query's names in the slots.
	Shape *lower.Shape

	rows bool // whether it is a part of a query with several answer variables
}

// Analyze drops repeated disjuncts of a query's normal form and finds the shapes of its parts. The query must
// be parsed, or normalised by lang.Query.Normalize.
func Analyze(q *lang.Query) *Analysis {
	a := &Analysis{Source: q, Line: oneLine(q)}
	for _, part := range q.Parts() {
		a.Parts = append(a.Parts, &Part{part, lower.NewShape(lower.Order(part.Normal)), q.Asks() == kind.Rows})
	}
	return a
}

// oneLine prints a query on one line.
func oneLine(q *lang.Query) string { return strings.Join(strings.Fields(q.String()), " ") }

// Shape returns the shape of the first part: of the query itself, if it has one answer variable.
func (a *Analysis) Shape() *lower.Shape { return a.Parts[0].Shape }

// PartsFor returns the parts needed to answer under a semantics.
func (a *Analysis) PartsFor(s model.Semantics) (list []*Part) {
	for _, p := range a.Parts {
		if !p.rows || p.Disjunct >= 0 || s != model.FIT {
			list = append(list, p)
		}
	}
	return list
}

// Sole returns the part of a query with one answer variable, and refuses other queries. The error is a
// RefusedError.
func (a *Analysis) Sole() (*Part, error) {
	switch a.Source.Asks() {
	case kind.Verdict:
		return nil, RefusedError{a.Source.Mistake("leave a variable free to ask for its values",
			"without a free variable it asks yes or no, and has no answers to rank")}
	case kind.Rows:
		other := a.Source.Others[0]
		return nil, RefusedError{lang.ErrorList{a.Source.Errorf(other.Pos, "bind all but one by exists",
			"one answer variable is wanted here, and the query has %d", len(a.Source.Others)+1)}}
	}
	return a.Parts[0], nil
}

// Rows reports whether the part belongs to a query with several answer variables.
func (p *Part) Rows() bool { return p.rows }

// Semantics returns the semantics for which the part is compiled if its query is answered under s.
func (p *Part) Semantics(s model.Semantics) model.Semantics {
	switch {
	case !p.rows:
		return s
	case p.Disjunct < 0:
		return model.NSMP
	}
	return model.FIT
}

// Compile compiles the shape. If the options do not suit the query, the error is a
// RefusedError.
func (p *Part) Compile(o Options) (*Compiled, error) {
	c, err := Compile(p.Shape, o)
	return c, p.Locate(err)
}

// Locate converts a *lower.Refusal of the shape to a RefusedError with the query's positions, and returns other
// errors unchanged.
func (p *Part) Locate(err error) error {
	if refusal, ok := errors.AsType[*lower.Refusal](err); ok {
		return RefusedError{p.Mistake(refusal.Hint, "%s", refusal.Msg)}
	}
	return err
}

// RefusedError explains why a query cannot be compiled with the given options, such as too few layers. It has
// the query's position and name.
type RefusedError struct{ lang.ErrorList }

// Unwrap returns the list.
func (e RefusedError) Unwrap() error { return e.ErrorList }
