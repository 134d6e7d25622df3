package runtime

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/efoc/efoc/runtime/internal/run"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/rank"
	"github.com/efoc/efoc/runtime/scq"
)

// Filter selects answers. The zero Filter selects all.
//
// Entities are checked from the best down until there are as many answers as requested. The
// exact traversals of one call take at most a hundred times Options.Budget; then the answers
// found so far are returned, as Incomplete.
type Filter struct {
	// Statuses is the set of allowed statuses; 0 allows any.
	Statuses Status
	// InRange leaves out answers that are OutOfRange.
	InRange bool
	// MinConfidence is the minimum confidence of an answer, from 0 to 1. The model must be
	// calibrated: see Reply.Uncalibrated.
	MinConfidence float64
	// Type keeps only the answers of a type; the zero Type allows any.
	Type model.Type

	limit model.Type // that the query itself asks for
}

// Limited returns the query with a type of its own, as in y: City: only entities of that type are
// answers, for any Options.Filter.
func (q *Query) Limited(t model.Type) *Query {
	return &Query{executor: q.executor, names: q.names, degrees: q.degrees, explains: q.explains, fixed: q.fixed, limit: t}
}

// ofType reports whether an entity is of a type.
func ofType(m *model.Model, e model.EntityID, t model.Type) bool {
	return t == model.Type{} || m.Graph.Has(e, t.Relation.ID(), t.Entity.ID())
}

// filters reports whether answers are left out, and notes the query's own type.
func (q *Query) filters(f *Filter) bool {
	f.limit = q.limit
	return f.any()
}

// EntityOfType returns the entity with that name or label. It refuses an entity that has types
// by the relation, but not this one. It accepts an entity without any, because facts may be
// missing. The head of a split model has no facts and refuses nothing.
func (m *Model) EntityOfType(name, relation, typeName string) (model.Entity, error) {
	e, err := m.Entity(name)
	if err != nil || m.Split() {
		return e, err
	}
	t, err := m.Type(relation, typeName)
	if err != nil {
		return model.Entity{}, err
	}
	now := m.Now()
	types := now.Graph.Tails(e.ID(), t.Relation.ID())
	if len(types) == 0 || slices.Contains(types, int32(t.Entity.ID())) {
		return e, nil
	}
	text := fmt.Sprintf("%s is no %s: the graph gives it the type %s", name, now.EntityLabel(t.Entity.ID()), now.EntityLabel(model.EntityID(types[0])))
	return model.Entity{}, &typeError{text}
}

// searchBudgets is the number of Options.Budget that a search for answers may take.
const searchBudgets = 100

// any reports whether the filter leaves anything out.
func (f *Filter) any() bool { return *f != Filter{} }

// admits reports whether answers of a status pass.
func (f *Filter) admits(s Status) bool { return f.Statuses == 0 || f.Statuses&s != 0 }

// check reports a filter that nothing can pass, or that needs results that are not computed.
func (f *Filter) check(m *Model, noStatus bool) error {
	relation := f.Type.Relation.ID()
	entity := f.Type.Entity.ID()
	switch {
	case !(f.MinConfidence >= 0 && f.MinConfidence <= 1):
		return fmt.Errorf("Filter.MinConfidence is %v, want a number from 0 to 1", f.MinConfidence)
	case f.Type != model.Type{} && (relation < 0 || entity < 0 || int(relation) >= m.NumRelations() || int(entity) >= m.NumEntities()):
		return errors.New("option Filter.Type lacks a relation or an entity of the model: see Model.ParseType")
	case f.Statuses == 0:
	case noStatus:
		return errors.New("option NoStatus leaves out what Filter.Statuses needs: leave out one of them")
	case f.Statuses == Confirmed && m.Heldout == nil:
		return errors.New("no answer can be confirmed, for the model holds no facts back")
	}
	return nil
}

// filterReach is how many times as many entities as are wanted bounds look for: those that the
// filter leaves out are among them.
const filterReach = 3

// reply names the answers that a run found.
func (q *Query) reply(ctx context.Context, b scq.Bindings, o Options, r run.Result) (*Reply, error) {
	find := q.findLinks(r)
	if !q.filters(&o.Filter) && !r.Whole() {
		best := r.Best()
		return q.report(ctx, b, o, find, slices.Values(best.Answer), best.Sets)
	}
	var best [][]rank.Ranked
	if o.SetSize > 0 {
		for _, set := range r.Sets() {
			best = append(best, rank.Top(set, o.SetSize))
		}
	}
	reply, err := q.report(ctx, b, o, find, r.Descending(ctx), best)
	return reply, cmp.Or(err, r.Err())
}
