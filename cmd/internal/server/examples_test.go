package server

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/efoc/efoc/cmd/internal/server/api"
	"github.com/efoc/efoc/cmd/internal/server/host"
	"github.com/efoc/efoc/cmd/internal/server/problem"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/compiler/stages"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/testdata/modeltest"
	"github.com/efoc/efoc/testdata/plantest"
	"github.com/efoc/efoc/testdata/require"
	"github.com/efoc/efoc/testdata/seed"
)

// answersKnown checks that a question can be asked and has an answer that follows from the
// graph, as the exact check of answers has it, which knows nothing of how examples are made.
func answersKnown(t testing.TB, m *runtime.Model, formula string) {
	t.Helper()
	q, err := compiler.Prepare(m, formula, compiler.Options{})
	if err != nil {
		t.Fatalf("%s: %v", formula, err)
	}
	r, err := q.Ask(t.Context(), nil, runtime.Options{K: 1, Filter: runtime.AnswerFilter{Statuses: runtime.Known}})
	if err != nil {
		t.Fatalf("%s: %v", formula, err)
	}
	if len(r.Rows) != 1 {
		t.Errorf("%s has no known answer", formula)
	}
}

// TestExamples checks that all examples about the world have known answers, and are of
// several shapes.
func TestExamples(t *testing.T) {
	_, hs := start(t, Config{})
	m, err := openWorld(t.Context())
	require.NoError(t, err)
	defer m.Close()
	_, text := call(t, hs, "GET", "/v1/examples", "")
	got := unmarshal[struct{ Examples []api.Example }](t, text)
	if len(got.Examples) != len(api.WorldExamples) {
		t.Errorf("%d examples, want %d: %s", len(got.Examples), len(api.WorldExamples), text)
	}
	var shapes []string
	for _, e := range got.Examples {
		q, err := lang.ParseFormula(e.Formula)
		require.NoError(t, err)
		shapes = append(shapes, stages.ShapeName(stages.Analyze(q).Shape().Key))
		answersKnown(t, m, e.Formula)
		if !strings.Contains(e.Formula, "exists") {
			t.Errorf("%s takes one step", e.Formula)
		}
	}
	for _, shape := range []string{"3p", "ip", "pin"} {
		if !slices.Contains(shapes, shape) {
			t.Errorf("the shapes are %v, without %s", shapes, shape)
		}
	}
}

// TestGraphExamples checks those that are made of a graph: of the world's in full, and of
// small random ones, where there may be few.
func TestGraphExamples(t *testing.T) {
	m, err := openWorld(t.Context())
	require.NoError(t, err)
	defer m.Close()
	made := api.GraphExamples(m)
	if len(made) != api.MaxExamples {
		t.Errorf("%d examples were made, want %d", len(made), api.MaxExamples)
	}
	for _, e := range made {
		answersKnown(t, m, e.Formula)
		q, err := lang.ParseFormula(e.Formula)
		require.NoError(t, err)
		a := stages.Analyze(q)
		if got := stages.ShapeName(a.Shape().Key); got != "2p" {
			t.Errorf("%s has shape %s, want 2p", e.Formula, got)
		}
	}
}

// TestPrefixedExamples shows the relations of an RDF graph by their prefixed names, which questions accept, but for one
// whose prefixed name is the name of another.
func TestPrefixedExamples(t *testing.T) {
	rng := rand.New(rand.NewPCG(seed.Of(t), 10))
	spec := modeltest.Spec{
		Manifest: model.Manifest{Name: "towns", Prefixes: map[string]string{"ex": "http://x.org/", "e": "http://x.org/in/"}},
		Entities: 20, RelationNames: []string{"http://x.org/likes", "http://x.org/in/town", "http://y.org/far", "http://x.org/near", "ex:near"}, Rank: 2,
	}
	for range 200 {
		spec.Facts = append(spec.Facts, graph.Triple{Head: graph.EntityID(rng.IntN(20)), Relation: int32(rng.IntN(5)), Tail: graph.EntityID(rng.IntN(20))})
	}
	spec.Rows = modeltest.Normals(rng, 20*4)
	spec.RelationRows = modeltest.Normals(rng, 10*4)
	m := runtime.NewModel(modeltest.New(t, spec))
	var all strings.Builder
	for _, e := range api.GraphExamples(m) {
		answersKnown(t, m, e.Formula)
		all.WriteString(e.Formula + "\n")
	}
	for _, part := range []string{"ex:likes(", "e:town(", `"http://y.org/far"(`, `"http://x.org/near"(`, "ex:near("} {
		if !strings.Contains(all.String(), part) {
			t.Errorf("no example has %s:\n%s", part, &all)
		}
	}
}

// TestGraphExamplesRandom checks that whatever the facts are, examples have known answers.
func TestGraphExamplesRandom(t *testing.T) {
	seed.Check(t, func(t *rapid.T) {
		m := plantest.Model(t, rapid.IntRange(2, 12).Draw(t, "entities"), rapid.IntRange(1, 4).Draw(t, "relations"), 2)
		for _, e := range api.GraphExamples(m) {
			q, err := compiler.Prepare(m, e.Formula, compiler.Options{})
			if err != nil {
				t.Fatalf("%s: %v", e.Formula, err)
			}
			r, err := q.Ask(context.Background(), nil, runtime.Options{K: 1, Filter: runtime.AnswerFilter{Statuses: runtime.Known}})
			if err != nil || len(r.Rows) != 1 {
				t.Fatalf("%s has no known answer: %v", e.Formula, err)
			}
		}
	})
}

