package server

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/cmd/internal/server/host"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/values"
	"github.com/efoc/efoc/testdata/long"
	"github.com/efoc/efoc/testdata/modeltest"
	"github.com/efoc/efoc/testdata/require"
	"github.com/efoc/efoc/testdata/seed"
)

const xsd = "http://www.w3.org/2001/XMLSchema#"

// valueGraph draws a small graph, of which some entities have numbers and dates, some several. It returns its facts and
// values in N-Triples as well.
func valueGraph(t *testing.T, rng *rand.Rand) (m *runtime.Model, facts [][3]string) {
	t.Helper()
	const n = 10
	spec := modeltest.Spec{Manifest: model.Manifest{Name: "values"}, RelationNames: []string{"r", "s"}, Rank: 2}
	for i := range n {
		spec.EntityNames = append(spec.EntityNames, fmt.Sprint("e", i))
	}
	iri := func(name string) string { return "<urn:efoc:" + name + ">" }
	for len(spec.Facts) < 2*n {
		f := graph.Triple{Head: graph.EntityID(rng.IntN(n)), Relation: int32(rng.IntN(2)), Tail: graph.EntityID(rng.IntN(n))}
		if !slices.Contains(spec.Facts, f) {
			spec.Facts = append(spec.Facts, f)
			facts = append(facts, [3]string{iri(spec.EntityNames[f.Head]), iri(spec.RelationNames[f.Relation]), iri(spec.EntityNames[f.Tail])})
		}
	}
	noise := func(rows int) []float32 {
		list := make([]float32, rows*2*spec.Rank)
		for i := range list {
			list[i] = float32(rng.NormFloat64())
		}
		return list
	}
	spec.Rows = noise(n)
	spec.RelationRows = noise(4)
	bundle, err := spec.Model()
	require.NoError(t, err)

	list := []values.AttributeValues{{Name: "born", Kind: values.DateKind}, {Name: "one", Kind: values.NumberKind}, {Name: "pop", Kind: values.NumberKind}}
	for i := range list {
		a := &list[i]
		for e := range graph.EntityID(n) {
			texts := map[string]bool{}
			for range []int{0, 1, 1, 2, 3}[rng.IntN(5)] {
				texts[randomValue(rng, a.Kind)] = true
				if a.Name == "one" {
					break
				}
			}
			for _, text := range slices.Sorted(maps.Keys(texts)) {
				span, err := a.Kind.Span(text)
				require.NoError(t, err)
				a.Values = append(a.Values, values.EntityValue{Entity: e, Number: span.First})
				facts = append(facts, [3]string{iri(spec.EntityNames[e]), iri(a.Name), typed(a.Kind, text)})
			}
		}
	}
	bundle, err = bundle.WithValues(list)
	require.NoError(t, err)
	return runtime.NewModel(bundle), facts
}

// randomValue draws one of a few values, so that some are equal.
func randomValue(rng *rand.Rand, kind values.Kind) string {
	if kind == values.DateKind {
		return fmt.Sprintf("19%02d-03-%02d", 50+rng.IntN(3), 1+rng.IntN(2))
	}
	return []string{"-1", "0.5", "1", "2", "2.5", "3", "1000000"}[rng.IntN(7)]
}

func typed(kind values.Kind, text string) string {
	if kind == values.DateKind {
		return `"` + text + `"^^<` + xsd + "date>"
	}
	return `"` + text + `"^^<` + xsd + "decimal>"
}

// valueQueries draws queries.
type valueQueries struct {
	rng  *rand.Rand
	last int // variables
}

func (q *valueQueries) entity() string { return fmt.Sprintf("<urn:efoc:e%d>", q.rng.IntN(10)) }

func (q *valueQueries) variable(name string) string {
	q.last++
	return fmt.Sprint("?", name, q.last)
}

