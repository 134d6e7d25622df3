package server

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/cmd/internal/server/api"
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