// TestRelations lists relations in parts and by name.
func TestRelations(t *testing.T) {
	_, hs := start(t, Config{})
	type list struct {
		Relations []api.RelationInfo
		Next      int
	}
	var names []string
	last, next := 1<<30, 0
	for {
		status, text := call(t, hs, "GET", "/v1/relations?k=7&offset="+strconv.Itoa(next), "")
		got := unmarshal[list](t, text)
		if status != http.StatusOK || len(got.Relations) > 7 {
			t.Fatalf("status %d: %s", status, text)
		}
		for _, r := range got.Relations {
			if r.Facts > last || len(r.Examples) != 1 {
				t.Errorf("%s with %d facts and %d examples comes after one with %d", r.Name, r.Facts, len(r.Examples), last)
			}
			last = r.Facts
			names = append(names, r.Name)
		}
		if next = got.Next; next == 0 {
			break
		}
	}
	if n := len(slices.Compact(slices.Sorted(slices.Values(names)))); n != 30 || len(names) != 30 {
		t.Errorf("%d relations were listed, %d different ones, want 30", len(names), n)
	}
	_, text := call(t, hs, "GET", "/v1/relations?name=offical_lang&k=3", "")
	if got := unmarshal[list](t, text); len(got.Relations) == 0 || got.Relations[0].Name != "official_language" {
		t.Errorf("offical_lang finds %s", text)
	}
	for path, want := range map[string]int{"?k=0": http.StatusBadRequest, "?offset=-1": http.StatusBadRequest, "?offset=9223372036854775807": http.StatusOK, "?kay=3": http.StatusBadRequest} {
		if status, text := call(t, hs, "GET", "/v1/relations"+path, ""); status != want {
			t.Errorf("%s: status %d, want %d: %s", path, status, want, text)
		}
	}
}

// TestTemplates lists the queries of a file; those that the model cannot answer are in the log.
func TestTemplates(t *testing.T) {
	file, err := lang.ParseFile("atlas.efo", []byte(`package atlas
semantics fit

// Common says what two countries share.
query Common(one, other entity, by relation) y = $by($one, y) & $by($other, y)
query Rich(in entity) y: in_continent("Europe") show x = exists x. borders($in, x) & wealth(x, y)
query Number(in entity) count y = borders($in, y)
`))
	require.NoError(t, err)
	var log safeBuffer
	_, hs := start(t, Config{Options: host.Options{Log: slog.New(slog.NewTextHandler(&log, nil))}, Templates: file})
	_, text := call(t, hs, "GET", "/v1/templates", "")
	got := unmarshal[struct{ Templates []api.Template }](t, text)
	want := []api.Template{
		{Name: "Common", Doc: "Common says what two countries share.", Params: []api.Param{{Name: "one", Kind: "entity"}, {Name: "other", Kind: "entity"}, {Name: "by", Kind: "relation"}},
			Formula: "$by($one, y) & $by($other, y)", Variable: "y", Kind: "answers", Semantics: "fit"},
		{Name: "Rich", Params: []api.Param{{Name: "in", Kind: "entity"}}, Formula: `y: in_continent("Europe") & exists x. borders($in, x) & wealth(x, y)`,
			Variable: "y", Kind: "answers", Show: []string{"x"}, Semantics: "fit"},
		{Name: "Number", Params: []api.Param{{Name: "in", Kind: "entity"}}, Formula: "count y: borders($in, y)", Variable: "y", Kind: "count", Semantics: "fit"},
	}
	if jsonText(t, got.Templates) != jsonText(t, want) {
		t.Errorf("got %s", text)
	}
	if text := log.String(); !strings.Contains(text, "query=Rich") || !strings.Contains(text, "wealth") || strings.Contains(text, "query=Common") {
		t.Errorf("the log has %s", text)
	}
	_, hs = start(t, Config{})
	if _, text := call(t, hs, "GET", "/v1/templates", ""); strings.TrimSpace(text) != `{"templates":[]}` {
		t.Errorf("without a file: %s", text)
	}
}

// TestSuggestions checks that mistakes say what may be meant.
func TestSuggestions(t *testing.T) {
	_, hs := start(t, Config{})
	for formula, want := range map[string][]string{
		`borders("Frence", y)`: {`"France"`, `"French"`, `"Greece"`},
		`border("France", y)`:  {"borders"},
		`borders(France, y)`:   {`"France"`},
	} {
		_, text := call(t, hs, "GET", "/v1/explain?formula="+url.QueryEscape(formula), "")
		got := unmarshal[struct{ Error problem.Problem }](t, text)
		if len(got.Error.Mistakes) == 0 || !slices.ContainsFunc(got.Error.Mistakes, func(m problem.Mistake) bool { return slices.Equal(m.Suggestions, want) }) {
			t.Errorf("%s: want %v: %s", formula, want, text)
		}
	}
}
