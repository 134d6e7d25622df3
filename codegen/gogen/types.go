package gogen

import (
	"fmt"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/efoc/efoc/codegen"
	"github.com/efoc/efoc/compiler/lower"
	"github.com/efoc/efoc/compiler/stages"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/lang/ast"
	"github.com/efoc/efoc/runtime/kind"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/scq"
)

// ParamTypes are the types of entity parameters according to a model.
type ParamTypes struct {
	relation string                            // the type relation
	of       map[*lang.Query]map[string]string // type name of each typed parameter
}

// TypesOf finds the types of a file's parameters in a model that has a type relation; nil in other models. A
// parameter has a type if all typed entities at its position in the facts of one of its relations have it, and
// at least half of them are typed; of several such types, the one with the fewest entities. Negated atoms count
// only if no other atom gives a type, because an excluded entity may have any type.
func TypesOf(f *stages.File, m *model.Model) (*ParamTypes, error) {
	name := m.Manifest.TypeRelation
	if name == "" {
		return nil, nil
	}
	r, err := m.Relation(name)
	if err != nil {
		return nil, err
	}
	t := &typer{m, r.ID(), map[place]graph.EntityID{}}
	types := &ParamTypes{name, map[*lang.Query]map[string]string{}}
	for _, a := range f.Templates {
		q := a.Source
		types.of[q] = map[string]string{}
		for _, p := range q.Params {
			if p.Kind != kind.Entity {
				continue
			}
			best := t.ofParam(a, p.Name, false)
			if best == none {
				best = t.ofParam(a, p.Name, true)
			}
			if best != none {
				types.of[q][p.Name] = m.EntityName(best)
			}
		}
	}
	return types, nil
}

// none is the absence of a type.
const none = graph.EntityID(-1)

// place is one end of the facts of a relation.
type place struct {
	relation graph.RelationID
	tail     bool
}

// typer finds types in a model.
type typer struct {
	m     *model.Model
	types graph.RelationID
	known map[place]graph.EntityID // types of the places looked up so far
}

// ofParam returns the type of a parameter from a template's negated atoms, or from the others.
func (t *typer) ofParam(a *stages.Analysis, name string, negated bool) graph.EntityID {
	best := none
	for _, part := range a.Parts {
		at := ""
		if part.At != nil && part.At.Kind == ast.Parameter {
			at = part.At.Name
		}
		best = t.smaller(best, t.param(part.Shape, name, at, negated))
	}
	return best
}

// smaller returns the type with fewer entities.
func (t *typer) smaller(a, b graph.EntityID) graph.EntityID {
	if a == none || b != none && t.size(b) < t.size(a) {
		return b
	}
	return a
}

// param returns the type of a parameter from a shape's negated atoms, or from the others. The shape's free
// variable represents the parameter named at.
func (t *typer) param(s *lower.Shape, name, at string, negated bool) graph.EntityID {
	best := none
	for _, g := range s.Disjuncts {
		for _, a := range g.Atoms {
			if a.Negated != negated || a.Unequal() || s.Relations[a.Relation].Param {
				continue
			}
			r := s.Relations[a.Relation]
			id, err := t.m.FindRelation(r.Name)
			if err != nil {
				continue // name checks report it
			}
			relation := graph.RelationID(id).Toward(graph.Direction(r.Inverse))
			for _, end := range []struct {
				scq.Term
				tail bool
			}{{a.Head, false}, {a.Tail, true}} {
				constant := end.Constant && s.Constants[end.Index].Kind == ast.Parameter && s.Constants[end.Index].Name == name
				if !constant && !(end.Term == scq.Var(0) && at == name) {
					continue
				}
				best = t.smaller(best, t.place(place{relation, end.tail}))
			}
		}
	}
	return best
}

// place returns the type of the entities at a place.
func (t *typer) place(p place) graph.EntityID {
	if id, ok := t.known[p]; ok {
		return id
	}
	heads, tails := t.m.Graph.Edges(p.relation)
	if p.tail {
		heads = tails
	}
	entities := slices.Compact(slices.Sorted(slices.Values(heads)))
	typed := 0
	counts := map[int32]int{}
	for _, e := range entities {
		types := t.m.Graph.Tails(graph.EntityID(e), t.types)
		if len(types) > 0 {
			typed++
		}
		for _, id := range types {
			counts[id]++
		}
	}
	best := none
	for id, n := range counts {
		id := graph.EntityID(id)
		if n < typed || 2*typed < len(entities) {
			continue
		}
		if size := t.size(id); best == none || size < t.size(best) || size == t.size(best) && id < best {
			best = id
		}
	}
	t.known[p] = best
	return best
}

// size returns the number of entities of a type.
func (t *typer) size(id graph.EntityID) int { return len(t.m.Graph.Tails(id, t.types.Inverse())) }

// goType returns the name of the Go type of a parameter, "" if it is runtime.Entity.
func (g *generator) goType(q *lang.Query, p lang.Param) string {
	if g.options.Types == nil {
		return ""
	}
	return g.types[g.options.Types.of[q][p.Name]]
}

// nameTypes names a Go type for each parameter type; none if the name is taken.
func (g *generator) nameTypes(taken codegen.Claims) {
	g.types = map[string]string{}
	if g.options.Types == nil {
		return
	}
	for _, a := range g.file.Templates {
		q := a.Source
		for _, p := range q.Params {
			t, ok := g.options.Types.of[q][p.Name]
			if !ok || g.types[t] != "" {
				continue
			}
			name := g.names.Prefix + codegen.Exported(local(t, "type"))
			if taken.Claim(name, "type "+t) == "" && taken.Claim("Find"+name, "type "+t) == "" {
				g.types[t] = name
				g.typeOrder = append(g.typeOrder, t)
			}
		}
	}
}

// typesOfParams prints the Go types of parameters and their look-up functions.
func (g *generator) typesOfParams() {
	for _, t := range g.typeOrder {
		name := g.types[t]
		g.prose(fmt.Sprintf("%s is an entity of type %s, by relation %s.", name, t, g.options.Types.relation))
		g.out.Type().Id(name).Struct(jen.Qual(codegen.RuntimePath, "Entity"))
		g.prose(fmt.Sprintf("Find%s returns the entity of that name or label. It refuses an entity that has types in the graph, but not this one.", name))
		g.out.Func().Id("Find"+name).Params(jen.Id("m").Op("*").Qual(codegen.RuntimePath, "Model"), jen.Id("name").String()).Params(jen.Id(name), jen.Error()).Block(
			jen.List(jen.Id("e"), jen.Err()).Op(":=").Id("m").Dot("EntityOfType").Call(jen.Id("name"), jen.Lit(g.options.Types.relation), jen.Lit(t)),
			jen.Return(jen.Id(name).Values(jen.Id("e")), jen.Err()),
		)
	}
}
