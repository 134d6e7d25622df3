package server

import (
	"math"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/efoc/efoc/cmd/internal/lookup"
	"github.com/efoc/efoc/cmd/internal/server/api"
	"github.com/efoc/efoc/cmd/internal/server/host"
	"github.com/efoc/efoc/cmd/internal/server/problem"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/compiler/stages"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/testdata/require"
)

const spanish = `borders("Brazil", y) & official_language(y, "Spanish")`

// TestAsk asks in every way and compares with what the reference interpreter, one
// plain loop per op, says.
func TestAsk(t *testing.T) {
	_, hs := start(t, Config{})
	m, err := openWorld(t.Context())
	require.NoError(t, err)
	defer m.Close()
	for _, c := range []struct {
		body string
		// formula is the same question, for the reference.
		formula, shape, variable, engine string
	}{
		{`{"formula":"borders(\"Brazil\", land) & official_language(land, \"Spanish\")"}`,
			`borders("Brazil", land) & official_language(land, "Spanish")`, "2i", "land", "compiled"},
		{`{"formula":"exists x. borders(\"France\", x) & capital(x, y)","k":3,"sets":2}`,
			`exists x. borders("France", x) & capital(x, y)`, "2p", "y", "compiled"},
		{`{"formula":"exists x. borders(\"France\", x) & borders(x, y) & y != \"France\"","k":100}`,
			`exists x. borders("France", x) & borders(x, y) & y != "France"`, "", "y", "interpreted"},
		{`{"template":"query Far(c entity) y = exists x. borders($c, x) & borders(x, y) & x != y & y != $c","args":{"c":"Kenya"}}`,
			`exists x. borders("Kenya", x) & borders(x, y) & y != x & "Kenya" != y`, "", "y", "interpreted"},
		{`{"template":"query Q(s1 entity, r1, r2 relation) f = exists e1. $r1($s1, e1) & $r2(e1, f)","args":{"s1":"France","r1":"borders","r2":"capital"}}`,
			`exists e1. borders("France", e1) & capital(e1, f)`, "2p", "f", "compiled"},
		{`{"template":"query Q(s1, s2 entity, r1, r2 relation) f = $r1($s1, f) & !$r2($s2, f)","args":{"s1":"France","r1":"borders","s2":"Spain","r2":"borders^-1"}}`,
			`borders("France", f) & !borders^-1("Spain", f)`, "2in", "f", "compiled"},
		{`{"template":"query Near(country entity) y = borders($country, y)","args":{"country":"Kenya"}}`, `borders("Kenya", y)`, "1p", "y", "compiled"},
		{`{"formula":"borders(\"Kenya\", y)","settings":{"layers":4}}`, "", "1p", "y", "interpreted"},
	} {
		status, text := call(t, hs, "POST", "/v1/ask", c.body)
		if status != http.StatusOK {
			t.Errorf("%s: status %d: %s", c.body, status, text)
			continue
		}
		got := unmarshal[answersOf](t, text)
		if got.ShapeName != c.shape || got.Variable != c.variable || got.Engine != c.engine || got.Model != "world" || got.Batch != 1 {
			t.Errorf("%s: got %+v", c.body, got)
		}
		if c.formula == "" {
			continue
		}
		p, err := compiler.Prepare(m, c.formula, compiler.Options{Engine: compiler.EngineReference})
		require.NoError(t, err)
		want, err := p.Ask(t.Context(), nil, runtime.Options{K: len(got.Answers), SetSize: 2})
		require.NoError(t, err)
		for i, a := range want.Rows {
			if g := got.Answers[i]; g.Name != a.Values[0].Name || g.Status != a.Status.String() || math.Abs(g.Score-float64(a.Score)) > 1e-4*float64(a.Score) {
				t.Errorf("%s: answer %d is %+v, want %+v", c.body, i, g, a)
			}
		}
		for i, set := range want.Sets {
			if g := got.Sets[i]; g.Variable != set.Variable || g.Top[0].Name != set.Top[0].Values[0].Name {
				t.Errorf("%s: set %d is %+v, want %+v", c.body, i, g, set)
			}
		}
	}
	status, text := call(t, hs, "GET", "/v1/ask?k=2&sets=0&formula="+url.QueryEscape(spanish), "")
	if got := unmarshal[answersOf](t, text); status != http.StatusOK || len(got.Answers) != 2 || got.Answers[0].Name != "Venezuela" || got.Answers[0].Status != "known" {
		t.Errorf("status %d: %s", status, text)
	}
}

