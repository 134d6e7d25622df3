package server

import (
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/efoc/efoc/cmd/internal/server/api"
	"github.com/efoc/efoc/cmd/internal/server/host"
	"github.com/efoc/efoc/testdata/require"
)

// attempt is a request of an operation.
type attempt struct {
	method, path, body string
	header             http.Header
}

// post returns a request with a body of JSON.
func posted(path, body string) attempt { return attempt{method: "POST", path: path, body: body} }

// got returns a request with parameters, names and values in turn.
func got(path string, parameters ...string) attempt {
	values := url.Values{}
	for i := 0; i < len(parameters); i += 2 {
		values.Set(parameters[i], parameters[i+1])
	}
	return attempt{method: "GET", path: path + "?" + values.Encode()}
}

// with adds a header.
func (a attempt) with(name, value string) attempt {
	a.header = http.Header{}
	a.header.Set(name, value)
	return a
}

// A question, one with an unknown name, one that costs too much for statusLimits, and one that is too
// tooLong for them.
const (
	question = `borders("Brazil", y)`
	unknown  = `borders("Brasil", y)`
	costly   = `exists a, b, c, d. borders("Brazil", a) & borders(a, b) & borders(b, c) & borders(c, d) & borders(d, y)`
)

var (
	statusLimits = Limits{Formula: 200, Messages: 20, InFlight: 8, Batch: 4, Facts: 2}
	tooLong      = `borders("Brazil", y)` + strings.Repeat(" ", 200)
)

// formulas returns requests that ask each of the questions above.
func formulas(ask func(formula string) attempt) []attempt {
	return []attempt{ask(question), ask(unknown), ask(costly), ask(tooLong), ask("borders(")}
}

// inJSON makes a request of a body in which a formula stands.
func inJSON(path, before, after string) func(string) attempt {
	return func(formula string) attempt { return posted(path, before+strconv.Quote(formula)+after) }
}

