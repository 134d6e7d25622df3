package server

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/efoc/efoc/lang/sparql"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/testdata/long"
	"github.com/efoc/efoc/testdata/require"
	"github.com/efoc/efoc/testdata/seed"
)

// allFacts are the facts of a model as IRIs.
func allFacts(m *runtime.Model) (list [][3]string) {
	for r := model.RelationID(0); int(r) < m.NumRelations(); r += 2 {
		heads, tails := m.Bundle().Graph.Edges(r)
		for i := range heads {
			list = append(list, [3]string{
				sparql.IRI(m.Bundle().Entities.Name(heads[i])), sparql.IRI(m.Bundle().Relations.Name(int32(r / 2))), sparql.IRI(m.Bundle().Entities.Name(tails[i])),
			})
		}
	}
	return list
}

// TestSPARQLFacts compares the solutions of a triple with a variable for the relation with those that a scan of
// all facts finds.
func TestSPARQLFacts(t *testing.T) {
	s, hs := start(t, Config{Limits: Limits{K: 10_000}})
	m, _ := s.inUse()
	all := allFacts(m)
	for _, x := range []struct {
		query   string
		columns string // of the result
		row     func(f [3]string) string
	}{
		{`SELECT ?p ?o { :Brazil ?p ?o }`, "p o", func(f [3]string) string { return where(f[0] == "urn:efoc:Brazil", f[1]+" "+f[2]) }},
		{`SELECT * { ?s ?p :Europe }`, "s p", func(f [3]string) string { return where(f[2] == "urn:efoc:Europe", f[0]+" "+f[1]) }},
		{`SELECT ?p { :Brazil ?p :Peru }`, "p", func(f [3]string) string { return where(f[0] == "urn:efoc:Brazil" && f[2] == "urn:efoc:Peru", f[1]) }},
		{`SELECT DISTINCT ?p { :France ?p [] }`, "p", func(f [3]string) string { return where(f[0] == "urn:efoc:France", f[1]) }},
		{`SELECT DISTINCT ?p { ?s ?p ?o }`, "p", func(f [3]string) string { return f[1] }},
		{`SELECT ?s { ?s ?p ?s }`, "s", func(f [3]string) string { return where(f[0] == f[2], f[0]) }},
		{`SELECT ?o { :o ?p ?o }`, "o", func([3]string) string { return "" }}, // a variable of the name of the entity
		{`SELECT ?o ?p { ?s ?p ?o }`, "o p", func(f [3]string) string { return f[2] + " " + f[1] }},
	} {
		want := []string{}
		for _, f := range all {
			if row := x.row(f); row != "" {
				want = append(want, row)
			}
		}
		slices.Sort(want)
		if strings.Contains(x.query, "DISTINCT") {
			want = slices.Compact(want)
		}

		columns := strings.Fields(x.columns)
		got := solutionsOf(t, hs, x.query, columns)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s:\n got %q\nwant %q", x.query, got, want)
		}

		// In parts, ordered and not.
		var parts []string
		for len(parts) < len(want) {
			part := solutionsOf(t, hs, fmt.Sprintf("%s LIMIT 700 OFFSET %d", x.query, len(parts)), columns)
			if len(part) == 0 {
				break
			}
			parts = append(parts, part...)
		}
		slices.Sort(parts)
		if !slices.Equal(parts, want) {
			t.Errorf("%s: in parts, got %q", x.query, parts)
		}
		key := func(row string) string { return strings.Fields(row)[0] }
		ordered := solutionsOf(t, hs, fmt.Sprintf("%s ORDER BY DESC(?%s) LIMIT 5 OFFSET 1", x.query, columns[0]), columns)
		slices.SortStableFunc(want, func(a, b string) int { return strings.Compare(key(b), key(a)) })
		for i, row := range ordered {
			if key(row) != key(want[1+i]) {
				t.Errorf("%s: solution %d in descending order is %s, want %s", x.query, 1+i, row, want[1+i])
			}
		}
	}

	count := func(subject, relation string) string {
		n := 0
		for _, f := range all {
			if f[0] == "urn:efoc:"+subject && f[1] == "urn:efoc:"+relation {
				n++
			}
		}
		return strconv.Itoa(n)
	}
	for query, want := range map[string]string{
		`ASK { :Brazil ?p :Peru }`:                                                           `"boolean":true`,
		`ASK { :Brazil ?p :Vatican }`:                                                        `"boolean":false`,
		`ASK { :Frence ?p ?o }`:                                                              `"boolean":false`,
		`SELECT ?p { :Frence ?p ?o }`:                                                        `"bindings":[]`,
		`SELECT ?s ?p ?o { ?s ?p ?o } LIMIT 10001`:                                           "LIMIT is 10001, want at most 10000: ask for parts by OFFSET",
		`SELECT ?p ?p_confidence { :Brazil ?p ?o } LIMIT 1`:                                  `"p_confidence":{"type":"literal","value":"1.0000"`,
		`SELECT ?p_status ?p { :Brazil ?p ?o } LIMIT 1`:                                      `"p_status":{"type":"literal","value":"known"}`,
		`SELECT ?p (COUNT(*) AS ?n) { :Brazil ?p ?o } GROUP BY ?p ORDER BY DESC(?n) LIMIT 1`: `"vars":["p","n"]},"results":{"bindings":[{"n":{"type":"literal","value":"` + count("Brazil", "time_zone") + `","datatype":"http://www.w3.org/2001/XMLSchema#integer"}`,
		`SELECT (COUNT(*) AS ?n) { :Brazil :borders ?o }`:                                    `"value":"` + count("Brazil", "borders") + `"`,
		`DESCRIBE ?x { ?x :capital :Paris }`:                                                 "<urn:efoc:France> <urn:efoc:borders> <urn:efoc:Belgium> .\n",
		`SELECT ?y { :Brazil ?p ?y . ?y ?q :Spanish }`:                                       `"value":"urn:efoc:Bolivia"`,
	} {
		if _, _, text := askSPARQL(t, hs, query, ""); !strings.Contains(text, want) {
			t.Errorf("%s: got %.300s, want %s", query, text, want)
		}
	}

	_, few := start(t, Config{Limits: Limits{K: 100}})
	for _, query := range []string{`SELECT * { ?s ?p ?o }`, `SELECT ?s { ?s ?p ?o } ORDER BY ?s LIMIT 3`, `DESCRIBE :France :Germany :Brazil :Italy :China :Japan :Spain`} {
		status, _, text := askSPARQL(t, few, query, "")
		if status != 422 || !strings.Contains(text, "there are more than 100") {
			t.Errorf("%s: status %d, %s", query, status, text)
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
	s, hs := start(t, Config{Limits: Limits{K: 10_000}})
	m, _ := s.inUse()
	all := allFacts(m)
	rng := rand.New(rand.NewPCG(seed.Of(t), 3))
	var lines strings.Builder
	n := long.Or(2_000, 60)
	for range n {
		f := all[rng.IntN(len(all))]
		other := all[rng.IntN(len(all))]
		pattern := [][2]string{{f[0], ""}, {"", f[2]}, {f[0], f[2]}, {f[0], other[2]}}[rng.IntN(4)]
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
