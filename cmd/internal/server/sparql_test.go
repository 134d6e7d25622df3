package server

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/cmd/internal/server/host"
	"github.com/efoc/efoc/lang/sparql"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/testdata/long"
	"github.com/efoc/efoc/testdata/modeltest"
	"github.com/efoc/efoc/testdata/require"
	"github.com/efoc/efoc/testdata/seed"
)

// sparqlResult is SPARQL 1.1 Query Results JSON.
type sparqlResult struct {
	Head    struct{ Vars []string }
	Boolean *bool
	Results struct {
		Bindings []map[string]struct{ Type, Value, Datatype string }
	}
}

// values returns those of a variable.
func (r *sparqlResult) values(name string) (list []string) {
	for _, row := range r.Results.Bindings {
		list = append(list, row[name].Value)
	}
	return list
}

// askSPARQL sends a query.
func askSPARQL(t *testing.T, hs *httptest.Server, query, accept string) (status int, media, text string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), "GET", hs.URL+"/sparql?"+url.Values{"query": {query}}.Encode(), nil)
	require.NoError(t, err)
	if accept != "" {
		req.Header.Set("Accept", accept)
	}
	return do(t, req)
}

func do(t *testing.T, req *http.Request) (status int, media, text string) {
	t.Helper()
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return resp.StatusCode, resp.Header.Get("Content-Type"), string(body)
}

// A SPARQL query has the answers of the formula that says the same, in the same order.
func TestSPARQL(t *testing.T) {
	_, hs := start(t, Config{})
	for _, x := range []struct{ sparql, formula string }{
		{`SELECT ?y { :Brazil :borders ?y . ?y :official_language :Spanish }`, `borders("Brazil", y) & official_language(y, "Spanish")`},
		{`SELECT DISTINCT ?y { :France :borders/:capital ?y }`, `exists x. borders("France", x) & capital(x, y)`},
		{`SELECT ?y { :France :borders/:official_language ?y FILTER NOT EXISTS { :France :official_language ?y } }`,
			`exists x. borders("France", x) & official_language(x, y) & !official_language("France", y)`},
		{`SELECT ?y { { ?y :official_language :Portuguese } UNION { ?y :also_spoken :Portuguese } }`,
			`official_language(y, "Portuguese") | also_spoken(y, "Portuguese")`},
		{`SELECT ?y { :France :borders ?x . ?x :borders ?y FILTER(?y != :France) }`, `exists x. borders("France", x) & borders(x, y) & y != "France"`},
	} {
		status, media, text := askSPARQL(t, hs, x.sparql+` LIMIT 20 OFFSET 2`, "")
		if status != 200 || media != "application/sparql-results+json" {
			t.Fatalf("%s: status %d, %s: %s", x.sparql, status, media, text)
		}
		got := unmarshal[sparqlResult](t, text)
		_, text = call(t, hs, "POST", "/v1/ask", jsonText(t, map[string]any{"formula": x.formula, "k": 20, "offset": 2}))
		var want, statuses []string
		for _, a := range unmarshal[answersOf](t, text).Answers {
			want, statuses = append(want, sparql.IRI(a.Name)), append(statuses, a.Status)
		}
		if !slices.Equal(got.values("y"), want) || !slices.Equal(got.values("y_status"), statuses) || len(want) != 20 {
			t.Errorf("%s\n got %v\nwant %v", x.sparql, got.values("y"), want)
		}
	}
}