func TestAskErrors(t *testing.T) {
	_, hs := start(t, Config{Options: host.Options{Limits: Limits{Body: 4000, Formula: 2000, Messages: 100, K: 50, Batch: 3}}})
	for _, c := range []struct {
		method, path, body string
		status             int
		code, want         string
	}{
		{"POST", "/v1/ask", `{"formula":"borders(\"Frence\", y)"}`, 404, "unknown_name", `"column":9`},
		{"POST", "/v1/ask", `{"formula":"borders(\"Frence\", y)"}`, 404, "unknown_name", `did you mean \"France\"`},
		{"POST", "/v1/ask", `{"formula":"borders(\"France\", y"}`, 400, "bad_query", `"source_line":"borders(\"France\", y"`},
		{"POST", "/v1/ask", `{"formula":"borders(France, y)"}`, 400, "bad_query", `"hint":"did you mean \"France\"?"`},
		{"POST", "/v1/ask", `{}`, 400, "bad_request", "want one of formula"},
		{"POST", "/v1/ask", ``, 400, "bad_request", "no body"},
		{"POST", "/v1/ask", `{"formula":`, 400, "bad_request", "unexpected EOF"},
		{"POST", "/v1/ask", `{"formla":"x"}`, 400, "bad_request", "formla"},
		{"POST", "/v1/ask", `{"template":"query Q(s1 entity, r1, r2 relation) f = exists e1. $r1($s1, e1) & $r2(e1, f)"} {}`, 400, "bad_request", "trailing data after the JSON"},
		{"POST", "/v1/ask", `{"template":"query Q(s1 entity, r1, r2 relation) f = exists e1. $r1($s1, e1) & $r2(e1, f)","formula":"x"}`, 400, "bad_request", "got 2"},
		{"POST", "/v1/ask", `{"template":"query Q(s1 entity, r1 relation) f = $r1($s1, f)","args":{"s1":"France"}}`, 400, "bad_request", "needs a value for r1"},
		{"POST", "/v1/ask", `{"template":"query Q(s1 entity, r1 relation) f = $r1($s1, f)","args":{"s1":"Frence","r1":"borders"}}`, 404, "unknown_name", `"suggestions":["France"`},
		{"POST", "/v1/ask", `{"template":"package p"}`, 400, "bad_request", "holds 0 queries"},
		{"POST", "/v1/ask", `{"template":"query Q(s1 entity, r1 relation) f = $r1($s1, f)","k":51,"args":{"s1":"France","r1":"borders"}}`, 400, "bad_request", "k is 51, want 1 to 50"},
		{"POST", "/v1/ask", `{"template":"query Q(s1 entity, r1 relation) f = $r1($s1, f)","sets":-1,"args":{"s1":"France","r1":"borders"}}`, 400, "bad_request", "sets: want 0 or more"},
		{"POST", "/v1/ask", `{"formula":"borders(\"France\", y)","settings":{"lambda":2}}`, 400, "bad_request", "lambda is 2"},
		{"POST", "/v1/ask", `{"formula":"borders(\"France\", y)","settings":{"leaf":0.5}}`, 400, "bad_request", "unknown name"},
		{"POST", "/v1/ask", `{"formula":"borders(\"France\", y)","settings":{"layers":2.5}}`, 400, "bad_request", "layers is 2.5, want a whole number"},
		{"POST", "/v1/ask", `{"formula":"exists x. borders(\"France\", x) & borders(x, y)","settings":{"layers":1}}`, 422, "cannot_compile", "choose 2 or more"},
		{"POST", "/v1/ask", `{"formula":"borders(\"France\", y)","settings":{"layers":60}}`, 422, "too_costly", "could send 120 messages"},
		{"POST", "/v1/ask", `{"formula":"` + strings.Repeat(" ", 3000) + `"}`, 413, "too_large", "3000 bytes"},
		{"POST", "/v1/ask", `{"formula":"` + strings.Repeat(" ", 5000) + `"}`, 413, "too_large", "limit of 4000 bytes"},
		{"POST", "/v1/ask", `{"formula":"borders(\"France\", y)","semantics":"qto"}`, 400, "bad_request", `semantics is \"qto\", want nsmp, fit or mixed`},
		{"GET", "/v1/explain?semantics=x&formula=x", ``, 400, "bad_request", `semantics is \"x\"`},
		{"POST", "/v1/explain", `{"template":"query Q(s1 entity, r1, r2 relation) f = exists e1. $r1($s1, e1) & $r2(e1, f)","semantics":"x"}`, 400, "bad_request", `semantics is \"x\"`},
		{"POST", "/v1/witness", `{"formula":"borders(\"France\", y)","semantics":"x","entities":["Spain"]}`, 400, "bad_request", `semantics is \"x\"`},
		{"POST", "/v1/ask", `{"formula":"borders(\"France\", y)","semantics":"fit","settings":{"lambda":0.5}}`, 400, "bad_request", "semantics fit does not read"},
		{"GET", "/v1/ask?staus=known&formula=x", ``, 400, "bad_request", `unknown parameter \"staus\": did you mean status?`},
		{"GET", "/v1/ask?colour=red&formula=x", ``, 400, "bad_request", `there is formula, semantics, assume, status`},
		{"GET", "/v1/ask?k=1&k=2&formula=x", ``, 400, "bad_request", `k is given 2 times`},
		{"GET", "/v1/ask?min_confidence=much&formula=x", ``, 400, "bad_request", `min_confidence is \"much\", want a number`},
		{"GET", "/v1/ask?in_range=perhaps&formula=x", ``, 400, "bad_request", `in_range is \"perhaps\", want true or false`},
		{"GET", "/v1/ask?status=knwon&formula=borders(%22France%22,y)", ``, 400, "bad_request", `status is \"knwon\", want known, predicted`},
		{"GET", "/v1/ask?status=&formula=borders(%22France%22,y)", ``, 400, "bad_request", `status is \"\", want known, predicted`},
		{"POST", "/v1/ask", `{"formula":"borders(\"France\", y)","status":["unchecked"]}`, 400, "bad_request", `status is \"unchecked\"`},
		{"POST", "/v1/ask", `{"formula":"borders(\"France\", y)","status":["known"],"no_status":true}`, 400, "bad_request", `leave out one of them`},
		{"POST", "/v1/ask", `{"formula":"borders(\"France\", y)","no_status":null}`, 400, "bad_request", `/no_status is null: leave it out instead`},
		{"POST", "/v1/ask", `{"formula":"borders(\"France\", y)","k":null}`, 400, "bad_request", "/k is null"},
		{"POST", "/v1/ask", `{"formula":"borders(\"France\", y)","status":["known",null]}`, 400, "bad_request", "/status/1 is null"},
		{"POST", "/v1/batch", `{"queries":[{"formula":"borders(\"France\", y)","settings":{"alpha":null}}]}`, 400, "bad_request", "/queries/0/settings/alpha is null"},
		{"POST", "/v1/ask", `{"formula":"borders(\"France\", y)","k":1,"k":2}`, 400, "bad_request", `duplicate object member name \"k\"`},
		{"POST", "/v1/ask", `{"formula":"borders(\"\ud800\", y)"}`, 400, "bad_request", "surrogate"},
		{"POST", "/v1/batch", `{"queries":[{"formula":"borders(\"\udfff\ud800\", y)"}]}`, 400, "bad_request", "surrogate"},
		{"POST", "/v1/ask", `null`, 400, "bad_request", `null`},
		{"POST", "/v1/ask", `{"formula":"borders(\"France\", y)","offset":-1}`, 400, "bad_request", "offset: want 0 or more"},
		{"GET", "/v1/ask?show=z&formula=exists+x.+borders(%22France%22,x)%26borders(x,y)", ``, 400, "bad_request", `show: variable \"z\" cannot be shown: the query has x under exists`},
		{"POST", "/v1/ask", `{"formula":"borders(\"France\", y)","show":["y"]}`, 400, "bad_request", `show: variable \"y\" is the free one`},
		{"GET", "/v1/ask?type=City&formula=borders(%22France%22,y)", ``, 400, "bad_request", `want RELATION=ENTITY`},
		{"POST", "/v1/ask", `{"formula":"borders(\"France\", y)","type":"in_continent=Erope"}`, 404, "unknown_name", `"suggestions":["Europe"`},
		{"GET", "/v1/ask?k=many&formula=x", ``, 400, "bad_request", `k is \"many\"`},
		{"POST", "/v1/batch", `{"queries":[]}`, 400, "bad_request", "0 queries, want 1 to 3"},
		{"POST", "/v1/explain", `{"formula":"borders(\"Frence\", y)"}`, 404, "unknown_name", "Frence"},
		{"GET", "/v1/search?kind=thing&name=x", ``, 400, "bad_request", "thing"},
		{"GET", "/v1/search?k=0&name=x", ``, 400, "bad_request", "k is 0"},
		{"GET", "/v1/unknown", ``, 404, "not_found", "not found"},
		{"DELETE", "/v1/ask", ``, 405, "method_not_allowed", "Method Not Allowed"},
		{"POST", "/v1/reload", ``, 404, "not_found", "not found"},
	} {
		status, text, header := callWith(t, hs, c.method, c.path, c.body, nil)
		got := unmarshal[struct {
			Error struct {
				Code string
				ID   string `json:"request_id"`
			}
		}](t, text)
		if status != c.status || got.Error.Code != c.code || !strings.Contains(text, c.want) || got.Error.ID == "" || got.Error.ID != header.Get("X-Request-Id") {
			t.Errorf("%s %s %.90s: status %d: %swant %d, %s, %s", c.method, c.path, c.body, status, text, c.status, c.code, c.want)
		}
	}
}

