package server

import (
	"cmp"
	"context"
	"net/http"
	"slices"

	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/names"
	"github.com/efoc/efoc/runtime/pause"
)

// Found is an entity or relation that was looked for.
type Found struct {
	Kind string `json:"kind"`
	// ID is the number that #id names: of relation i it is 2i, which is i read forwards.
	ID    int32  `json:"id"`
	Name  string `json:"name"`
	Label string `json:"label"`
	Text  string `json:"text"`
	Facts int    `json:"facts"`
}

// Bounds on the names that a search returns.
const (
	defaultFound = 10
	maxFound     = 100
)

// search looks for names, which may be half typed or misspelt. Without a text it
// lists the relations with the most facts.
func (s *Server) search(r *http.Request, h *openModel) (any, error) {
	limit := new(defaultFound)
	given, err := readParams(r, "q", "kind", "limit")
	if err = cmp.Or(err, given.read("limit", &limit)); err != nil {
		return nil, err
	}
	results, err := s.lookUp(r.Context(), h, given["q"], given["kind"], *limit)
	return struct {
		Results []Found `json:"results"`
	}{results}, err
}

// lookUp finds entities and relations, as many of each as the limit says.
func (s *Server) lookUp(ctx context.Context, h *openModel, text, kind string, limit int) ([]Found, error) {
	if err := checkFound(limit, kind); err != nil {
		return nil, err
	}
	if len(text) > s.Limits.Formula {
		return nil, badRequest("the name has %d bytes, over the limit of %d", len(text), s.Limits.Formula)
	}
	results := []Found{}
	err := s.scheduler.run(ctx, 0, func(ctx context.Context) error {
		for _, k := range []string{"entity", "relation"} {
			if err := pause.Here(ctx); err != nil {
				return err
			}
			if kind == "" || kind == k {
				results = append(results, Find(h.model.Now(), k, text, limit)...)
			}
		}
		return nil
	})
	return results, err
}

// checkFound checks what a search asks for.
func checkFound(limit int, kind string) error {
	switch {
	case limit < 1 || limit > maxFound:
		return badRequest("limit is %d, want 1 to %d", limit, maxFound)
	case kind != "" && kind != "entity" && kind != "relation":
		return badRequest("kind is %q, want entity or relation", kind)
	}
	return nil
}

// Find returns what has a name like the text, or is #id, an exact one first. Without a text these are
// the relations with the most facts.
func Find(m *runtime.Model, kind, text string, limit int) []Found {
	names := m.Bundle().Entities
	find := m.Bundle().FindEntity
	if kind == "relation" {
		names = m.Bundle().Relations
		find = func(name string) (int32, error) {
			directed, err := m.Bundle().FindRelation(name)
			return directed / 2, err
		}
	}
	var list []Found
	if text == "" && kind == "relation" {
		for id := range int32(m.NumRelations() / 2) {
			list = append(list, describe(m, kind, names, id))
		}
		slices.SortStableFunc(list, func(a, b Found) int { return cmp.Compare(b.Facts, a.Facts) })
	} else if text != "" {
		ids := names.Search(text, limit)
		if id, err := find(text); err == nil {
			ids = append([]int32{id}, slices.DeleteFunc(ids, func(other int32) bool { return other == id })...)
		}
		for _, id := range ids[:min(len(ids), limit)] {
			list = append(list, describe(m, kind, names, id))
		}
	}
	return list[:min(len(list), limit)]
}

// describe describes a name.
func describe(m *runtime.Model, kind string, names *names.Names, id int32) Found {
	f := Found{Kind: kind, ID: id, Name: names.Name(id), Label: names.Label(id)}
	f.Text = f.Name
	if owner, err := names.Find(f.Label); err == nil && owner == id {
		f.Text = f.Label
	}
	if kind == "relation" {
		f.ID = 2 * id
		heads, _ := m.Bundle().Graph.Edges(graph.RelationID(f.ID))
		f.Facts = len(heads)
		return f
	}
	for r := range graph.RelationID(m.NumRelations()) {
		f.Facts += len(m.Bundle().Graph.Tails(graph.EntityID(id), r))
	}
	return f
}
