package stages

import (
	"reflect"
	"slices"

	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/lang/ast"
	"github.com/efoc/efoc/runtime/kind"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/plan"
)

// SpecFor returns the query as data, for a semantics, without plans. Its parts are PartsFor(s), in order.
func (a *Analysis) SpecFor(s model.Semantics) *plan.Spec {
	q := a.Source
	spec := &plan.Spec{Name: q.Name, Kind: q.Asks(), Semantics: s, Disjuncts: q.Disjuncts()}
	if len(q.Show) > 0 {
		spec.Show = q.Shown()
	}
	for _, v := range q.Variables() {
		spec.Variables = append(spec.Variables, v.Name)
	}
	for _, p := range q.Params {
		spec.Params = append(spec.Params, plan.Param{Name: p.Name, Kind: p.Kind})
	}
	if t := q.TypeFilter; t != nil {
		spec.Type = &plan.TypeName{Relation: t.Relation.Name, Inverse: t.Relation.Inverse, Entity: t.Entity.Name}
	}

	b := slotBuilder{spec, q}
	if spec.Kind == kind.Rows {
		b.query = q.Searched()
		for _, v := range b.query.Variables() {
			spec.Search = append(spec.Search, slices.Index(spec.Variables, v.Name))
		}
		if slices.IsSorted(spec.Search) {
			spec.Search = nil
		}
	}
	for _, p := range a.PartsFor(s) {
		part := plan.Part{Variables: p.Shape.Variables}
		if slices.ContainsFunc(p.Shape.Reversed, func(atoms []bool) bool { return atoms != nil }) {
			part.Reversed = p.Shape.Reversed
		}
		for _, t := range p.Shape.Constants {
			part.Constants = append(part.Constants, b.entity(t))
		}
		for _, r := range p.Shape.Relations {
			part.Relations = append(part.Relations, b.relation(r))
		}
		for _, f := range p.Shape.Filters {
			part.Filters = append(part.Filters, indexOf(&spec.Conditions, condition(b.query, f)))
		}
		if p.At != nil {
			part.At = new(b.entity(*p.At))
		}
		if p.rows {
			part.Role = plan.Role{Variable: p.Variable, Disjunct: p.Disjunct, Own: p.Own}
		}
		spec.Parts = append(spec.Parts, part)
	}
	return spec
}

// slotBuilder numbers the names of a query in order of first use.
type slotBuilder struct {
	spec  *plan.Spec
	query *lang.Query
}

// entity returns the content of an entity slot.
func (b slotBuilder) entity(t ast.Term) plan.Slot {
	if t.Kind == ast.Constant {
		return plan.Slot{Index: indexOf(&b.spec.Entities, t.Name)}
	}
	if i := b.query.Param(t.Name); i >= 0 {
		return plan.Slot{From: plan.FromParam, Index: i}
	}
	return plan.Slot{From: plan.FromValue, Index: b.query.GivenVariable(t.Name)}
}

// relation returns the content of a relation slot.
func (b slotBuilder) relation(r ast.Relation) plan.Slot {
	if r.Param {
		return plan.Slot{From: plan.FromParam, Index: b.query.Param(r.Name), Inverse: r.Inverse}
	}
	return plan.Slot{Index: indexOf(&b.spec.Relations, r.Name), Inverse: r.Inverse}
}

// condition converts the condition of a filter.
func condition(q *lang.Query, f ast.Condition) model.Condition {
	filter := model.Condition{Attribute: f.Attribute, Unknown: f.Unknown, Negated: f.Negated}
	for _, c := range f.Comparisons {
		by := model.Comparison{Operator: c.Operator, Value: c.Value}
		filter.Quoted = c.Quoted
		if c.Param {
			i := q.Param(c.Value)
			by.Param = i + 1
			by.Value = ""
			filter.Quoted = q.Params[i].Kind == kind.Date
		}
		filter.Comparisons = append(filter.Comparisons, by)
	}
	return filter
}

// indexOf returns the index of a name or a filter, appending it if it is new.
func indexOf[T any](list *[]T, name T) int {
	i := slices.IndexFunc(*list, func(other T) bool { return reflect.DeepEqual(other, name) })
	if i < 0 {
		i = len(*list)
		*list = append(*list, name)
	}
	return i
}

// Resolve is SpecFor with the ids of the query's names in a vocabulary, such as a *runtime.Model. A type without a
// relation has none yet. The error is a lang.ErrorList.
func (a *Analysis) Resolve(v lang.Vocabulary, by model.Semantics) (*plan.Spec, error) {
	ids, err := a.Source.Resolve(v)
	if err != nil {
		return nil, err
	}
	s := a.SpecFor(by)
	s.IDs = &plan.IDs{}
	for _, name := range s.Entities {
		s.IDs.Entities = append(s.IDs.Entities, graph.EntityID(ids.Entities[name]))
	}
	for _, name := range s.Relations {
		s.IDs.Relations = append(s.IDs.Relations, graph.RelationID(ids.Relations[name]))
	}
	if t := s.Type; t != nil {
		relation := graph.RelationID(ids.Relations[t.Relation]).Toward(graph.Direction(t.Inverse))
		s.IDs.Type = model.Type{Relation: graph.RelationOf(relation), Entity: graph.EntityOf(graph.EntityID(ids.Entities[t.Entity]))}
	}
	return s, nil
}