// TestExtent checks which part of a query a mistake covers.
func TestExtent(t *testing.T) {
	for _, c := range []struct {
		text   string
		offset int
		want   int
	}{
		{`borders("Frence", y)`, 8, 8}, {`borders("Frence", y)`, 0, 7}, {`r("Köln", y)`, 2, 6}, {`r("open`, 2, 5},
		{`r(x, $arg)`, 5, 4}, {`r(x)`, 3, 1}, {`r(x)`, 4, 0}, {"r('it\\'s', y)", 0, 1},
	} {
		mistake := &lang.Error{Line: c.text}
		mistake.Pos.Col = 1 + utf8.RuneCountInString(c.text[:c.offset])
		if got := problem.Of(lang.ErrorList{mistake}).Mistakes[0].Length; got != c.want {
			t.Errorf("extent of %q at %d is %d, want %d", c.text, c.offset, got, c.want)
		}
	}
}

func TestBatch(t *testing.T) {
	_, hs := start(t, Config{})
	status, text := call(t, hs, "POST", "/v1/batch", `{"queries":[
		{"formula":"borders(\"France\", y)","k":1},{"formula":"borders(\"Frence\", y)"},{"formula":"exists z. borders(\"Kenya\", z) & capital(z, y)","k":2}]}`)
	got := unmarshal[struct {
		Results []struct {
			Result *answersOf
			Error  *problem.Problem
		}
	}](t, text)
	if status != http.StatusOK || len(got.Results) != 3 || got.Results[0].Result == nil || len(got.Results[0].Result.Answers) != 1 ||
		got.Results[1].Error == nil || got.Results[1].Error.Code != "unknown_name" || len(got.Results[2].Result.Answers) != 2 {
		t.Errorf("status %d: %s", status, text)
	}
}

