package server

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/efoc/efoc/cmd/internal/server/api"
	"github.com/efoc/efoc/cmd/internal/server/host"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/testdata/require"
)

// bearer sends a token with each request.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// assistants connect over HTTP and in memory, as over standard input and output.
func assistants(t *testing.T, c Config) map[string]*mcp.ClientSession {
	c.Token = "secret"
	s, hs := start(t, c)
	here, there := mcp.NewInMemoryTransports()
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.ServeMCP(ctx, there) }()
	t.Cleanup(func() {
		stop()
		<-done
	})
	sessions := map[string]*mcp.ClientSession{}
	for name, transport := range map[string]mcp.Transport{
		"memory": here,
		"http": &mcp.StreamableClientTransport{
			Endpoint: hs.URL + "/mcp", HTTPClient: &http.Client{Transport: bearer(c.Token)}, DisableStandaloneSSE: true,
		},
	} {
		session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), transport, nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		t.Cleanup(func() { session.Close() })
		sessions[name] = session
	}
	return sessions
}

// use calls a tool and returns its text.
func use(t *testing.T, session *mcp.ClientSession, tool string, args map[string]any) (text string, failed bool) {
	t.Helper()
	r, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	for _, c := range r.Content {
		text += c.(*mcp.TextContent).Text
	}
	return text, r.IsError
}

func TestMCPTools(t *testing.T) {
	neighbours := `exists x. borders("France", x) & capital(x, y)`
	for name, session := range assistants(t, Config{}) {
		t.Run(name, func(t *testing.T) {
			list, err := session.ListTools(t.Context(), nil)
			require.NoError(t, err)
			var names []string
			for _, tool := range list.Tools {
				names = append(names, tool.Name)
				if !tool.Annotations.ReadOnlyHint {
					t.Errorf("tool %s says that it writes", tool.Name)
				}
			}
			slices.Sort(names)
			if want := []string{"ask", "describe", "explain", "find"}; !slices.Equal(names, want) {
				t.Errorf("the tools are %v, want %v", names, want)
			}
			for _, x := range []struct {
				tool string
				args map[string]any
				want []string
			}{
				{"find", map[string]any{"name": "Frence"}, []string{"entity\tFrance\t"}},
				{"find", map[string]any{"kind": "relation", "k": 3}, []string{"relation\tborders\t"}},
				{"describe", map[string]any{"name": "France"}, []string{"entity France", "\tcapital\tParis\n", "\tterritory_of^-1\t", "predicted, not stored:\n", `("France", `, "\tconfidence 0."}},
				{"describe", map[string]any{"name": "capital^-1"}, []string{"relation capital", `capital("`}},
				{"describe", map[string]any{"name": "borders"}, []string{"relation borders", `borders("`}},
				{"ask", map[string]any{"formula": neighbours, "show": []string{"x"}}, []string{"rank\ty\tconfidence\tstatus\tx\n", "\tknown\tSwitzerland\n"}},
				{"explain", map[string]any{"formula": neighbours, "entities": []string{"Bern"}}, []string{`capital("Switzerland", "Bern")` + "\tstored fact"}},
				{"explain", map[string]any{"formula": neighbours, "entities": []string{"Lima"}, "why_not": true}, []string{`why not "Lima" (predicted`, "fails  ", ": not in the graph"}},
				{"ask", map[string]any{"formula": `x, y: borders("France", x) & capital(x, y)`, "k": 2}, []string{"rank\tx\ty\tconfidence\tstatus\n", "\tMonaco (city)\t", "more with offset 2"}},
			} {
				text, failed := use(t, session, x.tool, x.args)
				for _, want := range x.want {
					if failed || !strings.Contains(text, want) {
						t.Errorf("%s %v: failed %v, without %q:\n%s", x.tool, x.args, failed, want, text)
					}
				}
			}
			for _, x := range []struct {
				tool string
				args map[string]any
				want string
			}{
				{"ask", map[string]any{"formula": `borders("Frence", y)`}, `did you mean "France"`},
				{"ask", map[string]any{"formula": `borders(x, y)`}, "several free variables"},
				{"describe", map[string]any{"name": "Frence"}, `did you mean "France"`},
				{"explain", map[string]any{"formula": neighbours, "entities": []string{"Berne City"}}, "unknown entity"},
				{"ask", map[string]any{"formula": neighbours, "k": 1_000_000}, "k is 1000000, want 1 to 1000"},
				{"find", map[string]any{"name": "x", "kind": "town"}, "want entity or relation"},
				{"ask", map[string]any{"formula": neighbours, "colour": "red"}, "colour"},
				{"ask", map[string]any{"shape": "2p"}, "shape"},
				{"describe", map[string]any{"name": strings.Repeat("x", 1<<16)}, "the name has 65536 bytes, over the limit"},
				{"describe", map[string]any{"k": 1}, "unknown entity"},
			} {
				if text, failed := use(t, session, x.tool, x.args); !failed || !strings.Contains(text, x.want) {
					t.Errorf("%s %v: failed %v, without %q:\n%s", x.tool, x.args, failed, x.want, text)
				}
			}
		})
	}
}

