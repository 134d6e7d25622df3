package enginebench

import (
	"math/rand/v2"
	"slices"

	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/runtime/scq"
)

// draw draws relations first, and then each entity from a fact of a relation that a part of the
// template has it in; an entity without one is any of the model.
func draw(rng *rand.Rand, m *model.Model, s *plan.Spec) runtime.Args {
	args := make(runtime.Args, len(s.Params))
	for i, p := range s.Params {
		if p.Kind == plan.RelationParam {
			args[i] = plan.Relation(graph.RelationOf(graph.RelationID(rng.IntN(m.NumRelations()))))
		}
	}
	for i, p := range s.Params {
		switch p.Kind {
		case plan.EntityParam:
			args[i] = plan.Entity(graph.EntityOf(drawEntity(rng, m, s, args, i)))
		case plan.NumberParam, plan.DateParam:
			args[i] = drawValue(rng, m, s, i)
		}
	}
	return args
}

// drawValue draws a value of the attribute that a filter compares with the parameter; 0 if it meets none.
func drawValue(rng *rand.Rand, m *model.Model, s *plan.Spec, param int) plan.Arg {
	const looks = 1000
	compares := func(c plan.Comparison) bool { return c.Param == param+1 }
	at := slices.IndexFunc(s.Conditions, func(f plan.Condition) bool { return slices.ContainsFunc(f.Comparisons, compares) })
	of, err := m.Attribute(s.Conditions[at].Attribute)
	for range looks {
		for _, v := range m.Values(graph.EntityID(rng.IntN(m.NumEntities()))) {
			if err == nil && v.Attribute == of.Name {
				span, _ := v.Kind.Span(v.Value)
				return plan.Arg{Kind: s.Params[param].Kind, Span: span}
			}
		}
	}
	return plan.Arg{Kind: s.Params[param].Kind}
}

// drawEntity draws an entity from a fact of the first relation that has the parameter.
func drawEntity(rng *rand.Rand, m *model.Model, s *plan.Spec, args runtime.Args, param int) graph.EntityID {
	want := plan.Slot{From: plan.FromParam, Index: param}
	for _, part := range s.Parts {
		is := func(t scq.Term) bool { return t.Constant && part.Constants[t.Index] == want }
		for _, g := range part.Plan.Disjuncts {
			for _, atom := range g.Atoms {
				if atom.Negated {
					continue
				}
				heads, tails := m.Graph.Edges(part.Relations[atom.Relation].Relation(s.IDs, args))
				switch {
				case len(heads) == 0:
				case is(atom.Head):
					return graph.EntityID(heads[rng.IntN(len(heads))])
				case is(atom.Tail):
					return graph.EntityID(tails[rng.IntN(len(tails))])
				}
			}
		}
	}
	return graph.EntityID(rng.IntN(m.NumEntities()))
}
