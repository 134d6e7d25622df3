package enginebench

import (
	"fmt"
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

// named returns the values by name, as ids.
func (a Arguments) named() map[string]string {
	args := map[string]string{}
	for i, p := range a.params {
		args[p.Name] = fmt.Sprint("#", a.ids[i])
	}
	return args
}

// draw draws relations first, and then each entity from a fact of a relation that a part of the
// template has it in; an entity without one is any of the model.
func draw(rng *rand.Rand, m *model.Model, params []lang.Param, parts []*compiler.Prepared) Arguments {
	a := Arguments{params: params, ids: make([]int32, len(params))}
	for i, param := range params {
		if param.Kind == lang.RelationKind {
			a.ids[i] = rng.Int32N(int32(m.NumRelations()))
		}
	}
	for i, param := range params {
		if param.Kind != lang.RelationKind {
			a.ids[i] = a.drawEntity(rng, m, parts, param.Name)
		}
	}
	return a
}

// drawEntity draws an entity from a fact of the first relation that has the parameter.
func (a Arguments) drawEntity(rng *rand.Rand, m *model.Model, parts []*compiler.Prepared, name string) int32 {
	for _, p := range parts {
		if e, ok := a.drawFrom(rng, m, p, name); ok {
			return e
		}
	}
	return rng.Int32N(int32(m.NumEntities()))
}

// drawFrom draws an entity from a fact of the first relation of a part that has the parameter, if there is one.
func (a Arguments) drawFrom(rng *rand.Rand, m *model.Model, p *compiler.Prepared, name string) (int32, bool) {
	ids := a.of(p.Source)
	is := func(t scq.Term) bool {
		if !t.Constant {
			return false
		}
		slot := p.Slots.Constants[t.Index]
		return slot.Param >= 0 && p.Source.Params[slot.Param].Name == name
	}
	for _, g := range p.Shape.SCQs {
		for _, atom := range g.Atoms {
			if atom.Negated {
				continue
			}
			heads, tails := m.Graph.Edges(model.RelationID(p.Slots.Relations[atom.Relation].Value(ids)))
			switch {
			case len(heads) == 0:
			case is(atom.Head):
				return heads[rng.IntN(len(heads))], true
			case is(atom.Tail):
				return tails[rng.IntN(len(tails))], true
			}
		}
	}
	return 0, false
}

// of returns the values of a part's parameters. A part of a template with several answer variables also
// takes some of these, as entities that no relation depends on: they are 0.
func (a Arguments) of(part *lang.Query) []int32 {
	ids := make([]int32, len(part.Params))
	for i, p := range part.Params {
		if at := a.index(p.Name); at >= 0 {
			ids[i] = a.ids[at]
		}
	}
	return ids
}
