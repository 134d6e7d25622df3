package server

import (
	"archive/zip"
	"context"
	"errors"
	"io/fs"
	"maps"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/cmd/internal/server/host"
	"github.com/efoc/efoc/cmd/internal/sparqlresult"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/lang/sparql"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/importer/turtle"
	"github.com/efoc/efoc/testdata/modeltest"
	"github.com/efoc/efoc/testdata/require"
)

// The W3C's tests of SPARQL: a query within the part that is answered has the known answers
// that the W3C states, each once; every other is refused with its place.
func TestSPARQLSuite(t *testing.T) {
	archive, err := zip.OpenReader("testdata/w3c-sparql.zip")
	require.NoError(t, err)
	defer archive.Close()
	count := map[string]int{}
	for _, c := range suiteCases(t, archive) {
		text := string(readFile(t, archive, c.query))
		// A query is at the place of its file.
		req, err := sparql.Parse("BASE <" + suiteBase + c.query + "> " + text)
		switch {
		case c.kind == "evaluation" && err == nil && req.Facts != nil:
			browse(t, archive, c, req)
			count["evaluation: the facts of an entity"]++
			continue
		case c.kind == "evaluation" && err == nil && path.Ext(c.data) == ".rdf":
			count["evaluation: not run, its data are RDF/XML"]++
			continue
		case c.kind == "evaluation" && err == nil:
			count[c.kind+": "+evaluate(t, archive, c, text, req)]++
			continue
		}
		switch {
		case err == nil && c.kind == "negative syntax":
			t.Errorf("%s is taken, but no SPARQL:\n%s", c, text)
		case err == nil:
			count[c.kind+": taken"]++
		default:
			placed(t, c, err)
			count[c.kind+": refused"]++
		}
	}
	// The numbers that cmd/efoc/docs/sparql.md states.
	evaluated := 0
	for _, what := range slices.Sorted(maps.Keys(count)) {
		t.Logf("%4d %s", count[what], what)
		if strings.HasPrefix(what, "evaluation: ") {
			evaluated += count[what]
		}
	}
	for what, want := range map[string]int{"evaluation: passed": 43, "evaluation: " + passedOnce: 2, "evaluation: not run, its data are RDF/XML": 1, "evaluation: the facts of an entity": 3} {
		if count[what] != want {
			t.Errorf("%d of %q, want %d", count[what], what, want)
		}
	}
	if evaluated != 439 {
		t.Errorf("%d queries with data, want 439", evaluated)
	}
	for _, what := range []string{"positive syntax: taken", "negative syntax: refused"} {
		if count[what] == 0 {
			t.Errorf("no case of %q", what)
		}
	}
}

// passedOnce is the outcome where SPARQL repeats an answer.
const passedOnce = "passed, of several solutions with an answer one"

// placed checks that a refusal says where.
func placed(t *testing.T, c suiteCase, err error) {
	t.Helper()
	var list lang.ErrorList
	if !errors.As(err, &list) || len(list) == 0 || list[0].Pos.Line == 0 {
		t.Errorf("%s is refused without a place: %v", c, err)
	}
}

// browse compares the facts of an entity with those that the W3C states.
func browse(t *testing.T, files fs.FS, c suiteCase, req *sparql.Request) {
	t.Helper()
	m := suiteModel(t, files, c.data)
	require.NoError(t, sparqlresult.Bind(req, m, false))
	found, err := sparqlresult.Facts(req, m, 1000)
	require.NoError(t, err)
	want := expected(t, files, c.result)
	var got solutions
	for _, row := range found.Rows {
		var bindings []string
		for i, v := range req.Query.Variables() {
			bindings = append(bindings, v.Name+"="+suiteTerm(row.Values[i].Name))
		}
		got.add(bindings)
	}
	slices.Sort(got.several)
	slices.Sort(want.several)
	if !slices.Equal(got.several, want.several) {
		t.Errorf("%s:\n got %q,\nwant %q", c, got.several, want.several)
	}
}

