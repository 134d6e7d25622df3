package compiler

import (
	"cmp"
	"context"
	"fmt"

	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/scq"
)

// Part is a query with one answer variable that helps to answer one with several. Its last
// parameters are the variables before its own that it takes as entities.
type Part struct {
	runtime.TupleRole
	*Analysis
}

// parts returns the parts of a query: the marginals, and for each disjunct and each variable what
// computes its truth degrees.
func parts(q *lang.Query) (list []Part) {
	for v := range q.Variables() {
		list = append(list, Part{runtime.TupleRole{Variable: v, Disjunct: -1}, Analyze(q.Marginal(v))})
	}
	for d := range q.Normal.SCQs {
		for v := range q.Variables() {
			list = append(list, Part{runtime.TupleRole{Variable: v, Disjunct: d}, Analyze(q.Given(d, v, false))})
			if own := q.Given(d, v, true); own != nil && v < len(q.Others) {
				list = append(list, Part{runtime.TupleRole{Variable: v, Disjunct: d, Own: true}, Analyze(own)})
			}
		}
	}
	return list
}

// Semantics is the semantics that a part is compiled for.
func (p *Part) Semantics() model.Semantics {
	if p.Disjunct < 0 {
		return model.NSMP
	}
	return model.FIT
}

// PartsFor returns the parts that answer by a semantics.
func (a *Analysis) PartsFor(s model.Semantics) (list []Part) {
	for _, p := range a.Parts {
		if p.Disjunct >= 0 || s != model.FIT {
			list = append(list, p)
		}
	}
	return list
}

// sole refuses a query with several answer variables, or without any.
func (a *Analysis) sole() error {
	if a.Shape == nil {
		return RefusedError{a.Source.Mistake("leave a variable free to ask for its values; efoc ask answers a sentence",
			"without a free variable it asks yes or no, and has no answers to rank")}
	}
	if a.Parts == nil {
		return nil
	}
	other := a.Source.Others[0]
	return RefusedError{lang.ErrorList{a.Source.Errorf(other.Pos, "bind all but one by exists",
		"one answer variable is wanted here, and the query has %d", len(a.Source.Others)+1)}}
}

// Tuples is a query with several answer variables, ready to answer on a model.
type Tuples struct {
	// Source is the query as it was written.
	Source *lang.Query
	// Query answers for given Bindings.
	Query *runtime.Tuples
	// Parts answer for Query, Roles say for what.
	Parts []*Prepared
	Roles []runtime.TupleRole
	// Settings are the settings to answer with.
	Settings model.Settings
	// Semantics is the semantics of the answers.
	Semantics model.Semantics
}

// PrepareTuples analyses a query with several answer variables and prepares it: see
// Analysis.PrepareTuples.
func PrepareTuples(m *runtime.Model, q *lang.Query, o PrepareOptions) (*Tuples, error) {
	return Analyze(q).PrepareTuples(m, o)
}

// PrepareTuples resolves the names of a query with several answer variables in the model, and binds
// its parts. The model must be whole and in main memory, and the engine one that runs there.
func (a *Analysis) PrepareTuples(m *runtime.Model, o PrepareOptions) (*Tuples, error) {
	if o.Engine == EngineCUDA {
		return nil, fmt.Errorf("engine %s answers queries with one answer variable: use another", o.Engine)
	}
	m = m.Now()
	ids, err := lang.Resolve(a.Source, m)
	if err != nil {
		return nil, err
	}
	o.Cache = cmp.Or(o.Cache, &Cache{})
	t := &Tuples{Source: a.Source}
	t.Semantics, t.Settings = *cmp.Or(o.Semantics, &m.Manifest.Semantics), *cmp.Or(o.Settings, &m.Manifest.Settings)
	var made []runtime.TuplePart
	for _, part := range a.PartsFor(t.Semantics) {
		o.Semantics = new(part.Semantics())
		p, err := part.resolve(ids).Prepare(m, o)
		if err != nil {
			return nil, err
		}
		t.Parts, t.Roles = append(t.Parts, p), append(t.Roles, part.TupleRole)
		made = append(made, runtime.TuplePart{TupleRole: part.TupleRole, Query: p.Query})
	}
	var names []string
	for _, v := range a.Source.Variables() {
		names = append(names, v.Name)
	}
	t.Query, err = runtime.NewTuples(names, t.Semantics, made)
	return t, err
}

// Bindings fills the slots of the parts: see Prepared.Bindings.
func (t *Tuples) Bindings(args map[string]string) ([]scq.Bindings, error) {
	ids, err := argIDs(t.Source, t.Query.Model(), args)
	if err != nil {
		return nil, err
	}
	return t.bind(ids), nil
}

// BindingsByID is Bindings by id: see Prepared.BindingsByID.
func (t *Tuples) BindingsByID(args []int32) ([]scq.Bindings, error) {
	if err := checkIDs(t.Source, t.Query.Model(), args); err != nil {
		return nil, err
	}
	return t.bind(args), nil
}

func (t *Tuples) bind(args []int32) []scq.Bindings {
	all := append([]int32(nil), args...)
	for v := range t.Source.Others {
		all = append(all, int32(runtime.Given(v)))
	}
	var list []scq.Bindings
	for _, p := range t.Parts {
		list = append(list, p.Slots.Bind(all))
	}
	return list
}

// Answer answers a question without parameters.
func (t *Tuples) Answer(ctx context.Context, o runtime.Options) (*runtime.Reply, error) {
	b, err := t.Bindings(nil)
	if err != nil {
		return nil, err
	}
	o.Settings = cmp.Or(o.Settings, &t.Settings)
	return t.Query.Answer(ctx, b, o)
}
