// Package lookup finds entities and relations by approximate names.
package lookup

import (
	"cmp"
	"slices"

	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/names"
)

// Found is an entity or relation that matches.
type Found struct {
	Kind string `json:"kind"`
	// ID is the number for #id: 2i for relation i, read forwards.
	ID    int32  `json:"id"`
	Name  string `json:"name"`
	Label string `json:"label"`
	Text  string `json:"text"`
	Facts int    `json:"facts"`
}

// Find returns entities or relations with a name similar to the text, or with that #id, an exact match first. Without
// a text it returns the relations with the most facts.
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
			list = append(list, Describe(m, kind, names, id))
		}
		slices.SortStableFunc(list, func(a, b Found) int { return cmp.Compare(b.Facts, a.Facts) })
	} else if text != "" {
		ids := names.Search(text, limit)
		if id, err := find(text); err == nil {
			ids = append([]int32{id}, slices.DeleteFunc(ids, func(other int32) bool { return other == id })...)
		}
		for _, id := range ids[:min(len(ids), limit)] {
			list = append(list, Describe(m, kind, names, id))
		}
	}
	return list[:min(len(list), limit)]
}

// Describe describes a name.
func Describe(m *runtime.Model, kind string, names *names.Names, id int32) Found {
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