// attempts are requests for each operation of openapi.yaml: first one that succeeds, then those that show
// what else the operation may answer.
var attempts = map[string][]attempt{
	"askByFormula":   formulas(func(f string) attempt { return got("/v1/ask", "formula", f) }),
	"ask":            formulas(inJSON("/v1/ask", `{"formula":`, `}`)),
	"batch":          {posted("/v1/batch", `{"queries":[{"template":"query Q(s1 entity, r1 relation) f = $r1($s1, f)"}]}`), posted("/v1/batch", `{"queries":[]}`), posted("/v1/batch", `{"queries":[{},{},{}]}`)},
	"explainFormula": formulas(func(f string) attempt { return got("/v1/explain", "formula", f) }),
	"explain":        formulas(inJSON("/v1/explain", `{"formula":`, `}`)),
	"witness":        formulas(inJSON("/v1/witness", `{"entities":["Peru"],"formula":`, `}`)),
	"whyNot":         formulas(inJSON("/v1/why-not", `{"entities":["Peru"],"formula":`, `}`)),
	"search":         {got("/v1/search", "name", "Brazil"), got("/v1/search", "k", "x"), got("/v1/search", "name", tooLong)},
	"entity":         {got("/v1/entity/Brazil"), got("/v1/entity/Brasil"), got("/v1/entity/Brazil", "k", "x")},
	"relation":       {got("/v1/relation/borders"), got("/v1/relation/bordres"), got("/v1/relation/borders", "k", "x")},
	"missing":        {got("/v1/missing", "relation", "capital", "questions", "5"), got("/v1/missing", "relation", "bordres"), got("/v1/missing", "k", "x")},
	"examples":       {got("/v1/examples")},
	"relations":      {got("/v1/relations"), got("/v1/relations", "k", "x")},
	"templates":      {got("/v1/templates")},
	"model":          {got("/v1/model")},
	"reload":         {posted("/v1/reload", "")},
	"health":         {got("/healthz")},
	"ready":          {got("/readyz")},
	"metrics":        {got("/metrics")},
	"facts": {
		posted("/v1/facts", `{"add":[["Brazil","borders","Peru"]]}`), posted("/v1/facts", `{}`), posted("/v1/facts", `{"add":[["Brasil","borders","Peru"]]}`),
		posted("/v1/facts", `{"add":[["a","b","c"],["a","b","c"],["a","b","c"]]}`),
		posted("/v1/facts", `{"add":[["Brazil","borders","Peru"]]}`).with(api.KeyHeader, "one"),
		posted("/v1/facts", `{"add":[["Brazil","borders","Chad"]]}`).with(api.KeyHeader, "one"),
	},
	"compactFacts": {posted("/v1/facts/compact", "")},
	"sparql": {
		got("/sparql", "query", `SELECT ?y { :Brazil :borders ?y }`), got("/sparql", "query", `SELECT ?y { :Brasil :borders ?y }`),
		got("/sparql", "query", `SELECT ?y { :Brazil :borders ?y }`).with("Accept", "image/png"), got("/sparql", "query", tooLong), got("/sparql", "query", "SELECT"),
		got("/sparql", "query", `SELECT ?y { :Brazil :borders/:borders/:borders/:borders/:borders ?y }`),
	},
	"sparqlPost": {
		sparqlPosted(`SELECT ?y { :Brazil :borders ?y }`), sparqlPosted(`SELECT ?y { :Brasil :borders ?y }`),
		posted("/sparql", `{}`), sparqlPosted(tooLong), sparqlPosted("SELECT"), sparqlPosted(`SELECT ?y { :Brazil :borders/:borders/:borders/:borders/:borders ?y }`),
		func() attempt {
			a := sparqlPosted(`SELECT ?y { :Brazil :borders ?y }`)
			a.header.Set("Accept", "image/png")
			return a
		}(),
	},
	"mcp": {
		posted("/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`).with("Accept", "application/json, text/event-stream"),
		posted("/mcp", `{"jsonrpc":"2.0","method":"notifications/initialized"}`).with("Accept", "application/json, text/event-stream"),
		posted("/mcp", `[]`), posted("/mcp", `{}`).with("Content-Type", "text/plain"),
	},
}

// sparqlPosted returns a request with a query of SPARQL.
func sparqlPosted(query string) attempt {
	return posted("/sparql", query).with("Content-Type", "application/sparql-query")
}

// elsewhere are statuses that other tests make.
var elsewhere = map[string][]int{
	"facts":        {507}, // TestFactsFull
	"compactFacts": {507}, // the same error
	"health":       {503}, // a shard is lost: TestMPIServeLost in cmd/efoc
	"reload":       {422}, // TestReload
	"missing":      {422}, // TestMissingErrors
	"mcp":          {429}, // TestAttackManyBodies
}

// TestStatuses checks that openapi.yaml lists exactly the statuses that each operation can answer: those of
// the requests above, also without a token, to a server without one, for another host, too tooLong, too slow, past their deadline, beside
// too many others, and to a server that goes down; and 500, for any handler may panic.
func TestStatuses(t *testing.T) {
	c := factsConfig(t)
	c.Limits = statusLimits
	c.Hosts = []string{"localhost"}
	s, _ := start(t, c)
	hurried := factsConfig(t)
	hurried.Limits.Deadline = time.Nanosecond
	late, _ := start(t, hurried)
	fixed, _ := start(t, Config{Token: "ask"})
	open, _ := start(t, Config{})
	small, _ := start(t, Config{Options: host.Options{Limits: Limits{Memory: 1}}, Token: "ask"})
	closing := factsConfig(t)
	closed, _ := start(t, closing)
	closed.Close()
	crowded := factsConfig(t)
	crowded.Limits = Limits{InFlight: 1, Batch: 1}
	full, _ := start(t, crowded)
	done := make(chan struct{})
	go full.transport.Admitted(t.Context(), func(context.Context) error {
		<-done
		return nil
	})
	defer close(done)
	until(t, "one is in flight", func() bool { return full.taken().InFlight == 1 })

	can := map[string]map[int]bool{}
	for _, id := range slices.Sorted(maps.Keys(attempts)) {
		first := attempts[id][0]
		seen := map[int]bool{http.StatusInternalServerError: true}
		for _, status := range elsewhere[id] {
			seen[status] = true
		}
		if status := first.send(s, id, nil); status != http.StatusOK {
			t.Errorf("%s: status %d", id, status)
		}
		for _, a := range attempts[id] {
			seen[a.send(s, id, nil)] = true
		}
		seen[first.send(s, id, func(r *http.Request) { r.Header.Del("Authorization") })] = true
		seen[first.send(s, id, func(r *http.Request) { r.Host = "evil.example" })] = true
		for _, other := range []*Server{fixed, open, small, closed} {
			seen[first.send(other, id, nil)] = true
		}
		for range 40 { // whether a free slot or the deadline is noticed first is chance
			seen[first.send(late, id, nil)] = true
		}
		if first.body != "" {
			seen[first.send(s, id, func(r *http.Request) { r.ContentLength = s.Limits.Body + 1 })] = true
			seen[first.send(s, id, func(r *http.Request) { r.Body = io.NopCloser(slowBody{}) })] = true
		}
		seen[first.send(full, id, nil)] = true
		can[id] = seen
	}
	for id, documented := range documentedStatuses(t) {
		if seen := slices.Sorted(maps.Keys(can[id])); !slices.Equal(seen, documented) {
			t.Errorf("%s can answer\n%d, openapi.yaml lists\n%d", id, seen, documented)
		}
	}
}

// slowBody is a body that does not come in time.
type slowBody struct{}

func (slowBody) Read([]byte) (int, error) { return 0, os.ErrDeadlineExceeded }

// send sends the request of an operation, with its token, and returns the status.
func (a attempt) send(s *Server, id string, edit func(*http.Request)) int {
	r := httptest.NewRequest(a.method, a.path, strings.NewReader(a.body))
	r.Host = "localhost"
	r.Header.Set("Content-Type", "application/json")
	maps.Copy(r.Header, a.header)
	token := "ask"
	if strings.HasPrefix(a.path, "/v1/facts") {
		token = "secret"
	}
	r.Header.Set("Authorization", "Bearer "+token)
	if edit != nil {
		edit(r)
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w.Code
}

// documentedStatuses returns the statuses that openapi.yaml lists for each operation.
func documentedStatuses(t *testing.T) map[string][]int {
	t.Helper()
	doc, err := openapi3.NewLoader().LoadFromData(openAPI)
	require.NoError(t, err)
	all := map[string][]int{}
	for _, item := range doc.Paths.Map() {
		for _, operation := range item.Operations() {
			var statuses []int
			for code := range operation.Responses.Map() {
				status, err := strconv.Atoi(code)
				require.NoError(t, err)
				statuses = append(statuses, status)
			}
			slices.Sort(statuses)
			all[operation.OperationID] = statuses
		}
	}
	return all
}

// TestDescription has a second validator, besides the one that checks responses, read openapi.yaml, and wants
// no warnings.
func TestDescription(t *testing.T) {
	redocly := os.Getenv("EFOC_REDOCLY")
	if redocly == "" {
		t.Skip("it needs the program redocly of the npm package @redocly/cli, named by EFOC_REDOCLY")
	}
	command := exec.CommandContext(t.Context(), redocly, "lint", "--format=json", "openapi.yaml")
	command.Env = append(os.Environ(), "REDOCLY_TELEMETRY=off")
	out, err := command.Output()
	require.NoError(t, err)
	var found struct {
		Totals struct{ Errors, Warnings *int }
	}
	require.NoError(t, json.Unmarshal(out, &found))
	if n := found.Totals; n.Errors == nil || n.Warnings == nil || *n.Errors+*n.Warnings > 0 {
		t.Errorf("redocly finds mistakes:\n%s", out)
	}
}
