package server

import (
	"cmp"
	"net/http"
	"slices"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/query"
)

// found is an entity or relation that was looked for.
type found struct {
	Kind  string `json:"kind"`
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
func (s *Server) search(r *http.Request, h *loaded) (any, error) {
	limit := new(defaultFound)
	given, err := readParams(r, "q", "kind", "limit")
	if err = cmp.Or(err, given.number("limit", &limit)); err != nil {
		return nil, err
	}
	text, kind := given["q"], given["kind"]
	switch {
	case *limit < 1 || *limit > maxFound:
		return nil, badRequest("limit is %d, want 1 to %d", *limit, maxFound)
	case kind != "" && kind != "entity" && kind != "relation":
		return nil, badRequest("kind is %q, want entity or relation", kind)
	case len(text) > s.Limits.Formula:
		return nil, badRequest("q has %d bytes, over the limit of %d", len(text), s.Limits.Formula)
	}
	if err := s.startCompiling(r.Context()); err != nil { // it goes through all names
		return nil, err
	}
	defer s.stopCompiling()
	results := []found{}
	if kind != "relation" && text != "" {
		for _, id := range lookFor(h.model.Entities, text, *limit) {
			results = append(results, describe(h.model, "entity", h.model.Entities, id))
		}
	}
	if kind != "entity" {
		results = append(results, relations(h.model, text, *limit)...)
	}
	return struct {
		Results []found `json:"results"`
	}{results}, nil
}

// lookFor returns ids of names like the text, an exact one first.
func lookFor(names *model.Names, text string, limit int) []int32 {
	ids := names.Search(text, limit)
	if id, err := names.Find(text); err == nil {
		ids = append([]int32{id}, slices.DeleteFunc(ids, func(other int32) bool { return other == id })...)
	}
	return ids[:min(len(ids), limit)]
}

// relations returns the relations with names like the text, or those with the
// most facts if it is empty.
func relations(m *query.Model, text string, limit int) []found {
	var list []found
	if text != "" {
		for _, id := range lookFor(m.Relations, text, limit) {
			list = append(list, describe(m, "relation", m.Relations, id))
		}
		return list
	}
	for id := range int32(m.NumRelations() / 2) {
		list = append(list, describe(m, "relation", m.Relations, id))
	}
	slices.SortStableFunc(list, func(a, b found) int { return cmp.Compare(b.Facts, a.Facts) })
	return list[:min(len(list), limit)]
}

// describe describes a name.
func describe(m *query.Model, kind string, names *model.Names, id int32) found {
	f := found{Kind: kind, ID: id, Name: names.Name(id), Label: names.Label(id)}
	f.Text = f.Name
	if owner, err := names.Find(f.Label); err == nil && owner == id {
		f.Text = f.Label
	}
	if kind == "relation" {
		heads, _ := m.Graph.Edges(model.RelationID(2 * id))
		f.Facts = len(heads)
		return f
	}
	for r := range model.RelationID(m.NumRelations()) {
		f.Facts += len(m.Graph.Tails(model.EntityID(id), r))
	}
	return f
}
