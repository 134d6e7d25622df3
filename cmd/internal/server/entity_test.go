package server

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/cmd/internal/connect"
	"github.com/efoc/efoc/cmd/internal/server/api"
	"github.com/efoc/efoc/lang/ast"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/testdata/require"
)

// TestEntityPages pages through the facts of an entity by one relation, in both directions.
func TestEntityPages(t *testing.T) {
	_, hs := start(t, Config{})
	for _, c := range []struct{ entity, relation, has string }{{"France", "borders", "Spain"}, {"Europe", "in_continent^-1", "France"}} {
		var all []string
		for count := 1; len(all) < count; {
			_, text := call(t, hs, "GET", fmt.Sprintf("/v1/entity/%s?relation=%s&k=3&offset=%d", c.entity, url.QueryEscape(c.relation), len(all)), "")
			e := unmarshal[api.EntityInfo](t, text)
			if len(e.Links) != 1 || e.Links[0].Relation != c.relation || len(e.Plausible) > 0 {
				t.Fatalf("%s of %s: %s", c.relation, c.entity, text)
			}
			if n := len(e.Links[0].Entities); n != min(3, e.Links[0].Count-len(all)) {
				t.Fatalf("%d entities after %d of %d", n, len(all), e.Links[0].Count)
			}
			count = e.Links[0].Count
			for _, x := range e.Links[0].Entities {
				all = append(all, x.Name)
			}
		}
		if n := len(all); !slices.Contains(all, c.has) || len(slices.Compact(slices.Sorted(slices.Values(all)))) != n || n < 4 {
			t.Errorf("%s of %s: %v", c.relation, c.entity, all)
		}
	}
}

// TestEntityNames asks for the facts of an entity whose other entity has a text in its label.
func TestEntityNames(t *testing.T) {
	_, hs := start(t, Config{})
	get := func(q string) api.EntityInfo {
		_, text := call(t, hs, "GET", "/v1/entity/Europe?k=50&relation="+url.QueryEscape("in_continent^-1")+q, "")
		return unmarshal[api.EntityInfo](t, text)
	}
	var want []string
	for _, offset := range []string{"", "&offset=50"} {
		for _, x := range get(offset).Links[0].Entities {
			if strings.Contains(strings.ToLower(x.Label), "land") {
				want = append(want, x.Name)
			}
		}
	}
	found := get("&name=LAND").Links
	var got []string
	for _, x := range found[0].Entities {
		got = append(got, x.Name)
	}
	if !slices.Equal(got, want) || found[0].Count != len(want) || len(want) < 5 {
		t.Errorf("%d facts, %q, want %q", found[0].Count, got, want)
	}
	if none := get("&name=none+such").Links; len(none) != 0 {
		t.Errorf("no name is like that: %+v", none)
	}
}

// TestPlausible checks that facts are sought by the relations of similar entities: those of
// countries for a country, also one whose own facts were taken away, and not for a language.
func TestPlausible(t *testing.T) {
	m, err := openWorld(t.Context())
	require.NoError(t, err)
	defer m.Close()
	id := func(name string) graph.EntityID {
		e, err := m.Entity(name)
		require.NoError(t, err)
		return e.ID()
	}
	countries := []string{"borders", "borders^-1", "capital", "currency", "in_continent", "official_language"}
	for name, want := range map[string]bool{"France": true, "Kenya": true, "Peru": true, "Spanish": false, "Euro": false} {
		list := written(m, connect.Plausible(m, id(name)))
		if n := len(slices.Compact(slices.Sorted(slices.Values(list)))); n != len(list) || n == 0 || n > connect.MaxPlausible {
			t.Errorf("%s: %q", name, list)
		}
		for _, r := range countries {
			if slices.Contains(list, r) != want {
				t.Errorf("%s: %s is plausible: %v, want %v: %q", name, r, !want, want, list)
			}
		}
	}
	// A continent shares no facts with the others, but leads to countries as they do.
	if list := written(m, connect.Plausible(m, id("Europe"))); !slices.Contains(list, "in_continent^-1") || slices.Contains(list, "capital") {
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
	if list := written(m, connect.Plausible(runtime.NewModel(&changed), id("Kenya"))); !slices.Contains(list, "capital") {
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

// TestConnect finds ways over the API.
func TestConnect(t *testing.T) {
	_, hs := start(t, Config{})
	status, text := call(t, hs, "GET", "/v1/connect?from=Portugal&to=Germany&steps=2&k=3", "")
	r := unmarshal[connect.Result](t, text)
	if status != 200 || len(r.Ways) != 3 || r.To.Name != "Germany" || len(r.Ways[0].Links) != 2 || r.Ways[0].Links[0].Tail.Name != "Euro" {
		t.Errorf("got status %d, %s", status, text)
	}
	for path, want := range map[string]string{
		"from=Portugl&to=Germany": `did you mean \"Portugal\"?`, "from=Portugal": "to: ", "from=Portugal&to=Portugal": "both ends are Portugal",
		"from=Portugal&to=Germany&steps=9": "steps is 9, want 1 to 6", "from=Portugal&to=Germany&k=0": "k is 0",
	} {
		if status, text := call(t, hs, "GET", "/v1/connect?"+path, ""); status != 400 && status != 404 || !strings.Contains(text, want) {
			t.Errorf("%s: got status %d, %s, want %s", path, status, text, want)
		}
	}
}
