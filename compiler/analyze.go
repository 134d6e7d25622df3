package compiler

import (
	"errors"

	"github.com/efoc/efoc/compiler/lower"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime"
)

// Analysis is what is known of a query before it is compiled: its shape, what fills
// the shape's slots, and what the user should be told. It is immutable.
type Analysis struct {
	// Source is the query as it was written.
	Source *lang.Query
	// Shape is its shape, with the query's names in the slots.
	Shape *lower.Shape
	// Warnings are what the user should know about the formula.
	Warnings []lang.Warning

	// Constants and Relations are the ids of the names in the slots, Unfilled where a
	// parameter stands; nil without a vocabulary.
	Constants []runtime.EntityID
	Relations []runtime.RelationID

	resolved bool
}

// Unfilled is in the slots of parameters, which have no value yet.
const Unfilled = -1

// Analyze brings a query into normal form, drops what it says twice and finds its
// shape, and looks its names up in a vocabulary, such as a *runtime.Model. Without one,
// which is nil, the names are left alone and the analysis cannot be prepared. The
// error is a lang.ErrorList; that of unknown names is a lang.UnknownNamesError.
func Analyze(q *lang.Query, names lang.Vocabulary) (*Analysis, error) {
	var ids lang.IDs
	if names != nil {
		var err error
		if ids, err = lang.Resolve(q, names); err != nil {
			return nil, err
		}
	}
	dnf, warnings, err := lang.Normalize(q)
	if err != nil {
		return nil, err
	}
	a := &Analysis{Source: q, Shape: lower.NewShape(lower.Merge(dnf)), Warnings: warnings, resolved: names != nil}
	if a.resolved {
		a.fill(ids)
	}
	return a, nil
}

// fill puts the ids of names into their slots.
func (a *Analysis) fill(ids lang.IDs) {
	for _, t := range a.Shape.Constants {
		id := runtime.EntityID(Unfilled)
		if t.Kind == lang.Constant {
			id = runtime.EntityID(ids.Entities[t.Name])
		}
		a.Constants = append(a.Constants, id)
	}
	for _, r := range a.Shape.Relations {
		id := runtime.RelationID(Unfilled)
		if !r.Param {
			id = runtime.RelationID(ids.Relations[r.Name])
			if r.Inverse {
				id = id.Inverse()
			}
		}
		a.Relations = append(a.Relations, id)
	}
}

// Compile compiles the shape. The error of a query that the options do not suit is a
// RefusedError.
func (a *Analysis) Compile(o CompileOptions) (*Compiled, error) {
	c, err := Compile(a.Shape, o)
	return c, a.Locate(err)
}

// Locate turns the refusal of a shape, a *lower.Refusal, into a RefusedError of the query
// that has it, and returns other errors as they are.
func (a *Analysis) Locate(err error) error {
	var refusal *lower.Refusal
	if !errors.As(err, &refusal) {
		return err
	}
	return RefusedError{a.Source.Mistake(refusal.Hint, "%s", refusal.Msg)}
}

// RefusedError says why a query cannot be compiled as it is asked for, such as with
// too few layers, with the query's place and name.
type RefusedError struct{ lang.ErrorList }

// Unwrap returns the list.
func (e RefusedError) Unwrap() error { return e.ErrorList }
