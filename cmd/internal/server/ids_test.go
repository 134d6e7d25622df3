package server

import (
	"fmt"
	"net/url"
	"testing"

	"github.com/efoc/efoc/cmd/internal/lookup"
	"github.com/efoc/efoc/cmd/internal/wanted"
	"github.com/efoc/efoc/runtime/model/graph"
)

// TestIDs takes the id of each relation, and of some entities, from what lists it to what takes it: both
// mean the same, and so does the model. The inverse of a relation has the next id.
func TestIDs(t *testing.T) {
	s, hs := start(t, Config{})
	m, _ := s.inUse()
	get := func(path string) string {
		_, text := call(t, hs, "GET", path, "")
		return text
	}
	found := unmarshal[struct{ Results []lookup.Found }](t, get("/v1/search?kind=relation&k=100")).Results
	found = append(found, unmarshal[struct{ Results []lookup.Found }](t, get("/v1/search?kind=entity&name=an&k=5")).Results...)
	if len(found) < 10 {
		t.Fatalf("only %d names were found", len(found))
	}
	for _, f := range found {
		id := "#" + fmt.Sprint(f.ID)
		read := m.Bundle().FindEntity
		if f.Kind == "relation" {
			read = m.Bundle().FindRelation
		}
		if got, err := read(f.Name); err != nil || got != f.ID {
			t.Errorf("%s %s has the id %d, to the model %d: %v", f.Kind, f.Name, f.ID, got, err)
		}
		if got := unmarshal[lookup.Found](t, get("/v1/"+f.Kind+"/"+url.PathEscape(id)+"?k=1")); got != f {
			t.Errorf("%s %s is %+v, want %+v", f.Kind, id, got, f)
		}
		if got := unmarshal[struct{ Results []lookup.Found }](t, get("/v1/search?kind="+f.Kind+"&name="+url.QueryEscape(id))).Results; len(got) == 0 || got[0] != f {
			t.Errorf("%s %s is found as %+v, want %+v", f.Kind, id, got, f)
		}
	}
	for _, r := range unmarshal[struct{ Relations []lookup.Found }](t, get("/v1/relations?k=100")).Relations {
		if got := unmarshal[lookup.Found](t, get("/v1/relation/"+url.PathEscape(fmt.Sprintf("#%d", r.ID+1)))); got != r {
			t.Errorf("the inverse of %+v is %+v", r, got)
		}
		if name := m.RelationName(graph.RelationID(r.ID) + 1); name != r.Name+"^-1" {
			t.Errorf("the relation after %s is %s", r.Name, name)
		}
	}
	for name, session := range assistants(t, Config{}) {
		want, _ := use(t, session, "describe", map[string]any{"name": "capital", "kind": "relation"})
		for id := range 2 {
			got, failed := use(t, session, "describe", map[string]any{"name": fmt.Sprintf("#%d", unmarshal[lookup.Found](t, get("/v1/relation/capital")).ID+int32(id)), "kind": "relation"})
			if failed || got != want {
				t.Errorf("%s: the assistant reads %s, want %s", name, got, want)
			}
		}
	}
	by := func(relation string) string {
		return jsonText(t, AskRequest{Question: Question{Template: "query Q(s1 entity, r1 relation) f = $r1($s1, f)", Args: map[string]string{"s1": "Peru", "r1": relation}}, Answers: wanted.Answers{K: 3}})
	}
	capital := unmarshal[lookup.Found](t, get("/v1/relation/capital"))
	_, named := call(t, hs, "POST", "/v1/ask", by("capital"))
	_, numbered := call(t, hs, "POST", "/v1/ask", by(fmt.Sprintf("#%d", capital.ID)))
	want := unmarshal[answersOf](t, named).Answers
	got := unmarshal[answersOf](t, numbered).Answers
	if len(want) != 3 || len(got) != 3 || want[0].Name != got[0].Name || want[1].Name != got[1].Name || want[2].Name != got[2].Name {
		t.Errorf("by the id of capital: %+v, by its name: %+v", got, want)
	}
}