func TestSPARQLProtocol(t *testing.T) {
	_, hs := start(t, Config{})
	const q = `SELECT ?y { :France :capital ?y }`
	post := func(media, body string) *http.Request {
		req, err := http.NewRequestWithContext(t.Context(), "POST", hs.URL+"/sparql", strings.NewReader(body))
		require.NoError(t, err)
		req.Header.Set("Content-Type", media)
		return req
	}
	for name, req := range map[string]*http.Request{
		"form": post("application/x-www-form-urlencoded", url.Values{"query": {q}}.Encode()), "direct": post("application/sparql-query; charset=utf-8", q),
	} {
		if status, _, text := do(t, req); status != 200 || !strings.Contains(text, `"urn:efoc:Paris"`) {
			t.Errorf("%s: status %d: %s", name, status, text)
		}
	}
	for name, x := range map[string]struct {
		req  *http.Request
		want int
	}{
		"media":  {post("text/plain", q), 415},
		"update": {post("application/x-www-form-urlencoded", "update=CLEAR"), 400},
		"graph":  {post("application/x-www-form-urlencoded", url.Values{"query": {q}, "default-graph-uri": {"http://x.org/"}}.Encode()), 400},
		"graph of a direct query": {func() *http.Request {
			req := post("application/sparql-query", q)
			req.URL.RawQuery = "named-graph-uri=http://x.org/"
			return req
		}(), 400},
		"twice": {post("application/x-www-form-urlencoded", url.Values{"query": {q, q}}.Encode()), 400},
	} {
		if status, _, text := do(t, x.req); status != x.want {
			t.Errorf("%s: status %d, want %d: %s", name, status, x.want, text)
		}
	}
	for _, x := range []struct{ query, accept, media, want string }{
		{q, "text/csv", "text/csv; charset=utf-8", "y,y_label,y_confidence,y_status\r\nurn:efoc:Paris,Paris,1.0000,known\r\n"},
		{q, "text/tab-separated-values", "text/tab-separated-values; charset=utf-8",
			"?y\t?y_label\t?y_confidence\t?y_status\n<urn:efoc:Paris>\t\"Paris\"\t1.0000\t\"known\"\n"},
		{q, "application/sparql-results+xml", "application/sparql-results+xml", `<variable name="y_status"></variable></head><results><result><binding name="y"><uri>urn:efoc:Paris</uri></binding><binding name="y_label"><literal>Paris</literal></binding>`},
		{`ASK { :France :capital :Rome }`, "text/xml", "application/sparql-results+xml", `<head></head><boolean>false</boolean></sparql>`},
		{`SELECT * { <urn:efoc:Brazil> <urn:efoc:borders> <urn:efoc:Bolivia> }`, "application/xml", "application/sparql-results+xml", `<results><result></result></results>`},
		{q, "text/html, application/sparql-results+json;q=0.9, text/csv;q=0.5", "application/sparql-results+json", `"vars":["y"`},
		{`ASK { :France :capital :Paris }`, "", "application/sparql-results+json", `{"head":{},"boolean":true}`},
		{`ASK { :France :capital :Lyon%2FX }`, "", "application/sparql-results+json", `{"head":{},"boolean":false}`},
		{`ASK { :France :capital :Rome }`, "", "application/sparql-results+json", `{"head":{},"boolean":false}`},
		{`SELECT ?y ?y_confidence { <urn:efoc:Brazil> <urn:efoc:borders> <urn:efoc:Bolivia> }`, "text/csv", "text/csv; charset=utf-8", "\r\n,,1.0000,known\r\n"},
		{`SELECT ?y { <urn:efoc:Brazil> <urn:efoc:borders> <urn:efoc:Bolivia> }`, "text/tab-separated-values", "text/tab-separated-values; charset=utf-8", "\n\t\t1.0000\t\"known\"\n"},
		{`SELECT * { <urn:efoc:Brazil> <urn:efoc:borders> <urn:efoc:Bolivia> }`, "", "application/sparql-results+json", `{"head":{"vars":[]},"results":{"bindings":[{}]}}`},
		{`SELECT * { <urn:efoc:Brazil> <urn:efoc:borders> <urn:efoc:Japan> FILTER(?y_status = "known") }`, "", "application/sparql-results+json", `"bindings":[]`},
		{`SELECT ?y { :Brazil :borders ?x . ?x :borders <urn:efoc:Chile> }`, "", "application/sparql-results+json", `"bindings":[{"y_confidence"`},
		{`SELECT ?y { <urn:nowhere> :borders ?y }`, "", "application/sparql-results+json", `"bindings":[]`},
		{`ASK { ?x :capital :Rome . ?x :borders :Japan }`, "text/csv", "text/csv; charset=utf-8", "false\r\n"},
		{`SELECT ?y { OPTIONAL { :France :capital ?y } }`, "", "application/json; charset=utf-8", `"column":13`},
		{`SELECT ?y { ?y :in_continent :Europe } ORDER BY DESC(?y) LIMIT 1`, "text/csv", "text/csv; charset=utf-8", "urn:efoc:"},
		{q + " LIMIT 0", "text/csv", "text/csv; charset=utf-8", "y_status\r\n"},
	} {
		if _, media, text := askSPARQL(t, hs, x.query, x.accept); media != x.media || !strings.Contains(text, x.want) {
			t.Errorf("%s as %q: %s without %q: %s", x.query, x.accept, media, x.want, text)
		}
	}
	if status, _, _ := askSPARQL(t, hs, q, "image/png"); status != http.StatusNotAcceptable {
		t.Errorf("as a picture: status %d, want 406", status)
	}
	if status, media, text := askSPARQL(t, hs, "", ""); status != 200 || media != "text/turtle; charset=utf-8" || !strings.Contains(text, "sd:SPARQL11Query") {
		t.Errorf("the service description: status %d, %s: %s", status, media, text)
	}
	// Without limits: what is known or more likely true than not, in the order asked for.
	_, _, text := askSPARQL(t, hs, `SELECT ?y { :Brazil :borders ?y } ORDER BY DESC(?y_label)`, "")
	r := unmarshal[sparqlResult](t, text)
	labels := r.values("y_label")
	if len(labels) < 3 || !slices.IsSortedFunc(labels, func(a, b string) int { return strings.Compare(b, a) }) {
		t.Errorf("not in descending order: %v", labels)
	}
	for i, c := range r.values("y_confidence") {
		if c < "0.5" {
			t.Errorf("%s has confidence %s, want 0.5 at least", labels[i], c)
		}
	}
}

