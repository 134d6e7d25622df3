package api

import (
	"cmp"
	"context"
	"net/http"
	"strings"

	"github.com/efoc/efoc/cmd/internal/lookup"
	"github.com/efoc/efoc/cmd/internal/missing"
	"github.com/efoc/efoc/cmd/internal/server/host"
	"github.com/efoc/efoc/cmd/internal/server/problem"
	"github.com/efoc/efoc/cmd/internal/server/transport"
	"github.com/efoc/efoc/lang/ast"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/values"
	"github.com/efoc/efoc/runtime/pause"
)

// direction is a relation in the direction from an entity.
type direction struct {
	// Relation is in the syntax of a formula: with ^-1 if the entity is the tail.
	Relation string `json:"relation"`
	// Name is the relation's name without direction.
	Name string `json:"name"`
}

func directionOf(m *runtime.Model, r graph.RelationID) direction {
	name := m.Bundle().Relations.Name(int32(r / 2))
	return direction{ast.Relation{Name: m.Bundle().RelationText(r), Inverse: r.IsInverse()}.String(), name}
}

// plausible returns the relations by which facts of an entity may be missing: see missing.Plausible.
func plausible(m *runtime.Model, e graph.EntityID) (list []direction) {
	for _, r := range missing.Plausible(m, e) {
		list = append(list, directionOf(m, r))
	}
	return list
}

// links are the facts of an entity by one relation, in one direction.
type links struct {
	direction
	Count int `json:"count"`
	// Entities are the first entities at the other end.
	Entities []runtime.Value `json:"entities"`
}

// EntityInfo is an entity with its facts.
type EntityInfo struct {
	lookup.Found
	Links []links `json:"links"`
	// Values are its numbers and dates.
	Values []values.Value `json:"values,omitempty"`
	// Plausible are relations by which facts may be missing, the most common first: see missing.Plausible.
	Plausible []direction `json:"plausible,omitempty"`
}

// fact is a stored triple.
type fact struct {
	Head runtime.Value `json:"head"`
	Tail runtime.Value `json:"tail"`
}

// RelationInfo is a relation with some of its facts.
type RelationInfo struct {
	lookup.Found
	Heads    int    `json:"heads"` // entities that are the head of one
	Tails    int    `json:"tails"`
	Examples []fact `json:"examples"`
}

// Entity describes an entity by its facts, or by a page of its facts of one relation.
func (s *Service) Entity(r *http.Request, h *host.Model) (any, error) {
	p := page{K: s.defaultK(lookup.DefaultK)}
	if err := s.read(r, &p, &p.K); err != nil {
		return nil, err
	}
	m := h.Now()
	e, err := m.Entity(r.PathValue("name"))
	if err != nil {
		return nil, problem.Refused(err)
	}
	p.plausible = p.Relation == ""
	return s.facts(r.Context(), m, e.ID(), p)
}

// Relation describes a relation by examples.
func (s *Service) Relation(r *http.Request, h *host.Model) (any, error) {
	var req struct {
		K int `json:"k"`
	}
	req.K = s.defaultK(lookup.DefaultK)
	if err := s.read(r, &req, &req.K); err != nil {
		return nil, err
	}
	m := h.Now()
	id, err := m.Relation(r.PathValue("name"))
	if err != nil {
		return nil, problem.Refused(err)
	}
	return s.sample(r.Context(), m, id.ID(), req.K)
}

// sample describes a relation by examples.
func (s *Service) sample(ctx context.Context, m *runtime.Model, r graph.RelationID, k int) (info *RelationInfo, err error) {
	err = s.host.Run(ctx, 0, func(ctx context.Context) error {
		info = samples(m, r, k)
		return pause.Here(ctx)
	})
	return info, err
}

// page selects facts of an entity or a relation.
type page struct {
	Relation string `json:"relation"` // only facts of this relation, which may end in ^-1; empty means all
	Name     string `json:"name"`     // only entities with this text in their labels, ignoring case
	K        int    `json:"k"`        // facts of each relation
	Offset   int    `json:"offset" least:"0"`

	plausible bool // include plausible relations
}

// read reads a request for k results from the query string.
func (s *Service) read(r *http.Request, request any, k *int) error {
	return cmp.Or(transport.ReadQuery(r, request), s.checkK(*k))
}

// facts returns the facts of an entity, one page per relation and direction.
func (s *Service) facts(ctx context.Context, m *runtime.Model, e graph.EntityID, p page) (info *EntityInfo, err error) {
	only := graph.RelationID(-1)
	if p.Relation != "" {
		r, err := m.Relation(p.Relation)
		if err != nil {
			return nil, problem.Refused(err)
		}
		only = r.ID()
	}
	err = s.host.Run(ctx, 0, func(ctx context.Context) (err error) {
		info, err = p.facts(ctx, m, e, only)
		return err
	})
	return info, err
}

// facts returns a page of the facts of an entity by one relation, or by all if only is negative.
func (p *page) facts(ctx context.Context, m *runtime.Model, e graph.EntityID, only graph.RelationID) (*EntityInfo, error) {
	info := &EntityInfo{Found: lookup.Describe(m, "entity", m.Bundle().Entities, int32(e)), Links: []links{}}
	if only < 0 {
		info.Values = m.Bundle().Values(e)
	}
	for r := range graph.RelationID(m.NumRelations()) {
		if only >= 0 && r != only {
			continue
		}
		if err := pause.Here(ctx); err != nil {
			return nil, err
		}
		tails := p.named(m, m.Bundle().Graph.Tails(e, r))
		if len(tails) == 0 {
			continue
		}
		l := links{direction: directionOf(m, r), Count: len(tails), Entities: []runtime.Value{}}
		first := min(len(tails), p.Offset)
		for _, t := range tails[first:min(len(tails), first+p.K)] {
			l.Entities = append(l.Entities, m.Named(t))
		}
		info.Links = append(info.Links, l)
	}
	if p.plausible {
		info.Plausible = plausible(m, e)
	}
	return info, nil
}

// named returns the entities of a list whose labels match the page.
func (p *page) named(m *runtime.Model, list []int32) (found []int32) {
	if p.Name == "" {
		return list
	}
	like := strings.ToLower(p.Name)
	for _, e := range list {
		if strings.Contains(strings.ToLower(m.EntityLabel(graph.EntityID(e))), like) {
			found = append(found, e)
		}
	}
	return found
}

// samples returns facts of a relation as stored, evenly spread over all of them. r may be its inverse.
func samples(m *runtime.Model, r graph.RelationID, k int) *RelationInfo {
	i := r / 2
	heads, tails := m.Bundle().Graph.Edges(2 * i)
	back, _ := m.Bundle().Graph.Edges(2*i + 1) // its heads are the tails, in order
	info := &RelationInfo{
		Found: lookup.Describe(m, "relation", m.Bundle().Relations, int32(i)), Heads: distinct(heads), Tails: distinct(back), Examples: []fact{},
	}
	n := min(len(heads), k)
	for i := range n {
		j := (2*i + 1) * len(heads) / (2 * n)
		info.Examples = append(info.Examples, fact{m.Named(heads[j]), m.Named(tails[j])})
	}
	return info
}

// distinct counts the values of a sorted list.
func distinct(list []int32) (n int) {
	for i, x := range list {
		if i == 0 || x != list[i-1] {
			n++
		}
	}
	return n
}