// What an assistant is told agrees with what POST /v1/ask answers.
func TestMCPAnswers(t *testing.T) {
	formula := `borders("Brazil", y) & official_language(y, "Spanish")`
	_, hs := start(t, Config{})
	_, body := call(t, hs, "POST", "/v1/ask", jsonText(t, map[string]any{"formula": formula, "k": 5}))
	want := "rank\ty\tconfidence\tstatus\n"
	answers := unmarshal[answersOf](t, body)
	for i, a := range answers.Answers {
		want += fmt.Sprintf("%d\t%s\t%.2f\t%s\n", i+1, a.Label, a.Confidence, a.Status)
	}
	if len(answers.Answers) != 5 {
		t.Fatalf("%d answers, want 5", len(answers.Answers))
	}
	for name, session := range assistants(t, Config{}) {
		if text, _ := use(t, session, "ask", map[string]any{"formula": formula, "k": 5}); !strings.HasPrefix(text, want) {
			t.Errorf("%s: got\n%swant\n%s", name, text, want)
		}
	}
}

// However much is asked for, the text stays within its limit and says what it lacks.
func TestMCPLength(t *testing.T) {
	const limit = 600
	for name, session := range assistants(t, Config{Options: host.Options{Limits: Limits{ToolBytes: limit}}}) {
		text, failed := use(t, session, "ask", map[string]any{"formula": `in_continent(y, "Europe")`, "k": 200})
		body, note, _ := strings.Cut(text, "[")
		if failed || len(body) > limit || !regexp.MustCompile(`^\d+ more lines left out`).MatchString(note) {
			t.Errorf("%s: failed %v, %d bytes, want %d at most, and a note of what is left out:\n%s", name, failed, len(body), limit, text)
		}
		if !strings.HasSuffix(body, "\n") {
			t.Errorf("%s: a line was cut in two:\n%s", name, body)
		}
		// Notes on a reply are not cut, whatever it asks for.
		for _, formula := range []string{`in_continent(y, "Europe")`, `x, y: borders(x, y)`, `count y: borders("France", y)`, `borders("France", "Spain")`} {
			text, _ := use(t, session, "ask", map[string]any{"formula": formula, "k": 200, "assume": []string{`borders("Atlantis", "Spain")`}})
			if !strings.Contains(text, "Atlantis") {
				t.Errorf("%s: %s: no note that Atlantis is new:\n%s", name, formula, text)
			}
		}
		covers, _ := use(t, session, "ask", map[string]any{"formula": `in_continent(y, "Europe")`, "coverage": 0.9})
		if !strings.Contains(covers, "hold all true ones") {
			t.Errorf("%s: no note on what the answers hold:\n%s", name, covers)
		}
		// Errors quote what was sent.
		for tool, args := range map[string]map[string]any{
			"describe": {"name": strings.Repeat("ö", 1000)}, "explain": {"formula": `borders("France", y)`, "entities": []string{strings.Repeat("a", 100_000)}},
			"ask": {"formula": strings.Repeat(`borders("Nowhere at all", y) & `, 50) + `borders("France", y)`},
		} {
			if text, failed := use(t, session, tool, args); !failed || len(text) > limit+len("…") || !utf8.ValidString(text) || !strings.Contains(text, "unknown") {
				t.Errorf("%s: %s: failed %v with %d bytes, want %d at most: %.200s", name, tool, failed, len(text), limit, text)
			}
		}
	}
}

