package enginebench

import (
	"math/rand/v2"
	"slices"

	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/scq"
)

// Arguments are values of a template's parameters, which generated code asks for by name.
type Arguments struct {
	params []lang.Param
	ids    []int32
}

// Entity returns the value of an entity parameter.
func (a Arguments) Entity(name string) model.Entity {
	return model.EntityOf(model.EntityID(a.ids[a.index(name)]))
}

// Relation returns the value of a relation parameter.
func (a Arguments) Relation(name string) model.Relation {
	return model.RelationOf(model.RelationID(a.ids[a.index(name)]))
}

func (a Arguments) index(name string) int {
	return slices.IndexFunc(a.params, func(p lang.Param) bool { return p.Name == name })
}

// draw draws relations first, and then each entity from a fact of a relation that the
// template has it in; an entity without one is any of the model.
func draw(rng *rand.Rand, m *model.Model, p *compiler.Prepared) Arguments {
	a := Arguments{params: p.Source.Params, ids: make([]int32, len(p.Source.Params))}
	for i, param := range a.params {
		if param.Kind == lang.RelationKind {
			a.ids[i] = rng.Int32N(int32(m.NumRelations()))
		}
	}
	for i, param := range a.params {
		if param.Kind != lang.RelationKind {
			a.ids[i] = drawEntity(rng, m, p, a.ids, i)
		}
	}
	return a
}

// drawEntity draws an entity from a fact of the first relation that has the parameter.
func drawEntity(rng *rand.Rand, m *model.Model, p *compiler.Prepared, ids []int32, param int) int32 {
	is := func(t scq.Term) bool { return t.Constant && p.Slots.Constants[t.Index].Param == param }
	for _, g := range p.Shape.SCQs {
		for _, atom := range g.Atoms {
			if atom.Negated {
				continue
			}
			heads, tails := m.Graph.Edges(model.RelationID(p.Slots.Relations[atom.Relation].Value(ids)))
			switch {
			case len(heads) == 0:
			case is(atom.Head):
				return heads[rng.IntN(len(heads))]
			case is(atom.Tail):
				return tails[rng.IntN(len(tails))]
			}
		}
	}
	return rng.Int32N(int32(m.NumEntities()))
}
