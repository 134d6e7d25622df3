package runtime

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sync/atomic"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/values"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/runtime/scq"
)

// Question is a question of any kind, bound to a model: see Model.Bind. Each Ask uses the facts at the time of the
// call. It is safe for concurrent use.
type Question struct {
	model   *Model
	spec    *plan.Spec
	ids     *plan.IDs
	spans   [][]values.Span // the values that each filter compares with, unless they are a parameter
	parts   []*query
	open    []graph.EntityID               // placeholders of the answer variables
	rows    *rowParts                      // for plan.Rows, otherwise nil
	columns []Column                       // see Reply.Columns
	valid   atomic.Pointer[model.Settings] // the last ones that Best has validated
}

// Args are the values of the parameters of a question, in order: see plan.Entity, Relation, Number and Date.
type Args []plan.Arg

// Spec returns the question as data.
func (q *Question) Spec() *plan.Spec { return q.spec }

// Model returns the model that the question is bound to, in main memory.
func (q *Question) Model() *Model { return q.model.host() }

// Warning says that the model prefers another semantics, its default or the best on the validation queries, and what
// to do. It is empty if the question uses that one.
func (q *Question) Warning() string {
	m := &q.Model().bundle.Manifest
	if m.Semantics == q.spec.Semantics {
		return ""
	}
	return fmt.Sprintf("query %s answers by semantics %s, but model %s chooses %s: "+
		"generate its code for that model, or write semantics %s into the file of templates",
		q.spec.Name, q.spec.Semantics, m.Name, m.Semantics, m.Semantics)
}

// settings returns s if not nil, or else the question's settings, or else the model's.
func (q *Question) settings(s *model.Settings) *model.Settings {
	return cmp.Or(s, q.spec.Settings, &q.Model().bundle.Manifest.Settings)
}

// Uncalibrated says why answers under the given settings (nil: the question's) have no confidence; it is empty if
// they have one.
func (q *Question) Uncalibrated(s *model.Settings) string {
	return q.parts[0].uncalibrated(q.settings(s), q.spec.Semantics)
}

// fail returns the error, if there is one, with the question's name.
func (q *Question) fail(err error) error { return withName(q.spec.Name, err) }

// asking is one call of a question: fixed facts and parameter values.
type asking struct {
	*Question
	args  Args
	parts []askedPart
	one   [1]askedPart // backing array for a single part
}

// askedPart is a part of a question with its slots filled. Slots for earlier answer variables have placeholders.
type askedPart struct {
	*query
	bindings scq.Bindings
}

// asking checks the parameter values and fills the slots of all parts, on the facts of now.
func (q *Question) asking(now *Model, a Args) (*asking, error) {
	if err := q.checkArgs(now, a); err != nil {
		return nil, err
	}
	x := &asking{Question: q, args: a}
	x.parts = x.one[:0]
	filters := q.selections(now, a)
	for i, part := range q.parts {
		x.parts = append(x.parts, askedPart{part.at(now), q.bindings(i, a, filters)})
	}
	return x, nil
}

// fill checks several sets of parameter values and fills the slots of the first part for each, on the facts of now.
func (q *Question) fill(now *Model, batch []Args) ([]scq.Bindings, error) {
	bindings := make([]scq.Bindings, len(batch))
	for i, a := range batch {
		if err := q.checkArgs(now, a); err != nil {
			return nil, inBatch(i, err)
		}
		bindings[i] = q.bindings(0, a, q.selections(now, a))
	}
	return bindings, nil
}

// CheckArgs reports a wrong number of values, or a value that does not suit its parameter, which is a *ParamError.
func (q *Question) CheckArgs(a Args) error { return q.checkArgs(q.model.Now(), a) }

// checkArgs is CheckArgs for a snapshot.
func (q *Question) checkArgs(m *Model, a Args) error {
	if len(a) != len(q.spec.Params) {
		return q.fail(fmt.Errorf("there are %d parameters, got %d values", len(q.spec.Params), len(a)))
	}
	for i, p := range q.spec.Params {
		if err := checkArg(m, p, a[i]); err != nil {
			return q.fail(err)
		}
	}
	return nil
}

// checkArg reports a value that does not suit its parameter.
func checkArg(m *Model, p plan.Param, a plan.Arg) error {
	switch a.Kind {
	case 0:
		return unset(p.Name, p.Kind)
	case p.Kind:
	default:
		return &ParamError{p.Name, fmt.Sprintf("want %s, not %s", p.Kind.Article(), a.Kind.Article())}
	}
	switch p.Kind {
	case plan.EntityParam:
		return checkID(p.Name, p.Kind, int(a.ID), m.NumEntities())
	case plan.RelationParam:
		return checkID(p.Name, p.Kind, int(a.ID), m.NumRelations())
	}
	for _, end := range []float64{a.Span.First, a.Span.Last} {
		if math.IsNaN(end) || math.IsInf(end, 0) {
			return &ParamError{p.Name, fmt.Sprintf("%v is neither a number nor a date", end)}
		}
	}
	if a.Span.First > a.Span.Last {
		return &ParamError{p.Name, fmt.Sprintf("the span from %v to %v is empty", a.Span.First, a.Span.Last)}
	}
	return nil
}

// PartBindings fills the slots of a part with the names in the question and checked parameter values, for tools that
// run its plan themselves. Slots for earlier answer variables stay open.
func (q *Question) PartBindings(part int, a Args) scq.Bindings {
	return q.bindings(part, a, q.selections(q.Model().Now(), a))
}

// bindings is PartBindings, given the entities that meet the filters.
func (q *Question) bindings(part int, a Args, filters []*model.Selection) scq.Bindings {
	return q.spec.Parts[part].Bindings(q.ids, a, q.open, filters)
}

// selections returns the entities that meet the filters in a snapshot.
func (q *Question) selections(at *Model, a Args) (list []*model.Selection) {
	for i, f := range q.spec.Conditions {
		by := slices.Clone(q.spans[i])
		for j, c := range f.Comparisons {
			if c.Param > 0 {
				by[j] = a[c.Param-1].Span
			}
		}
		list = append(list, at.bundle.SelectBy(f, by))
	}
	return list
}