// evaluate compares the known answers with those that the W3C states, and says what came of it.
func evaluate(t *testing.T, files fs.FS, c suiteCase, text string, req *sparql.Request) string {
	t.Helper()
	open := func(context.Context) (*runtime.Model, error) { return suiteModel(t, files, c.data), nil }
	s, err := New(t.Context(), Config{Options: host.Options{Open: open, Plans: plans, Limits: Limits{Deadline: patience}}})
	require.NoError(t, err)
	defer s.Close()
	req.Judged, req.Statuses, req.MinConfidence = true, []string{"known"}, 0
	var found *sparqlresult.Result
	err = s.host.With(func(h *host.Model) (err error) {
		if err = sparqlresult.Bind(req, h.Now(), false); err == nil {
			found, err = s.api.AskSPARQL(t.Context(), h, text, req)
		}
		return err
	})
	if err != nil {
		placed(t, c, err)
		return "refused for its names or literals"
	}
	want := expected(t, files, c.result)
	if req.Ask {
		if want.boolean == nil || found.Holds != *want.boolean {
			t.Errorf("%s: %v, want %+v:\n%s", c, found.Holds, want, text)
			return "wrong"
		}
		return "passed"
	}
	var got []string
	for _, a := range found.Rows {
		got = append(got, suiteTerm(a.Value(req.Query.Free).Name))
	}
	rows := want.rows
	outcome := "passed"
	if slices.Sort(rows); len(slices.Compact(slices.Clone(rows))) < len(rows) {
		rows, outcome = slices.Compact(rows), passedOnce
	}
	if len(req.Order) > 0 {
		rows = slices.Compact(want.ordered)
	} else {
		slices.Sort(got)
	}
	if want.variable != "" && want.variable != req.Query.Free || !slices.Equal(got, rows) {
		t.Errorf("%s: ?%s\n got %q,\nwant %q, ?%s:\n%s", c, req.Query.Free, got, rows, want.variable, text)
		return "wrong"
	}
	return outcome
}

// suiteTerm writes the name of an entity as a term; blank nodes are alike.
func suiteTerm(name string) string {
	if strings.HasPrefix(name, "_:") {
		return "_:"
	}
	if _, ok := sparql.LiteralOf(name); ok {
		return name
	}
	return "<" + name + ">"
}

// nameOf returns the name of a term in a graph, as import gives it.
func nameOf(x turtle.Term) string {
	if x.Kind == turtle.IRI {
		return x.Text
	}
	x.Language = strings.ToLower(x.Language)
	return x.String()
}

// suiteModel makes a model of the facts of a file, whose embeddings mean nothing.
func suiteModel(t *testing.T, files fs.FS, data string) *runtime.Model {
	t.Helper()
	var triples []graph.Triple
	var entities, relations []string
	id := func(list *[]string, name string) int32 {
		i := slices.Index(*list, name)
		if i < 0 {
			i = len(*list)
			*list = append(*list, name)
		}
		return int32(i)
	}
	if data != "" {
		readTurtle(t, files, data, func(s, p, o turtle.Term) {
			triples = append(triples, graph.Triple{
				Head: graph.EntityID(id(&entities, nameOf(s))), Relation: id(&relations, nameOf(p)), Tail: graph.EntityID(id(&entities, nameOf(o))),
			})
		})
	}
	if len(triples) == 0 { // no model is empty
		entities, relations, triples = []string{"urn:nothing"}, []string{"urn:none"}, []graph.Triple{{}}
	}
	const rank = 2
	rng := rand.New(rand.NewPCG(1, 1))
	noise := func(rows int) []float32 {
		list := make([]float32, rows*2*rank)
		for i := range list {
			list[i] = float32(rng.NormFloat64())
		}
		return list
	}
	m, err := modeltest.Spec{
		Manifest: model.Manifest{Name: path.Base(data)}, EntityNames: entities, RelationNames: relations, Facts: triples,
		Rank: rank, Rows: noise(len(entities)), RelationRows: noise(2 * len(relations)),
	}.Model()
	if err != nil {
		t.Fatalf("%s: %v", data, err)
	}
	return runtime.NewModel(m)
}