// An assistant that may write adds a fact and sees it in the next answer. One over HTTP may not.
func TestMCPWrites(t *testing.T) {
	c := factsConfig(t)
	c.FactsToken, c.ToolsWrite = "", true
	sessions := assistants(t, c)
	ask := func() string {
		text, _ := use(t, sessions["memory"], "ask", map[string]any{"formula": `borders("Iceland", y)`, "status": []string{"known"}})
		return text
	}
	if text := ask(); text != "no answers\n" {
		t.Fatalf("before the change: %s", text)
	}
	for _, x := range []struct {
		args   map[string]any
		failed bool
		want   string
	}{
		{map[string]any{"add": [][]string{{"Iceland", "borders", "Norwey"}}}, true, `did you mean "Norway"`},
		{map[string]any{"add": [][]string{{"Iceland", "borders"}}}, true, "has 2 names, want three"},
		{map[string]any{}, true, "want facts"},
		{map[string]any{"add": [][]string{{"Iceland", "borders", "Norway"}, {"Rockall", "borders", "Iceland"}}, "new": true}, false, "added 2, there already 0"},
		{map[string]any{"add": [][]any{{"Iceland", "population", 389_000}}, "new": true}, false, "new attribute population"},
		{map[string]any{"add": [][]any{{"Iceland", "population", 390_000}}, "replace": true}, false, "added 1, there already 0, removed 1"},
		{map[string]any{"add": [][]any{{"Iceland", "population", 9007199254740993}}}, true, "add[0].tail: population is a number, such as 12.5: 9007199254740993 would be read as 9007199254740992"},
		{map[string]any{"add": [][]any{{"Iceland", "borders", 9007199254740993}}}, true, `unknown entity "9007199254740993"`},
		{map[string]any{"add": [][]any{{"Iceland", "population", "many"}}}, true, `population is a number, such as 12.5: "many" is not a number`},
	} {
		if text, failed := use(t, sessions["memory"], "change", x.args); failed != x.failed || !strings.Contains(text, x.want) {
			t.Errorf("%v: failed %v, without %q:\n%s", x.args, failed, x.want, text)
		}
	}
	if text := ask(); !strings.Contains(text, "\tNorway\t1.00\tknown") {
		t.Errorf("after the change: %s", text)
	}
	if text, _ := use(t, sessions["memory"], "describe", map[string]any{"name": "Rockall"}); !strings.Contains(text, "entity Rockall, 1 fact\n") {
		t.Errorf("the new entity: %s", text)
	}
	if text, _ := use(t, sessions["memory"], "describe", map[string]any{"name": "Iceland"}); !strings.Contains(text, "\tpopulation\t390000\n") {
		t.Errorf("the entity with a value: %s", text)
	}
	for _, name := range []string{"", "popul"} {
		if text, _ := use(t, sessions["memory"], "find", map[string]any{"name": name}); !strings.Contains(text, "attribute\tpopulation\t1 number\n") {
			t.Errorf("attributes like %q: %s", name, text)
		}
	}
	if text, _ := use(t, sessions["memory"], "find", map[string]any{"name": "popul", "kind": "relation"}); strings.Contains(text, "attribute") {
		t.Errorf("relations: %s", text)
	}
	if text, _ := use(t, sessions["memory"], "explain", map[string]any{"formula": `borders("Norway", y) & population(y) > 1000`, "entities": []string{"Iceland"}}); !strings.Contains(text, "population(\"Iceland\") = 390000, added ") {
		t.Errorf("the explanation by a value: %s", text)
	}
	list, err := sessions["memory"].ListTools(t.Context(), nil)
	if err != nil || len(list.Tools) != 5 {
		t.Errorf("%v and %d tools, want 5", err, len(list.Tools))
	}
	if list, err = sessions["http"].ListTools(t.Context(), nil); err != nil || len(list.Tools) != 4 {
		t.Errorf("over HTTP: %v and %d tools, want 4", err, len(list.Tools))
	}
}

// A tool that takes longer than a request may says so, and the session goes on.
func TestMCPDeadline(t *testing.T) {
	for name, session := range assistants(t, Config{Options: host.Options{Limits: Limits{Deadline: time.Nanosecond}}}) {
		for range 2 {
			if text, failed := use(t, session, "ask", map[string]any{"formula": `borders("France", y)`}); !failed || !strings.Contains(text, "took longer than") {
				t.Errorf("%s: failed %v with %q, want that it took too long", name, failed, text)
			}
		}
	}
}

