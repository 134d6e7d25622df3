package enginebench

import (
	"math/rand/v2"

	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/runtime/scq"
)

// draw draws relations first, and then each entity from a fact of a relation that a part of the
// template has it in; an entity without one is any of the model.
func draw(rng *rand.Rand, m *model.Model, s *plan.Spec) runtime.Args {
	args := make(runtime.Args, len(s.Params))
	for i, p := range s.Params {
		if p.Kind == plan.RelationParam {
			args[i] = rng.Int32N(int32(m.NumRelations()))
		}
	}
	for i, p := range s.Params {
		if p.Kind == plan.EntityParam {
			args[i] = drawEntity(rng, m, s, args, i)
		}
	}
	return args
}

// drawEntity draws an entity from a fact of the first relation that has the parameter.
func drawEntity(rng *rand.Rand, m *model.Model, s *plan.Spec, args runtime.Args, param int) int32 {
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
					return heads[rng.IntN(len(heads))]
				case is(atom.Tail):
					return tails[rng.IntN(len(tails))]
				}
			}
		}
	}
	return rng.Int32N(int32(m.NumEntities()))
}