// link draws a triple of a term.
func (q *valueQueries) link(of string) triplePart {
	relation := []string{"<urn:efoc:r>", "<urn:efoc:s>"}[q.rng.IntN(2)]
	other := q.entity()
	if q.rng.IntN(2) == 0 {
		other = q.variable("z")
	}
	if q.rng.IntN(2) == 0 {
		return triplePart{other, relation, of}
	}
	return triplePart{of, relation, other}
}

// values draws a triple of a term's value, with comparisons.
func (q *valueQueries) values(of string) (parts []patternPart) {
	attribute := []string{"born", "one", "pop"}[q.rng.IntN(3)]
	kind := values.NumberKind
	if attribute == "born" {
		kind = values.DateKind
	}
	relation := "<urn:efoc:" + attribute + ">"
	if q.rng.IntN(5) == 0 {
		return append(parts, triplePart{of, relation, typed(kind, randomValue(q.rng, kind))})
	}
	v := q.variable("v")
	if q.rng.IntN(12) == 0 {
		v = "?v1" // perhaps of another triple
	}
	parts = append(parts, triplePart{of, relation, v})
	if q.rng.IntN(12) == 0 {
		return parts
	}
	var all comparePart
	for range 1 + q.rng.IntN(3) {
		op := []string{"<", "<=", ">", ">=", "=", "!="}[q.rng.IntN(6)]
		all = append(all, comparison{v, op, typed(kind, randomValue(q.rng, kind)), q.rng.IntN(3) == 0})
	}
	if q.rng.IntN(2) == 0 { // each by a FILTER of its own, before the triple
		for _, one := range all {
			parts = slices.Insert(parts, 0, patternPart(comparePart{one}))
		}
		return parts
	}
	return append(parts, all)
}

// query draws the pattern of a query for ?y.
func (q *valueQueries) query() groupPart {
	q.last = 0
	g := groupPart{q.link("?y")}
	subject := "?y"
	for _, term := range g[0].(triplePart) {
		if term[0] == '?' && q.rng.IntN(3) == 0 {
			subject = term
		}
	}
	switch inner := groupPart(q.values(subject)); q.rng.IntN(8) {
	case 0:
		g = append(g, existsPart{true, inner})
	case 1:
		g = append(g, minusPart{inner})
	case 2:
		g = append(g, existsPart{false, inner})
	case 3:
		g = append(g, unionPart{inner, append(groupPart{q.link(subject)}, q.values(subject)...)})
	case 4:
		g = append(g, inner, existsPart{q.rng.IntN(2) == 0, groupPart{triplePart{"?y", "<urn:efoc:r>", q.entity()}}})
	case 5:
		g = append(append(g, inner...), minusPart{groupPart{triplePart{"?y", "<urn:efoc:s>", q.entity()}}})
	case 6:
		g = append(append(g, inner...), q.values("?y")...)
	default:
		g = append(g, inner...)
	}
	return g
}

// TestSPARQLValues compares the known answers of random queries with values with a brute force over the facts, and with
// Oxigraph if there is a Python that has it: all that is not refused means what it means there.
func TestSPARQLValues(t *testing.T) {
	rng := rand.New(rand.NewPCG(seed.Of(t), 5))
	answered := map[string]int{}
	for range long.Or(40, 4) {
		m, facts := valueGraph(t, rng)
		_, hs := start(t, Config{Options: host.Options{Open: func(context.Context) (*runtime.Model, error) { return m, nil }}})
		q := &valueQueries{rng: rng}
		var queries []string
		var want [][]string
		for range 250 {
			g := q.query()
			form := []string{"SELECT ?y", "SELECT DISTINCT ?y", "ASK", "SELECT (COUNT(?y) AS ?n)", "SELECT (COUNT(DISTINCT ?y) AS ?n)"}[rng.IntN(5)]
			text := form + " " + g.text()
			found := bruteForce(form, g, facts)
			got, refused := valueAnswers(t, hs, form, text)
			queries = append(queries, text)
			want = append(want, found)
			if refused {
				continue
			}
			answered[form]++
			if form == "SELECT ?y" && between(g) { // answers come once then
				found = slices.Compact(slices.Clone(found))
			}
			if !slices.Equal(got, found) {
				t.Errorf("%s\n got %v\nwant %v\n%v", text, got, found, facts)
			}
		}
		checkOxigraph(t, facts, queries, want)
		hs.Close()
	}
	if answered["SELECT DISTINCT ?y"] < 40 || answered["SELECT ?y"] < 10 || answered["ASK"] < 40 || answered["SELECT (COUNT(DISTINCT ?y) AS ?n)"] < 40 {
		t.Errorf("too few queries are answered: %v", answered)
	}
}

