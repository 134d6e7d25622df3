package server

import (
	"cmp"
	"context"
	"net/http"

	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/query"
)

// links are the facts of an entity by one relation, in one direction.
type links struct {
	// Relation is written as in a formula: with ^-1 where the entity is the tail.
	Relation string `json:"relation"`
	// Name is the relation's own.
	Name  string `json:"name"`
	Count int    `json:"count"`
	// Entities are the first of those at the other end.
	Entities []query.WitnessEntity `json:"entities"`
}

// entityInfo is an entity with its facts.
type entityInfo struct {
	found
	Links []links `json:"links"`
}

// fact is a stored triple.
type fact struct {
	Head query.WitnessEntity `json:"head"`
	Tail query.WitnessEntity `json:"tail"`
}

// relationInfo is a relation with some of its facts.
type relationInfo struct {
	found
	Heads    int    `json:"heads"` // entities that are the head of one
	Tails    int    `json:"tails"`
	Examples []fact `json:"examples"`
}

// entity describes an entity by its facts.
func (s *Server) entity(r *http.Request, h *loaded) (any, error) {
	name, limit, err := s.named(r)
	if err != nil {
		return nil, err
	}
	e, err := h.model.Now().Entity(name)
	if err != nil {
		return nil, cmp.Or(unknownName(err), badRequest("%w", err))
	}
	return s.facts(r.Context(), h.model.Now(), e.ID(), limit)
}

// relation describes a relation by examples.
func (s *Server) relation(r *http.Request, h *loaded) (any, error) {
	name, limit, err := s.named(r)
	if err != nil {
		return nil, err
	}
	id, err := h.model.Now().Relation(name)
	if err != nil {
		return nil, cmp.Or(unknownName(err), badRequest("%w", err))
	}
	return s.samples(h.model.Now(), id.ID()/2, limit), nil
}

// named reads the name in the path, and how many entities are wanted of each relation.
func (s *Server) named(r *http.Request) (string, int, error) {
	limit := new(defaultFound)
	given, err := readParams(r, "limit")
	if err = cmp.Or(err, given.number("limit", &limit)); err != nil {
		return "", 0, err
	}
	if *limit < 1 || *limit > maxFound {
		return "", 0, badRequest("limit is %d, want 1 to %d", *limit, maxFound)
	}
	return r.PathValue("name"), *limit, nil
}

// facts returns the facts of an entity, a few of each relation and direction.
func (s *Server) facts(ctx context.Context, m *query.Model, e model.EntityID, limit int) (*entityInfo, error) {
	if err := s.startCompiling(ctx); err != nil { // it goes through all relations
		return nil, err
	}
	defer s.stopCompiling()
	info := &entityInfo{found: describe(m, "entity", m.Entities, int32(e)), Links: []links{}}
	for r := range model.RelationID(m.NumRelations()) {
		tails := m.Graph.Tails(e, r)
		if len(tails) == 0 {
			continue
		}
		name := m.Relations.Name(int32(r / 2))
		l := links{Relation: lang.Relation{Name: name, Inverse: r.IsInverse()}.String(), Name: name, Count: len(tails)}
		for _, t := range tails[:min(len(tails), limit)] {
			l.Entities = append(l.Entities, named(m, t))
		}
		info.Links = append(info.Links, l)
	}
	return info, nil
}

// samples returns some facts of a relation, spread evenly over all of them.
func (s *Server) samples(m *query.Model, r model.RelationID, limit int) *relationInfo {
	heads, tails := m.Graph.Edges(2 * r)
	back, _ := m.Graph.Edges(2*r + 1) // its heads are the tails, in order
	info := &relationInfo{
		found: describe(m, "relation", m.Relations, int32(r)), Heads: distinct(heads), Tails: distinct(back), Examples: []fact{},
	}
	n := min(len(heads), limit)
	for i := range n {
		j := (2*i + 1) * len(heads) / (2 * n)
		info.Examples = append(info.Examples, fact{named(m, heads[j]), named(m, tails[j])})
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

// named returns an entity with its names.
func named(m *query.Model, id int32) query.WitnessEntity {
	e := model.EntityID(id)
	return query.WitnessEntity{ID: e, Name: m.EntityName(e), Label: m.EntityLabel(e)}
}
