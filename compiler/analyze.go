package compiler

import (
	"errors"
	"slices"

	"github.com/efoc/efoc/compiler/lower"
	"github.com/efoc/efoc/compiler/pass"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime/model"
)

// Analysis holds the facts about a query that hold for any model, before it is compiled. It must not be
// changed.
type Analysis struct {
	// Source is the query as it was written.
	Source *lang.Query
	// Shape is the query's shape, with the query's names in the slots. For a query with several answer
	// variables it is the shape of the first marginal; for a sentence it is nil.
	Shape *lower.Shape
	// Parts answer a query with several answer variables; nil for others.
	Parts []Part
	// Claims are the parts of a sentence, in order: see lang.Sentence.
	Claims []*Analysis
}

// Queries returns the queries that answer this one: the parts of a sentence, or the query itself.
func (a *Analysis) Queries() []*Analysis {
	if a.Shape == nil {
		return a.Claims
	}
	return []*Analysis{a}
}

// Analyze drops repeated disjuncts of a query's normal form and finds its shape. The query must
// have been parsed, or normalised by lang.Query.Normalize.
func Analyze(q *lang.Query) *Analysis {
	if q.Parts != nil {
		a := &Analysis{Source: q}
		for _, part := range q.Parts.Parts {
			a.Claims = append(a.Claims, Analyze(part.Query))
		}
		return a
	}
	a := &Analysis{Source: q, Shape: lower.NewShape(lower.Order(q.Normal))}
	if len(q.Others) > 0 {
		a.Parts = parts(q)
	}
	return a
}

// Fixed returns the slots that the query fills with names of its own, nil if there are none.
func (a *Analysis) Fixed() *pass.Fixed {
	f, names := &pass.Fixed{}, false
	for _, t := range a.Shape.Constants {
		f.Constants = append(f.Constants, t.Kind == lang.Constant)
		names = names || t.Kind == lang.Constant
	}
	for _, r := range a.Shape.Relations {
		f.Relations = append(f.Relations, !r.Param)
		names = names || !r.Param
	}
	if !names {
		return nil
	}
	return f
}

// Resolved is an analysed query with the ids of its names in a vocabulary.
type Resolved struct {
	*Analysis
	// Slots hold the ids of the names, and the parameters.
	Slots Slots

	ids lang.IDs
}

// Resolve looks up the query's names in a vocabulary, such as a *runtime.Model. The error is a
// lang.UnknownNamesError. A query with several answer variables is refused: see PrepareTuples.
func (a *Analysis) Resolve(v lang.Vocabulary) (*Resolved, error) {
	if err := a.sole(); err != nil {
		return nil, err
	}
	ids, err := lang.Resolve(a.Source, v)
	if err != nil {
		return nil, err
	}
	return a.resolve(ids), nil
}

// resolve fills the slots by ids.
func (a *Analysis) resolve(ids lang.IDs) *Resolved {
	r := &Resolved{Analysis: a, ids: ids}
	param := func(name string) int {
		return slices.IndexFunc(a.Source.Params, func(p lang.Param) bool { return p.Name == name })
	}
	for _, t := range a.Shape.Constants {
		s := Slot{Param: -1, ID: ids.Entities[t.Name]}
		if t.Kind == lang.Parameter {
			s = Slot{Param: param(t.Name)}
		}
		r.Slots.Constants = append(r.Slots.Constants, s)
	}
	for _, t := range a.Shape.Relations {
		s := Slot{Param: -1, ID: int32(r.relation(t))}
		if t.Param {
			s = Slot{Param: param(t.Name), Inverse: t.Inverse}
		}
		r.Slots.Relations = append(r.Slots.Relations, s)
	}
	return r
}

// relation returns the directed relation that the query names.
func (r *Resolved) relation(t lang.Relation) model.RelationID {
	return model.RelationID(r.ids.Relations[t.Name]).Toward(model.Direction(t.Inverse))
}

// Compile compiles the shape. If the options do not suit the query, the error is a
// RefusedError.
func (a *Analysis) Compile(o CompileOptions) (*Compiled, error) {
	if err := a.sole(); err != nil {
		return nil, err
	}
	c, err := Compile(a.Shape, o)
	return c, a.Locate(err)
}

// Locate turns a *lower.Refusal of the shape into a RefusedError with the query's positions,
// and returns other errors unchanged.
func (a *Analysis) Locate(err error) error {
	if refusal, ok := errors.AsType[*lower.Refusal](err); ok {
		return RefusedError{a.Source.Mistake(refusal.Hint, "%s", refusal.Msg)}
	}
	return err
}

// RefusedError says why a query cannot be compiled with the given options, such as too few
// layers. It has the query's position and name.
type RefusedError struct{ lang.ErrorList }

// Unwrap returns the list.
func (e RefusedError) Unwrap() error { return e.ErrorList }