// What the model lacks holds of nothing, however it is written: no name is HTTP's 404, by which
// clients say that there is no such endpoint.
func TestSPARQLUnknown(t *testing.T) {
	_, hs := start(t, Config{})
	for _, q := range []string{
		`SELECT ?y { :Frence :borders ?y }`, `SELECT ?y { <urn:efoc:Frence> :borders ?y }`, `PREFIX wd: <http://www.wikidata.org/entity/> SELECT ?y { wd:Q142 :borders ?y }`,
		`SELECT ?y { :France :bordars ?y }`, `SELECT ?y { :France <urn:efoc:bordars> ?y }`, `SELECT ?y { :France :borders ?x . ?x :bordars ?y }`, `SELECT ?y { ?y a :Country }`,
		`SELECT ?y { ?y :borders "Frence" }`, `SELECT ?y { ?y :borders 7 }`, `ASK { :Frence :borders :Spain }`, `ASK { :France :borders :Spane }`, `ASK { :France :bordars :Spain }`,
	} {
		status, media, text := askSPARQL(t, hs, q, "")
		if r := unmarshal[sparqlResult](t, text); status != 200 || media != "application/sparql-results+json" || len(r.Results.Bindings) > 0 || r.Boolean != nil && *r.Boolean {
			t.Errorf("%s: status %d, %s", q, status, text)
		}
	}
	for _, q := range []string{
		`SELECT ?y { { :France :borders ?y } UNION { :France :bordars ?y } }`, `SELECT ?y { :France :borders ?y FILTER NOT EXISTS { ?y :bordars :Spain } }`,
		`SELECT ?y { :France :borders ?y FILTER(?y != :Spane) }`, `SELECT ?y { :France :borders|:bordars ?y MINUS { ?y :borders :Spane } }`,
	} {
		if status, _, text := askSPARQL(t, hs, q, ""); status != 200 || !strings.Contains(text, `"urn:efoc:Spain"`) {
			t.Errorf("%s: status %d, %s", q, status, text)
		}
	}
	_, ambiguous := start(t, Config{Options: host.Options{Open: func(context.Context) (*runtime.Model, error) { return twins(t), nil }}})
	for _, q := range []string{`SELECT ?y { :twin :near ?y }`, `SELECT ?y { :a :near ?y FILTER(?y != :twin) }`} {
		if status, _, text := askSPARQL(t, ambiguous, q, ""); status != http.StatusBadRequest || !strings.Contains(text, `ambiguous; use one of the names \"b\" or \"c\"`) {
			t.Errorf("%s: status %d, %s", q, status, text)
		}
	}
	if status, _, text := askSPARQL(t, ambiguous, `ASK { :a :near :twin }`, ""); status != 200 || !strings.Contains(text, `"boolean":true`) {
		t.Errorf("the only twin near something: status %d, %s", status, text)
	}
}

// TestSPARQLLiterals asks for literals that were left out of the graph: the error says so.
func TestSPARQLLiterals(t *testing.T) {
	_, hs := start(t, Config{
		Options: host.Options{
			Open: func(context.Context) (*runtime.Model, error) {
				m, err := openWorld(t.Context())
				if err == nil {
					m.Bundle().Manifest.Literals = map[string]int{"population": 190}
				}
				return m, err
			},
		},
	})
	for _, q := range []string{`SELECT ?y { ?y :population ?p }`, `SELECT ?y { ?y :borders :Spain ; :population 7 }`, `ASK { :France :population :Spain }`} {
		status, _, text := askSPARQL(t, hs, q, "")
		if status != http.StatusBadRequest || !strings.Contains(text, `the graph's 190 statements with it are about literals, which were left out`) {
			t.Errorf("%s: status %d, %s", q, status, text)
		}
	}
}

// twins is a model of which two entities have the same label.
func twins(t *testing.T) *runtime.Model {
	t.Helper()
	return runtime.NewModel(modeltest.New(t, modeltest.Spec{
		EntityNames: []string{"a", "b", "c"}, EntityLabels: []string{"", "twin", "twin"}, RelationNames: []string{"near"}, Facts: []graph.Triple{{Tail: 1}},
	}))
}