// between reports whether a pattern has variables for entities beside the answer, or alternatives, by which an answer may
// have several solutions.
func between(g groupPart) bool {
	return strings.Contains(g.text(), "?z") || strings.Contains(g.text(), "UNION")
}

// bruteForce returns the sorted values of ?y, whether there is one, or how many.
func bruteForce(form string, g groupPart, facts [][3]string) []string {
	list := []string{}
	for _, s := range g.solutions(facts, solution{}) {
		list = append(list, strings.Trim(s["?y"], "<>"))
	}
	slices.Sort(list)
	if strings.Contains(form, "DISTINCT") {
		list = slices.Compact(list)
	}
	switch {
	case form == "ASK":
		return []string{fmt.Sprint(len(list) > 0)}
	case strings.Contains(form, "COUNT"):
		return []string{fmt.Sprint(len(list))}
	}
	return list
}

// valueAnswers asks the endpoint for what is known.
func valueAnswers(t *testing.T, hs *httptest.Server, form, text string) (list []string, refused bool) {
	t.Helper()
	known := text
	if !strings.Contains(form, "COUNT") {
		known = strings.TrimSuffix(text, "}") + ` FILTER(?y_status = "known") }`
	}
	status, _, reply := askSPARQL(t, hs, known, "")
	if status != 200 {
		if status != 400 || !strings.Contains(reply, "hint") && !strings.Contains(reply, "can never hold") {
			t.Errorf("%s\nstatus %d: %s", known, status, reply)
		}
		return nil, true
	}
	r := unmarshal[sparqlResult](t, reply)
	switch {
	case r.Boolean != nil:
		return []string{fmt.Sprint(*r.Boolean)}, false
	case strings.Contains(form, "COUNT"):
		return r.values("n_known"), false
	}
	list = slices.Sorted(slices.Values(r.values("y")))
	return append([]string{}, list...), false
}

// checkOxigraph checks the brute force by Oxigraph, if there is one.
func checkOxigraph(t *testing.T, facts [][3]string, queries []string, want [][]string) {
	t.Helper()
	program := os.Getenv("EFOC_PYTHON")
	if program == "" {
		return
	}
	var graph, lines strings.Builder
	for _, f := range facts {
		fmt.Fprintf(&graph, "%s %s %s .\n", f[0], f[1], f[2])
	}
	for _, q := range queries {
		lines.WriteString(strings.TrimSpace(jsonText(t, q)) + "\n")
	}
	path := filepath.Join(t.TempDir(), "graph.nt")
	require.NoError(t, os.WriteFile(path, []byte(graph.String()), 0o644))
	engine := exec.CommandContext(t.Context(), program, "testdata/oxigraph.py", path)
	engine.Stdin = strings.NewReader(lines.String())
	out, err := engine.Output()
	require.NoError(t, err)
	answers := json.NewDecoder(strings.NewReader(string(out)))
	for i, q := range queries {
		var answer any
		require.NoError(t, answers.Decode(&answer))
		list := []string{fmt.Sprint(answer)}
		if values, several := answer.([]any); several {
			list = []string{}
			for _, v := range values {
				list = append(list, fmt.Sprint(v))
			}
		}
		if !slices.Equal(list, slices.Compact(slices.Clone(want[i]))) {
			t.Errorf("%s\nOxigraph has %v\nthe brute force %v\n%v", q, list, want[i], facts)
		}
	}
}
