package missing

import (
	"slices"
	"testing"

	"github.com/efoc/efoc/cmd/efoc/world"
	"github.com/efoc/efoc/lang/ast"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/testdata/require"
)

// TestPlausible checks that facts are sought by the relations of similar entities: those of
// countries for a country, also one whose own facts were taken away, and not for a language.
func TestPlausible(t *testing.T) {
	m, err := world.Open()
	require.NoError(t, err)
	defer m.Close()
	id := func(name string) graph.EntityID {
		e, err := m.Entity(name)
		require.NoError(t, err)
		return e.ID()
	}
	countries := []string{"borders", "borders^-1", "capital", "currency", "in_continent", "official_language"}
	for name, want := range map[string]bool{"France": true, "Kenya": true, "Peru": true, "Spanish": false, "Euro": false} {
		list := written(m, Plausible(m, id(name)))
		if n := len(slices.Compact(slices.Sorted(slices.Values(list)))); n != len(list) || n == 0 || n > maxPlausible {
			t.Errorf("%s: %q", name, list)
		}
		for _, r := range countries {
			if slices.Contains(list, r) != want {
				t.Errorf("%s: %s is plausible: %v, want %v: %q", name, r, !want, want, list)
			}
		}
	}
	// A continent shares no facts with the others, but leads to countries as they do.
	if list := written(m, Plausible(m, id("Europe"))); !slices.Contains(list, "in_continent^-1") || slices.Contains(list, "capital") {
		t.Errorf("Europe has %q", list)
	}
	var own []graph.Triple
	capital, err := m.Relation("capital")
	require.NoError(t, err)
	for _, city := range m.Bundle().Graph.Tails(id("Kenya"), capital.ID()) {
		own = append(own, graph.Triple{Head: id("Kenya"), Relation: int32(capital.ID() / 2), Tail: graph.EntityID(city)})
	}
	changed := *m.Bundle()
	changed.Graph, _, _, err = m.Bundle().Graph.With(nil, own)
	require.NoError(t, err)
	if list := written(m, Plausible(runtime.NewModel(&changed), id("Kenya"))); !slices.Contains(list, "capital") {
		t.Errorf("without its own capital Kenya has %q", list)
	}
}

// written returns relations as a formula has them.
func written(m *runtime.Model, list []graph.RelationID) (names []string) {
	for _, r := range list {
		names = append(names, ast.Relation{Name: m.Bundle().Relations.Name(int32(r / 2)), Inverse: r.IsInverse()}.String())
	}
	return names
}