// A server gives so many answers at once: a query that wants more has all of them, or is told
// how to ask for parts. What it may cost is bounded before it is read.
func TestSPARQLLimits(t *testing.T) {
	_, hs := start(t, Config{Options: host.Options{Limits: Limits{K: 10, Formula: 300}}})
	for _, x := range []struct {
		query  string
		status int
		want   string
	}{
		{`SELECT ?y { :Brazil :borders ?y FILTER(?y_status = "known") } LIMIT 1000`, 200, "Venezuela"},
		{`SELECT ?y { ?y :in_continent :Europe FILTER(?y_status = "known") } LIMIT 1000`, 422, "more than 10 answers: ask for parts by LIMIT of at most 10 and OFFSET"},
		{`SELECT ?y { ?y :in_continent :Europe FILTER(?y_status = "known") }`, 422, "more than 10 answers"},
		{`SELECT ?y { ?y :in_continent :Europe FILTER(?y_status = "known") } LIMIT 10 OFFSET 10`, 200, `"known"`},
		{`SELECT ?y { ?y :in_continent :Europe } ORDER BY ?y LIMIT 2`, 422, "without ORDER BY"},
		{`SELECT ?y { :France :borders ?y } #` + strings.Repeat("x", 300), 413, "over the limit of 300"},
	} {
		if status, _, text := askSPARQL(t, hs, x.query, ""); status != x.status || !strings.Contains(text, x.want) {
			t.Errorf("%.100s: status %d without %q: %s", x.query, status, x.want, text)
		}
	}
}

// python returns a Python that has the packages of the clients.
func python(t *testing.T) string {
	program := os.Getenv("EFOC_PYTHON")
	if program == "" {
		t.Skip("it needs a Python with pyoxigraph, SPARQLWrapper and pandas, named by EFOC_PYTHON")
	}
	return program
}

func TestSPARQLClients(t *testing.T) {
	program := python(t)
	_, hs := start(t, Config{})
	out, err := exec.CommandContext(t.Context(), program, "testdata/clients.py", hs.URL+"/sparql").Output()
	if err != nil {
		t.Fatalf("%v: %s", err, err.(*exec.ExitError).Stderr)
	}
	labels := []string{"Bolivia", "Uruguay", "Venezuela"} // known, whatever the calibration
	want := map[string][]string{
		"SPARQLWrapper GET": labels, "SPARQLWrapper POST": labels, "SPARQLWrapper XML": labels, "pandas": labels,
		"SERVICE": {"urn:efoc:Bolivia Andes 1", "urn:efoc:Uruguay Pampas 1"},
	}
	var got map[string][]string
	if err := json.Unmarshal(out, &got); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %s, %v, want %v", out, err, want)
	}
}

// Known answers are those of another engine over the same facts.
func TestSPARQLEngine(t *testing.T) {
	program := python(t)
	s, hs := start(t, Config{})
	m, _ := s.inUse()
	n := long.Or(10_000, 200)
	queries := randomSPARQL(m, seed.Of(t), n)
	engine := exec.CommandContext(t.Context(), program, "testdata/oxigraph.py", ntriples(t, m))
	var lines strings.Builder
	for _, q := range queries {
		lines.WriteString(strings.TrimSpace(jsonText(t, q)) + "\n")
	}
	engine.Stdin = strings.NewReader(lines.String())
	out, err := engine.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, err.(*exec.ExitError).Stderr)
	}
	answers := json.NewDecoder(strings.NewReader(string(out)))
	empty, refused := 0, 0
	for _, q := range queries {
		var want any
		require.NoError(t, answers.Decode(&want))
		status, _, text := askSPARQL(t, hs, strings.TrimSuffix(q, "}")+` FILTER(?y_status = "known") }`, "")
		if status == http.StatusUnprocessableEntity || status == http.StatusBadRequest {
			refused++ // too many answers, or no query of EFO1: a part of it cannot hold
			continue
		}
		r := unmarshal[sparqlResult](t, text)
		got := []any{}
		for _, iri := range slices.Sorted(slices.Values(r.values("y"))) {
			got = append(got, iri)
		}
		if r.Boolean != nil {
			if *r.Boolean != want {
				t.Errorf("%s: %v, want %v", q, *r.Boolean, want)
			}
			continue
		}
		if !reflect.DeepEqual(any(got), want) {
			t.Errorf("%s:\n got %v\nwant %v", q, got, want)
		}
		if len(got) == 0 {
			empty++
		}
	}
	t.Logf("%d queries: %d without a known answer, %d refused", len(queries), empty, refused)
	if refused > n/10 || empty > n/2 {
		t.Errorf("of %d queries %d are refused and %d have no known answer: too few are left to compare", n, refused, empty)
	}
}