func TestSearch(t *testing.T) {
	_, hs := start(t, Config{})
	for _, c := range []struct{ query, first, kind string }{
		{"name=fran&kind=entity", "France", "entity"},
		{"name=Frnace&kind=entity", "France", "entity"},
		{"name=switz&kind=entity", "Switzerland", "entity"},
		{"name=Swizterla", "Switzerland", "entity"},
		{"name=bord&kind=relation", "borders", "relation"},
		{"name=offical_lan&kind=relation", "official_language", "relation"},
		{"kind=relation&k=1", "borders", "relation"}, // the largest, by cmd/efoc/world/README.md
	} {
		status, text := call(t, hs, "GET", "/v1/search?"+c.query, "")
		got := unmarshal[struct{ Results []lookup.Found }](t, text)
		if status != http.StatusOK || len(got.Results) == 0 || got.Results[0].Text != c.first || got.Results[0].Kind != c.kind || got.Results[0].Facts == 0 {
			t.Errorf("%s: status %d: %s", c.query, status, text)
		}
	}
	if _, text := call(t, hs, "GET", "/v1/search?name=zzzzzzzz", ""); text != "{\"results\":[]}\n" {
		t.Errorf("nothing found is %s", text)
	}
}

func TestInformation(t *testing.T) {
	_, hs := start(t, Config{Version: "test"})
	for path, want := range map[string]string{
		"/v1/model": `"entities":2192`,
		"/healthz":  "ok",
		"/readyz":   "ready",
		"/metrics":  "efoc_queries_in_flight 0",
		"/":         "<!doctype html>",
		"/v1/explain?formula=" + url.QueryEscape(spanish): `"state":"sent"`,
		"/openapi.yaml": "openapi: 3",
	} {
		if status, text := call(t, hs, "GET", path, ""); status != http.StatusOK || !strings.Contains(text, want) {
			t.Errorf("%s: status %d, no %s in %.300s", path, status, want, text)
		}
	}
	_, text := call(t, hs, "POST", "/v1/explain", `{"template":"query Q(s1 entity, r1, r2 relation) f = exists e1. $r1($s1, e1) & $r2(e1, f)","plans":true}`)
	if !strings.Contains(text, `"after":"lowering"`) {
		t.Errorf("no plans in %.300s", text)
	}
}