// TestMCPHTTP refuses arrays of messages, and ends calls whose client has gone away.
func TestMCPHTTP(t *testing.T) {
	s, hs := start(t, Config{Options: host.Options{Limits: Limits{Deadline: patience}}})
	header := http.Header{"Accept": {"application/json, text/event-stream"}, "Content-Type": {"application/json"}}
	const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask","arguments":{"formula":"borders(\"France\", y)"}}}`
	for _, body := range []string{"[" + call + "]", " []", "[" + strings.Repeat(call+",", 3000) + call} {
		if status, text, _ := callWith(t, hs, "POST", "/mcp", body, header); status != http.StatusBadRequest || !strings.Contains(text, "send each by itself") {
			t.Errorf("%.80s: status %d: %s", body, status, text)
		}
	}
	free := s.occupy()
	defer free()
	ctx, cancel := context.WithCancel(t.Context())
	req, err := http.NewRequestWithContext(ctx, "POST", hs.URL+"/mcp", strings.NewReader(call))
	require.NoError(t, err)
	req.Header = header
	var wg sync.WaitGroup
	wg.Go(func() {
		if resp, err := http.DefaultClient.Do(req); err == nil {
			resp.Body.Close()
			t.Errorf("status %d for a client that went away", resp.StatusCode)
		}
	})
	until(t, "it waits", func() bool { return s.taken().InFlight > 0 })
	cancel()
	wg.Wait()
	until(t, "nothing is in flight", func() bool { return s.taken().InFlight == 0 })
}

func TestMCPRefused(t *testing.T) {
	_, hs := start(t, Config{Token: "secret"})
	if status, text := call(t, hs, "POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"ping"}`); status != http.StatusUnauthorized {
		t.Errorf("without the token: status %d, want 401: %s", status, text)
	}
	// A tool that panics ends its call alone.
	file := &lang.File{}
	s, _ := start(t, Config{Templates: file})
	file.Queries = []*lang.Query{nil}
	here, there := mcp.NewInMemoryTransports()
	go s.ServeMCP(t.Context(), there)
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), here, nil)
	require.NoError(t, err)
	for range 2 {
		if text, failed := use(t, session, "templates", nil); !failed || !strings.Contains(text, "internal error") {
			t.Errorf("failed %v with %q, want an internal error", failed, text)
		}
	}
	if n := s.taken().InFlight; n != 0 {
		t.Errorf("%d requests in flight, want 0", n)
	}
}

func TestEntityAndRelation(t *testing.T) {
	_, hs := start(t, Config{})
	_, text := call(t, hs, "GET", "/v1/entity/France?k=3", "")
	e := unmarshal[api.EntityInfo](t, text)
	sum := 0
	for _, l := range e.Links {
		sum += l.Count
		if len(l.Entities) != min(l.Count, 3) {
			t.Errorf("%s: %d entities of %d, want 3 at most", l.Relation, len(l.Entities), l.Count)
		}
		// Each group of links is what the question for it answers from the graph.
		_, text := call(t, hs, "POST", "/v1/ask", jsonText(t, map[string]any{
			"formula": l.Relation + `("France", y)`, "k": 1000, "status": []string{"known"},
		}))
		var known []string
		for _, a := range unmarshal[answersOf](t, text).Answers {
			known = append(known, a.Name)
		}
		if len(known) != l.Count {
			t.Errorf("%s: %d links, but %d known answers", l.Relation, l.Count, len(known))
		}
		for _, x := range l.Entities {
			if !slices.Contains(known, x.Name) {
				t.Errorf("%s: %s is linked, but no known answer", l.Relation, x.Name)
			}
		}
	}
	if sum != e.Facts || sum == 0 {
		t.Errorf("%d links, want the %d facts", sum, e.Facts)
	}
	_, text = call(t, hs, "GET", "/v1/relation/capital", "")
	r := unmarshal[api.RelationInfo](t, text)
	if r.Heads < 150 || r.Tails > r.Facts || len(r.Examples) != 10 {
		t.Errorf("capital: %d heads, %d tails, %d facts, %d examples", r.Heads, r.Tails, r.Facts, len(r.Examples))
	}
	for path, want := range map[string]int{
		"/v1/entity/Frence": 404, "/v1/relation/capitol": 404, "/v1/entity/France?k=0": 400, "/v1/entity/France?kk=3": 400,
		"/v1/entity/France?relation=borders&offset=-1": 400, "/v1/entity/France?relation=bordars": 404, "/v1/entity/France?offset=9223372036854775807": 200,
	} {
		if status, text := call(t, hs, "GET", path, ""); status != want {
			t.Errorf("%s: status %d, want %d: %s", path, status, want, text)
		}
	}
}
