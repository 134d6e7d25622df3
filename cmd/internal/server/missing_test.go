package server

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/cmd/efoc/world"
	"github.com/efoc/efoc/cmd/internal/missing"
	"github.com/efoc/efoc/cmd/internal/server/host"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/testdata/require"
)

// TestMissing reviews the likeliest missing facts: one is added, one marked as not true, and neither is offered
// again. An explanation says who added the one.
func TestMissing(t *testing.T) {
	_, hs := start(t, factsConfig(t))
	offered := func(parameters string) (r missing.Result) {
		t.Helper()
		status, text, _ := callWith(t, hs, "GET", "/v1/missing?"+parameters, "", withToken("ask"))
		require.NoError(t, json.Unmarshal([]byte(text), &r))
		if status != http.StatusOK || len(r.Facts) == 0 {
			t.Fatalf("%s: status %d, %.400s", parameters, status, text)
		}
		return r
	}
	names := func(f *missing.Fact) []string { return []string{f.Head.Name, f.Relation, f.Tail.Name} }
	of := "type=" + url.QueryEscape("in_continent=Europe") + "&relation=borders&k=5"
	first := offered(of)
	if first.Questions != first.Possible || first.Heads != 53 || first.Stopped {
		t.Errorf("asked %d of %d questions about %d entities", first.Questions, first.Possible, first.Heads)
	}
	added := names(&first.Facts[0])
	untrue := names(&first.Facts[1])
	change := jsonText(t, map[string]any{"add": [][]string{added}, "untrue": [][]string{untrue}, "by": "ann"})
	status, text, _ := callWith(t, hs, "POST", "/v1/facts", change, withToken("secret"))
	if status != http.StatusOK || !strings.Contains(text, `"added":1`) || !strings.Contains(text, `"marked":1`) {
		t.Fatalf("status %d, %s", status, text)
	}
	for _, f := range offered(of).Facts {
		if n := names(&f); slices.Equal(n, added) || slices.Equal(n, untrue) {
			t.Errorf("%v is offered again", n)
		}
	}

	why := `{"formula": "exists x. borders(\"` + added[0] + `\", x) & capital(x, y)", "entities": ["Paris", "Berlin"]}`
	status, text, _ = callWith(t, hs, "POST", "/v1/witness", why, withToken("ask"))
	var r struct{ Witnesses []runtime.Witness }
	require.NoError(t, json.Unmarshal([]byte(text), &r))
	for _, w := range r.Witnesses {
		for _, a := range w.Atoms {
			isAdded := slices.Equal([]string{a.Head.Name, a.Relation, a.Tail.Name}, added)
			if isAdded != (a.Added != nil) || isAdded && a.Added.By != "ann" || a.Observed == (a.Confidence > 0) {
				t.Errorf("status %d: premise %+v", status, a)
			}
		}
	}
	about := offered("entity=Venezuela&k=3")
	if f := about.Facts[0]; f.Head.Name != "Venezuela" && f.Tail.Name != "Venezuela" {
		t.Errorf("about Venezuela: %+v", f)
	}
}

// TestMissingErrors refuses what cannot be searched for.
func TestMissingErrors(t *testing.T) {
	_, hs := start(t, Config{})
	for parameters, want := range map[string]string{
		"relation=bordrs": "relation: unknown relation", "entity=Frence": "entity: unknown entity", "type=Europe": "type: ",
		"k=0": "k is 0", "questions=0": "questions is 0", "min_confidence=0": "min_confidence: want a number above 0",
		"relations=borders": "unknown parameter",
	} {
		status, text, _ := callWith(t, hs, "GET", "/v1/missing?"+parameters, "", nil)
		if status < 400 || status >= 500 || !strings.Contains(text, want) {
			t.Errorf("%s: status %d, %.300s, want %s", parameters, status, text, want)
		}
	}
	_, hs = start(t, Config{
		Options: host.Options{
			Open: func(context.Context) (*runtime.Model, error) {
				m, err := world.Open()
				if err == nil {
					m.Bundle().Manifest.Confidence = nil
				}
				return m, err
			},
		},
	})
	if status, text, _ := callWith(t, hs, "GET", "/v1/missing", "", nil); status != 422 || !strings.Contains(text, "the model is not calibrated for semantics mixed") {
		t.Errorf("an uncalibrated model: status %d, %s", status, text)
	}
}