// TestWitness asks why entities are answers, one of them only a prediction.
func TestWitness(t *testing.T) {
	_, hs := start(t, Config{})
	const formula = `"formula": "exists x. borders(\"France\", x) & official_language(x, y)"`
	status, text := call(t, hs, "POST", "/v1/witness", `{`+formula+`, "entities": ["German", "Danish"]}`)
	got := unmarshal[api.WitnessResponse](t, text)
	if status != http.StatusOK || len(got.Witnesses) != 2 {
		t.Fatalf("status %d: %s", status, text)
	}
	for i, name := range []string{"German", "Danish"} {
		w := got.Witnesses[i]
		if w.Answer.Name != name || len(w.Atoms) != 2 || len(w.Values) != 1 || w.Values[0].Variable != "x" || w.Atoms[0].Head.Name != "France" || w.Atoms[1].Tail.Name != name {
			t.Errorf("witness %d is %+v", i, w)
		}
		// German is known, Danish is not.
		if all := w.Atoms[0].Observed && w.Atoms[1].Observed; all != (name == "German") {
			t.Errorf("%s: the links are %+v", name, w.Atoms)
		}
	}
	for body, want := range map[string]int{
		`{` + formula + `, "entities": []}`:               http.StatusBadRequest,
		`{` + formula + `, "entities": ["Germann"]}`:      http.StatusNotFound,
		`{"formula": "borders(", "entities": ["German"]}`: http.StatusBadRequest,
	} {
		if status, text := call(t, hs, "POST", "/v1/witness", body); status != want {
			t.Errorf("%s: status %d, want %d: %s", body, status, want, text)
		}
	}
}

// TestWhyNot asks why entities are not answers: of one variable and of two, and of an answer.
func TestWhyNot(t *testing.T) {
	_, hs := start(t, Config{})
	for _, c := range []struct {
		body   string
		status int
		want   []string
	}{
		{`"formula": "exists x. borders(\"France\", x) & borders(x, y) & y != \"Portugal\"", "entities": ["Portugal"]`, http.StatusOK, []string{
			`"status":"predicted"`, `"variable":"x","id":`, `"name":"Spain"`, `"relation":"=","head":`, `"fails":"negated"`, `"proved":true`,
		}},
		{`"formula": "x, y: borders(\"France\", x) & capital(x, y) & x != \"Spain\"", "entities": ["Spain", "Lisbon"]`, http.StatusOK, []string{
			`"fails":"negated"`, `"fails":"predicted"`,
		}},
		{`"formula": "borders(\"France\", y)", "entities": ["Spain"]`, http.StatusOK, []string{`"status":"known"`, `"rank":`, `"degree":1`}},
		{`"formula": "borders(\"France\", y)", "entities": ["Spain", "Peru"]`, http.StatusBadRequest, []string{"want one for each of the answer variables y, not 2"}},
		{`"formula": "borders(\"France\", \"Spain\")", "entities": ["Spain"]`, http.StatusBadRequest, []string{"entities: they are for answers, and the question asks yes or no"}},
	} {
		status, text := call(t, hs, "POST", "/v1/why-not", "{"+c.body+"}")
		for _, want := range c.want {
			if status != c.status || !strings.Contains(text, want) {
				t.Errorf("%s: status %d, want %d with %s in %s", c.body, status, c.status, want, text)
			}
		}
	}
}

// TestAnalysedOnce checks that a text is analysed once, whichever model is asked: the analysis
// that is kept under it counts, here that of another question.
func TestAnalysedOnce(t *testing.T) {
	s, hs := start(t, Config{})
	const asked, kept = `borders("France", y)`, `official_language("France", y)`
	_, err := s.host.Cache.Analyze(stages.Text{Syntax: "formula", Text: asked, Parse: func(string) (*lang.Query, error) { return lang.ParseFormula(kept) }})
	require.NoError(t, err)
	best := func(formula string) string {
		t.Helper()
		status, text := call(t, hs, "POST", "/v1/ask", `{"formula":`+jsonText(t, formula)+`,"k":1}`)
		if status != http.StatusOK {
			t.Fatalf("status %d: %s", status, text)
		}
		return unmarshal[answersOf](t, text).Answers[0].Name
	}
	for range 2 {
		if got := best(asked); got != "French" {
			t.Errorf("the best answer is %s, want that of the analysis that is kept", got)
		}
		require.NoError(t, s.Reload(t.Context()))
	}
	if got := best(asked + " "); got == "French" {
		t.Error("another text has the same answer")
	}
}
