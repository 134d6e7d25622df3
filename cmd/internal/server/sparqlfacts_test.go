package server

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/cmd/internal/server/host"
	"github.com/efoc/efoc/lang/sparql"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/testdata/long"
	"github.com/efoc/efoc/testdata/require"
	"github.com/efoc/efoc/testdata/seed"
)

// allFacts are the facts of a model as IRIs.
func allFacts(m *runtime.Model) (list [][3]string) {
	for r := graph.RelationID(0); int(r) < m.NumRelations(); r += 2 {
		heads, tails := m.Bundle().Graph.Edges(r)
		for i := range heads {
			list = append(list, [3]string{
				sparql.IRI(m.Bundle().Entities.Name(heads[i])), sparql.IRI(m.Bundle().Relations.Name(int32(r / 2))), sparql.IRI(m.Bundle().Entities.Name(tails[i])),
			})
		}
	}
	return list
}

// TestSPARQLFacts compares the facts of an entity with those that a scan of all facts finds.
func TestSPARQLFacts(t *testing.T) {
	s, hs := start(t, Config{Options: host.Options{Limits: Limits{K: 10_000}}})
	m, _ := s.inUse()
	all := allFacts(m)
	for _, x := range []struct {
		query   string
		columns string // of the result
		row     func(f [3]string) string
	}{
		{`SELECT ?p ?o { :Brazil ?p ?o }`, "p o", func(f [3]string) string { return where(f[0] == "urn:efoc:Brazil", f[1]+" "+f[2]) }},
		{`SELECT DISTINCT ?o ?p { :Brazil ?p ?o }`, "o p", func(f [3]string) string { return where(f[0] == "urn:efoc:Brazil", f[2]+" "+f[1]) }},
		{`SELECT * { ?s ?p :Europe }`, "s p", func(f [3]string) string { return where(f[2] == "urn:efoc:Europe", f[0]+" "+f[1]) }},
		{`SELECT ?p ?o { :Frence ?p ?o }`, "p o", func([3]string) string { return "" }},
	} {
		want := []string{}
		for _, f := range all {
			if row := x.row(f); row != "" {
				want = append(want, row)
			}
		}
		slices.Sort(want)
		columns := strings.Fields(x.columns)
		got := solutionsOf(t, hs, x.query, columns)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s:\n got %q\nwant %q", x.query, got, want)
		}

		// In parts.
		var parts []string
		for len(parts) < len(want) {
			part := solutionsOf(t, hs, fmt.Sprintf("%s LIMIT 7 OFFSET %d", x.query, len(parts)), columns)
			if len(part) == 0 || len(part) > 7 {
				break
			}
			parts = append(parts, part...)
		}
		slices.Sort(parts)
		if !slices.Equal(parts, want) {
			t.Errorf("%s: in parts, got %q", x.query, parts)
		}
	}
	for query, want := range map[string]string{
		`SELECT ?p ?o { :Brazil ?p ?o } LIMIT 1`: `"vars":["p","p_label","o","o_label","row_confidence","row_status"]`,
		`SELECT ?p ?o { :Brazil ?p ?o } LIMIT 0`: `"bindings":[]`,
		`DESCRIBE :Frence :France`:               "<urn:efoc:France> <urn:efoc:borders> <urn:efoc:Belgium> .\n",
		`DESCRIBE :Frence`:                       "",
	} {
		if status, _, text := askSPARQL(t, hs, query, ""); status != 200 || !strings.Contains(text, want) {
			t.Errorf("%s: status %d, %.300s, want %s", query, status, text, want)
		}
	}

	_, few := start(t, Config{Options: host.Options{Limits: Limits{K: 20}}})
	for _, query := range []string{`SELECT * { ?s ?p :Europe }`, `SELECT * { ?s ?p :Europe } LIMIT 21`, `DESCRIBE :France :Germany :Brazil :Italy :China :Japan :Spain`} {
		status, _, text := askSPARQL(t, few, query, "")
		if status != 422 || !strings.Contains(text, "there are more than 20") {
			t.Errorf("%s: status %d, %.300s", query, status, text)
		}
	}
	for query, want := range map[string]string{
		`SELECT ?s ?p ?o { ?s ?p ?o }`:                         "efoc export",
		`SELECT (COUNT(*) AS ?n) { ?s :borders ?o }`:           "efoc export",
		`SELECT ?x ?y { ?x :borders ?y }`:                      "LIMIT 100",
		`DESCRIBE ?x { ?x :capital :Paris }`:                   "SERVICE",
		`SELECT ?y (COUNT(?x) AS ?n) { ?x :r ?y } GROUP BY ?y`: "SERVICE",
	} {
		if status, _, text := askSPARQL(t, hs, query, ""); status != 400 || !strings.Contains(text, want) {
			t.Errorf("%s: status %d, %.300s, want %q", query, status, text, want)
		}
	}
}

// where returns a row if a condition holds, and nothing otherwise.
func where(holds bool, row string) string {
	if holds {
		return row
	}
	return ""
}

// solutionsOf returns the solutions of a query, the values of some variables each.
func solutionsOf(t *testing.T, hs *httptest.Server, query string, columns []string) (rows []string) {
	t.Helper()
	status, _, text := askSPARQL(t, hs, query, "")
	if status != 200 {
		t.Fatalf("%s: status %d: %s", query, status, text)
	}
	for _, b := range unmarshal[sparqlResult](t, text).Results.Bindings {
		var row []string
		for _, c := range columns {
			row = append(row, b[c].Value)
		}
		rows = append(rows, strings.Join(row, " "))
	}
	return rows
}

// TestSPARQLFactsEngine asks for triples and descriptions by rdflib, as its users do. They are those that Oxigraph
// finds in the same graph.
func TestSPARQLFactsEngine(t *testing.T) {
	program := python(t)
	s, hs := start(t, Config{Options: host.Options{Limits: Limits{K: 10_000}}})
	m, _ := s.inUse()
	all := allFacts(m)
	rng := rand.New(rand.NewPCG(seed.Of(t), 3))
	var lines strings.Builder
	n := long.Or(2_000, 60)
	for range n {
		f := all[rng.IntN(len(all))]
		pattern := [][2]string{{f[0], ""}, {"", f[2]}}[rng.IntN(2)]
		fmt.Fprintln(&lines, strings.TrimSpace(jsonText(t, pattern)))
	}
	command := exec.CommandContext(t.Context(), program, "testdata/triples.py", hs.URL+"/sparql", ntriples(t, m))
	command.Stdin = strings.NewReader(lines.String())
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, err.(*exec.ExitError).Stderr)
	}
	var found struct{ Patterns, Triples, Described int }
	require.NoError(t, json.Unmarshal(out, &found))
	if found.Patterns != n || found.Triples < n || found.Described < n/10 {
		t.Errorf("got %+v of %d patterns", found, n)
	}
}
