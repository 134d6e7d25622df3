package query

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/rank"
	"github.com/efoc/efoc/runtime/scq"
)

// Filter selects answers. The zero Filter selects all.
//
// Entities are checked from the best down until there are as many answers as requested. The
// exact traversals of one call visit at most a hundred times Options.Budget candidates; then
// the answers found so far are returned, as Incomplete.
type Filter struct {
	// Statuses are the allowed statuses; an empty set allows any.
	Statuses Statuses
	// InRange leaves out answers that are OutOfRange.
	InRange bool
	// MinConfidence is the minimum confidence of an answer, from 0 to 1. The model must be
	// calibrated: see Answers.Uncalibrated.
	MinConfidence float64
	// Type keeps only the answers of a type; the zero Type allows any.
	Type Type

	limit Type // that the query itself asks for
}

// Type is a condition on entities e: the graph has the fact Relation(e, Entity), such as
// instance_of(e, "City"). Predicted facts do not count.
type Type struct {
	Relation model.Relation
	Entity   model.Entity
}

// Limited returns the query with a type of its own, as in y: City: only entities of that type
// are answers, whatever Options.Filter says.
func (q *Query) Limited(t Type) *Query {
	return &Query{executor: q.executor, names: q.names, degrees: q.degrees, fixed: q.fixed, limit: t}
}

// filters reports whether answers are left out, and notes the query's own type.
func (q *Query) filters(f *Filter) bool {
	f.limit = q.limit
	return f.any()
}

// has reports whether an entity is of the type.
func (t Type) has(m *model.Model, e model.EntityID) bool {
	return t == Type{} || m.Graph.Has(e, t.Relation.ID(), t.Entity.ID())
}

// ErrNoTypes says that a type names no relation and neither does the model.
var ErrNoTypes = errors.New("the model names no relation of types")

// Type returns the type of an entity's name by the named relation, which may end in ^-1, or by
// the type relation of the model's manifest if the name is empty.
func (m *Model) Type(relation, entity string) (Type, error) {
	find := m.TypeRelation
	if relation != "" {
		find = func() (model.Relation, error) { return m.Relation(relation) }
	}
	r, err := find()
	if err != nil {
		return Type{}, err
	}
	e, err := m.Entity(entity)
	return Type{r, e}, err
}

// TypeRelation returns the type relation of the model's manifest; without one the error is
// ErrNoTypes.
func (m *Model) TypeRelation() (model.Relation, error) {
	if m.Manifest.TypeRelation == "" {
		return model.Relation{}, ErrNoTypes
	}
	return m.Relation(m.Manifest.TypeRelation)
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
	return model.Entity{}, fmt.Errorf("%s is no %s: the graph gives it the type %s", name, now.EntityLabel(t.Entity.ID()), now.EntityLabel(model.EntityID(types[0])))
}

// ParseType parses a type: RELATION=ENTITY, or ENTITY only if the model's manifest names the
// type relation.
func (m *Model) ParseType(text string) (Type, error) {
	var unknown error
	if m.Manifest.TypeRelation != "" {
		t, err := m.Type("", text)
		if err == nil {
			return t, nil
		}
		unknown = fmt.Errorf("type: %w", err)
	}
	relation, entity, ok := strings.Cut(text, "=")
	switch {
	case !ok && unknown != nil:
		return Type{}, unknown
	case !ok:
		return Type{}, fmt.Errorf("type is %q, want RELATION=ENTITY, such as instance_of=City: %w", text, ErrNoTypes)
	}
	t, err := m.Type(strings.TrimSpace(relation), strings.TrimSpace(entity))
	if err != nil {
		return Type{}, fmt.Errorf("type: %w", err)
	}
	return t, nil
}

// searchBudgets is the number of Options.Budget that a search for answers may take.
const searchBudgets = 100

// any reports whether the filter leaves anything out.
func (f *Filter) any() bool { return *f != Filter{} }

// check reports a filter that nothing can pass, or that needs what is not computed.
func (f *Filter) check(m *Model, noStatus bool) error {
	relation, entity := f.Type.Relation.ID(), f.Type.Entity.ID()
	switch {
	case !(f.MinConfidence >= 0 && f.MinConfidence <= 1):
		return fmt.Errorf("Filter.MinConfidence is %v, want a number from 0 to 1", f.MinConfidence)
	case f.Type != Type{} && (relation < 0 || entity < 0 || int(relation) >= m.NumRelations() || int(entity) >= m.NumEntities()):
		return errors.New("option Filter.Type lacks a relation or an entity of the model: see Model.ParseType")
	case f.Statuses == 0:
	case noStatus:
		return errors.New("option NoStatus leaves out what Filter.Statuses needs: leave out one of them")
	case f.Statuses == StatusesOf(Confirmed) && m.Heldout == nil:
		return errors.New("no answer can be confirmed, for the model holds no facts back")
	}
	return nil
}

// filterReach is how many times as many entities as are wanted bounds look for: those that the
// filter leaves out are among them.
const filterReach = 3

// reportFiltered reports the best entities that the filter wants, out of all scores.
func (q *Query) reportFiltered(ctx context.Context, b scq.Bindings, o Options, find findLinks, answer Vector, sets []Vector) (*Answers, error) {
	return q.reportRanked(ctx, b, o, find, rank.Descending(answer), sets)
}

// reportRanked is report for whole fuzzy sets.
func (q *Query) reportRanked(ctx context.Context, b scq.Bindings, o Options, find findLinks, ranked iter.Seq[rank.Ranked], sets []Vector) (*Answers, error) {
	var best [][]rank.Ranked
	if o.SetSize > 0 {
		for _, set := range sets {
			best = append(best, rank.Top(set, o.SetSize))
		}
	}
	return q.report(ctx, b, o, find, ranked, best)
}
