//go:build unix

package main

import (
	"encoding/csv"
	"encoding/json"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/efoc/efoc/lang/sparql"
	"github.com/efoc/efoc/testdata/require"
)

// askOxigraph answers a query over a file by Oxigraph.
const askOxigraph = `
import sys, pyoxigraph
store = pyoxigraph.Store()
store.bulk_load(path="facts.nt", format=pyoxigraph.RdfFormat.N_TRIPLES)
sys.stdout.buffer.write(store.query(sys.argv[1]).serialize(format=pyoxigraph.QueryResultsFormat.CSV))
`

// joined is a row of a federated query: two entities and a confidence.
type joined struct {
	x, y       string
	confidence float64
}

// federation is a triple store with the facts of the built-in model, and efoc beside it.
type federation struct {
	*shell
	facts [][]string
}

// TestFederation joins the facts of a triple store with predictions, for which the store asks efoc by SERVICE. The
// test makes the same joins itself.
func TestFederation(t *testing.T) {
	clientsPath(t)
	f := &federation{shell: newShell(t, "examples")}
	write(t, filepath.Join(f.dir, "world.efoc"), readText(t, "world/world.efoc"))
	for line := range strings.Lines(f.run("efoc export world.efoc")) {
		f.facts = append(f.facts, strings.Split(strings.TrimSpace(line), "\t"))
	}
	f.run("efoc export --format ntriples world.efoc > facts.nt")
	_, err := f.try("efoc serve --listen 127.0.0.1:8080")
	require.NoError(t, err)

	t.Run("Oxigraph", func(t *testing.T) {
		need(t, "python3", "-c", "import pyoxigraph")
		write(t, filepath.Join(f.dir, "oxigraph.py"), askOxigraph)
		f.languages(t, "python3 oxigraph.py '")
		f.rows(t, "python3 oxigraph.py '")
	})
	t.Run("Fuseki", func(t *testing.T) {
		fuseki(t)
		_, err := f.try("java -jar jena-fuseki-server-5.6.0.jar --localhost --port 3030 --file facts.nt /facts &")
		require.NoError(t, err)
		ask := "curl http://127.0.0.1:3030/facts -H 'Accept: text/csv' --data-urlencode 'query="
		f.languages(t, ask)
		f.each(t, ask)
	})
}

// languages joins the likely neighbours of a country with their stored languages.
func (f *federation) languages(t *testing.T, ask string) {
	t.Helper()
	var want []joined
	predicted := false
	for _, a := range f.answers(t, "0.02", `borders("Brazil", y)`) {
		for _, language := range f.tails(a.y, "official_language") {
			want = append(want, joined{a.y, language, a.confidence})
			predicted = predicted || a.confidence < 0.9
		}
	}
	if !predicted {
		t.Errorf("no row of %v is predicted", want)
	}
	f.compare(t, ask+`PREFIX : <urn:efoc:> SELECT ?y ?language ?y_confidence { ?y :official_language ?language
		SERVICE <http://127.0.0.1:8080/sparql> { SELECT ?y ?y_confidence { :Brazil :borders ?y FILTER(?y_confidence >= 0.02) } } }'`, want)
}

// rows joins rows of two variables, whose number LIMIT says, with the stored continent of one.
func (f *federation) rows(t *testing.T, ask string) {
	t.Helper()
	var want []joined
	for _, a := range f.answers(t, "", "-k", "30", `x, y: borders("Brazil", x) & official_language(x, y)`) {
		if slices.Contains(f.tails(a.x, "in_continent"), "South America") {
			want = append(want, a)
		}
	}
	f.compare(t, ask+`PREFIX : <urn:efoc:> SELECT ?x ?y ?row_confidence { ?x :in_continent :South%20America
		SERVICE <http://127.0.0.1:8080/sparql> { SELECT ?x ?y ?row_confidence { :Brazil :borders ?x . ?x :official_language ?y } LIMIT 30 } }'`, want)
}

// each asks once for each solution of the store, as Jena does.
func (f *federation) each(t *testing.T, ask string) {
	t.Helper()
	var want []joined
	for _, fact := range f.facts {
		if fact[1] == "capital" && slices.Contains(f.tails(fact[0], "in_continent"), "South America") {
			for _, a := range f.answers(t, "0.5", `official_language("`+fact[0]+`", y)`) {
				want = append(want, joined{fact[2], a.y, 0})
			}
		}
	}
	f.compare(t, ask+`PREFIX : <urn:efoc:> SELECT ?capital ?y { ?x :in_continent :South%20America ; :capital ?capital
		SERVICE <http://127.0.0.1:8080/sparql> { ?x :official_language ?y } }'`, want)
}

// tails returns the other ends of an entity's stored facts.
func (f *federation) tails(entity, relation string) (list []string) {
	for _, fact := range f.facts {
		if fact[0] == entity && fact[1] == relation {
			list = append(list, fact[2])
		}
	}
	return list
}

// answers returns what efoc ask answers: the values of y, or of x and y.
func (f *federation) answers(t *testing.T, confidence string, args ...string) (list []joined) {
	t.Helper()
	if confidence != "" {
		args = append(args, "-k", "1000", "--min-confidence", confidence)
	}
	r := efoc(t, append([]string{"ask", "--format", "json"}, args...)...)
	r.want(t, statusOK, "", "")
	var reply struct {
		Answers []struct {
			Name       string
			Confidence float64
		}
		Rows []struct {
			Values     []struct{ Name string }
			Confidence float64
		}
	}
	require.NoError(t, json.Unmarshal([]byte(r.stdout), &reply))
	for _, a := range reply.Answers {
		list = append(list, joined{"", a.Name, a.Confidence})
	}
	for _, row := range reply.Rows {
		list = append(list, joined{row.Values[0].Name, row.Values[1].Name, row.Confidence})
	}
	return list
}

// compare compares the rows of a federated query with those that the test has joined.
func (f *federation) compare(t *testing.T, command string, want []joined) {
	t.Helper()
	out, err := f.try(command)
	if err != nil {
		t.Fatalf("%s: %v\n%s", command, err, out)
	}
	records, err := csv.NewReader(strings.NewReader(out)).ReadAll()
	require.NoError(t, err)
	var got []joined
	for _, record := range records[1:] {
		row := joined{x: record[0], y: record[1]}
		if len(record) > 2 {
			row.confidence, err = strconv.ParseFloat(record[2], 64)
			require.NoError(t, err)
		}
		got = append(got, row)
	}
	for i, row := range want {
		want[i].x = sparql.IRI(row.x)
		want[i].y = sparql.IRI(row.y)
	}
	order := func(a, b joined) int { return strings.Compare(a.x+" "+a.y, b.x+" "+b.y) }
	slices.SortFunc(got, order)
	slices.SortFunc(want, order)
	equal := func(a, b joined) bool {
		return a.x == b.x && a.y == b.y && math.Abs(a.confidence-b.confidence) < 1e-4
	}
	if len(want) == 0 || !slices.EqualFunc(got, want, equal) {
		t.Errorf("%s\n got %v\nwant %v", command, got, want)
	}
}
