package server

import (
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/testdata/require"
)

// TestDecide asks sentences over HTTP, by SPARQL and as an assistant, of which the facts of the
// world decide some.
func TestDecide(t *testing.T) {
	_, hs := start(t, Config{})
	sessions := assistants(t, Config{})
	for _, c := range []struct {
		formula, sparql, said string
		holds                 bool
		status                string
	}{
		{`borders("France", "Spain")`, `:France :borders :Spain`, "yes, known: it follows from the graph", true, "known"},
		{`exists x. borders("France", x) & borders(x, "Portugal")`, `:France :borders ?x . ?x :borders :Portugal`, "x = Spain", true, "known"},
		{`borders("France", "Iceland")`, `:France :borders :Iceland`, "neither known nor likely", false, "predicted"},
		{`borders("France", "Iceland") & borders("France", "Spain")`, `:France :borders :Iceland, :Spain`, "neither known nor likely", false, "predicted"},
		{`borders("France", "Iceland") | exists x. capital("France", x)`, `{ :France :borders :Iceland } UNION { :France :capital ?x }`, "x = Paris", true, "known"},
	} {
		status, text := call(t, hs, "GET", "/v1/ask?formula="+url.QueryEscape(c.formula), "")
		v := unmarshal[struct {
			Verdict struct {
				Holds  bool
				Status string
			}
		}](t, text).Verdict
		if status != http.StatusOK || v.Holds != c.holds || v.Status != c.status {
			t.Errorf("%s: status %d: %s", c.formula, status, text)
		}
		_, _, text = askSPARQL(t, hs, "ASK { "+c.sparql+" }", "text/csv")
		if got := strings.TrimSpace(text); got != map[bool]string{true: "true", false: "false"}[c.holds] {
			t.Errorf("ASK { %s }: %s", c.sparql, text)
		}
		for name, session := range sessions {
			if said, failed := use(t, session, "ask", map[string]any{"formula": c.formula}); failed || !strings.Contains(said, c.said) {
				t.Errorf("%s, %s: %s", name, c.formula, said)
			}
		}
	}
	for _, c := range []struct{ body, want string }{
		{`{"formula":"count y: borders(\"France\", \"Spain\")"}`, "the free variable y does not occur in the formula"},
		{`{"formula":"borders(\"France\", \"Spain\")","show":["x"]}`, "the question asks yes or no"},
		{`{"formula":"count y: borders(\"France\", y)","status":["known"]}`, "the question asks how many there are"},
		{`{"formula":"borders(\"France\", \"Spainn\")"}`, `"suggestions":["\"Spain\""`},
	} {
		if status, text := call(t, hs, "POST", "/v1/ask", c.body); status < 400 || !strings.Contains(text, c.want) {
			t.Errorf("%s: status %d: %s", c.body, status, text)
		}
	}
}

// TestCount compares counts over HTTP, by SPARQL and as an assistant with the runtime's, of which the
// known ones are the facts.
func TestCount(t *testing.T) {
	_, hs := start(t, Config{})
	m, err := openWorld(t.Context())
	require.NoError(t, err)
	defer m.Close()
	p, err := compiler.Prepare(m, `count y: borders("France", y)`, compiler.Options{})
	require.NoError(t, err)
	reply, err := p.Ask(t.Context(), nil, runtime.Options{})
	require.NoError(t, err)
	want := reply.Count
	b := p.PartBindings(0, nil)
	if known := len(m.Bundle().Graph.Tails(b.Constants[0], b.Relations[0])); want.Known != known || want.Missing <= 0 || want.Low < float64(known) || want.High < want.Total() {
		t.Errorf("got %+v, want %d known", want, known)
	}
	for _, body := range []string{
		`{"formula":"count y: borders(\"France\", y)"}`,
		`{"template":"query N(c entity) count y = borders($c, y)","args":{"c":"France"}}`,
	} {
		status, text := call(t, hs, "POST", "/v1/ask", body)
		got := unmarshal[struct{ Count runtime.Count }](t, text).Count
		same := status == http.StatusOK && got.Known == want.Known
		for _, x := range [][2]float64{{got.Missing, want.Missing}, {got.Low, want.Low}, {got.High, want.High}} {
			same = same && math.Abs(x[0]-x[1]) < 1e-5 // the server runs generated code, which rounds otherwise
		}
		if !same {
			t.Errorf("%s: status %d: %s, want %+v", body, status, text, want)
		}
	}
	_, text := call(t, hs, "GET", "/metrics", "")
	for line := range strings.Lines(text) {
		if seconds, ok := strings.CutPrefix(line, `efoc_query_seconds_sum{semantics="mixed",shape_group="P"} `); ok {
			if took, err := strconv.ParseFloat(strings.TrimSpace(seconds), 64); err != nil || took > 1e6 {
				t.Errorf("counts are said to have taken %s seconds", seconds)
			}
		}
	}
	if _, _, text := askSPARQL(t, hs, "SELECT (COUNT(?y) AS ?n) { :France :borders ?y }", "text/csv"); !strings.HasPrefix(text, "n,n_known,n_low,n_high\r\n10,9,") {
		t.Errorf("SPARQL: %q", text)
	}
	for name, session := range assistants(t, Config{}) {
		if said, failed := use(t, session, "ask", map[string]any{"formula": `count y: borders("France", y)`}); failed || !strings.HasPrefix(said, "9 answers known\n") {
			t.Errorf("%s: %s", name, said)
		}
	}
}
