package server

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/efoc/efoc/cmd/internal/server/api"
	"github.com/efoc/efoc/cmd/internal/server/host"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/facts"
	"github.com/efoc/efoc/testdata/require"
)

// factsConfig is that of a server that changes the facts of a copy of the world.
func factsConfig(t *testing.T) Config {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "efoc", "world", "world.efoc"))
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "world.efoc")
	require.NoError(t, os.WriteFile(path, text, 0o644))
	return Config{
		Options: host.Options{
			File: path,
			Open: func(context.Context) (*runtime.Model, error) { return runtime.Open(path) },
		},
		FactsToken: "secret",
		Token:      "ask",
	}
}

func withToken(token string, more ...string) http.Header {
	h := http.Header{"Authorization": {"Bearer " + token}}
	for i := 0; i < len(more); i += 2 {
		h[more[i]] = []string{more[i+1]}
	}
	return h
}

// TestFacts changes facts and asks again: the status of an answer follows, also after the
// model was reloaded and in a server that is started anew.
func TestFacts(t *testing.T) {
	c := factsConfig(t)
	s, hs := start(t, c)
	status := func(want string) {
		t.Helper()
		_, text, _ := callWith(t, hs, "POST", "/v1/ask", `{"formula": "borders(\"Brazil\", y) & official_language(y, \"Spanish\")", "k": 30}`, withToken("ask"))
		var r struct {
			Answers []struct{ Name, Label, Status string }
		}
		require.NoError(t, json.Unmarshal([]byte(text), &r))
		for _, a := range r.Answers {
			if a.Label == "Peru" {
				if a.Status != want {
					t.Errorf("Peru is %s, want %s", a.Status, want)
				}
				return
			}
		}
		t.Errorf("Peru is not an answer: %s", text)
	}
	change := func(body, key string, want int, part string) {
		t.Helper()
		got, text, _ := callWith(t, hs, "POST", "/v1/facts", body, withToken("secret", api.KeyHeader, key))
		if got != want || !strings.Contains(text, part) {
			t.Errorf("%.200s: status %d, %.400s, want %d, %s", body, got, text, want, part)
		}
	}
	status("confirmed")
	const add = `{"add": [["Brazil", "borders", "Peru"], ["Peru", "official_language", "Spanish"]]}`
	change(add, "k1", 200, `"added":`)
	status("known")
	change(add, "k1", 200, `"repeated":true`)
	change(add, "k2", 200, `"added":0,"present":2`)
	change(`{"remove": [["Brazil", "borders", "Peru"]]}`, "k1", 422, "key_reused")
	change(`{"add": [["Brazil", "borders", "Chile"], ["Brazil", "borders", "Peruu"]]}`, "k3", 404, `add[1].tail: unknown entity`)
	change(`{"add": [["Brazil", "borders", "Peruu"]]}`, "k3", 404, `send \"new\": true if it is new`)
	change(`{"add": [["Brazil", "bordrs", "Peru"]]}`, "k3", 404, `"suggestions":["borders"`)
	change(`{"add": [["Brazil", "borders"]]}`, "k3", 400, "add[0] has 2 names")
	change(`{}`, "k3", 400, "want facts")
	for _, key := range []string{strings.Repeat("k", 256), "\xff", "é"} {
		change(add, key, 400, "the key is ")
	}
	change(`{"by": "ann\nbob", "add": [["Brazil", "borders", "Peru"]]}`, "", 400, "by is ")
	change(`{"new": true, "add": [["Peru", "borders", "Brazil"], ["Atlantis", "area", 5]]}`, "", 400, `add[1].head: new entity \"Atlantis\" has no facts`)
	fresh := func(name string) string {
		return `{"new": true, "add": [["Peru", "borders", "Brazil"], ["Peru", "borders", ` + jsonText(t, name) + `]]}`
	}
	change(fresh(""), "k3", 400, "add[1].tail: the name is empty")
	change(fresh("a\u0000b"), "k3", 400, "add[1].tail: the name has the character U+0000")
	change(fresh(strings.Repeat("x", 900_000)), "k3", 400, "add[1].tail: the model has no name of these 900000 bytes, and a new one has at most 4096")
	change(strings.Replace(fresh(strings.Repeat("x", 900_000)), "true", "false", 1), "k3", 400, "add[1].tail: the model has no name of these 900000 bytes")
	var many [][]string
	for i := range 1001 {
		many = append(many, []string{fmt.Sprint("new ", i), "borders", "Peru"})
	}
	change(jsonText(t, map[string]any{"new": true, "add": many}), "k3", 400, "add[1000].head: more than 1000 new entities")
	status("known")
	require.NoError(t, s.Reload(t.Context()))
	status("known")
	change(add, "k1", 200, `"repeated":true`)
	if _, err := New(t.Context(), c); err == nil || !strings.Contains(err.Error(), "is being written by another program") {
		t.Errorf("a second server: error %v", err)
	}
	change(`{"remove": [["Brazil", "borders", "Peru"], ["Peru", "borders", "Brazil"]]}`, "k4", 200, `"removed":`)
	status("predicted")
	hs.Close()
	s.Close()
	_, hs = start(t, c)
	status("predicted")
	_, text, _ := callWith(t, hs, "GET", "/metrics", "", withToken("ask"))
	if !strings.Contains(text, "efoc_facts 6") {
		t.Error("the metrics do not count facts")
	}
}

// TestCompact compacts while clients ask and change facts. The server answers by the new
// file then, and one that is started anew finds all facts.
func TestCompact(t *testing.T) {
	c := factsConfig(t)
	s, hs := start(t, c)
	post := func(path, body string, token string, want int) string {
		t.Helper()
		got, text, _ := callWith(t, hs, "POST", path, body, withToken(token))
		if got != want {
			t.Errorf("%s %s: status %d, %s, want %d", path, body, got, text, want)
		}
		return text
	}
	post("/v1/facts/compact", "", "ask", 401)
	if text := post("/v1/facts/compact", "", "secret", 200); !strings.Contains(text, `"changes":0`) {
		t.Error(text)
	}
	post("/v1/facts", `{"new": true, "add": [["Atlantis", "borders", "Peru"]]}`, "secret", 200)
	m, _ := s.inUse()
	opened, before := m.Bundle().Identity(), m.Now().Bundle().Graph.NumTriples()
	var wg sync.WaitGroup
	const writers, each = 3, 20
	for w := range writers {
		wg.Go(func() {
			for i := range each {
				post("/v1/facts", fmt.Sprintf(`{"new": true, "add": [["town %d %d", "borders", "Peru"]]}`, w, i), "secret", 200)
				post("/v1/ask", `{"formula": "borders(\"Atlantis\", y)", "k": 1}`, "ask", 200)
			}
		})
	}
	for range 3 {
		post("/v1/facts/compact", "", "secret", 200)
	}
	wg.Wait()
	text := post("/v1/facts/compact", "", "secret", 200)
	if want := fmt.Sprintf(`"facts":%d`, before+writers*each); !strings.Contains(text, want) {
		t.Errorf("%s, want %s", text, want)
	}
	if m, _ = s.inUse(); m.Bundle().Identity() == opened {
		t.Error("the server does not answer by the new file")
	}
	hs.Close()
	s.Close()
	m, err := runtime.Open(c.File)
	if err != nil || m.Bundle().Graph.NumTriples() != before+writers*each || m.Bundle().Journal().Batches != 0 {
		t.Errorf("error %v", err)
	}
	m.Close()
	_, fixed := start(t, Config{})
	if got, text := call(t, fixed, "POST", "/v1/facts/compact", ""); got != 403 {
		t.Errorf("no token: status %d, %s", got, text)
	}
}

// TestFactsRefused sends facts without the right token, and to servers that change none.
func TestFactsRefused(t *testing.T) {
	c := factsConfig(t)
	c.Limits.Facts = 2
	_, hs := start(t, c)
	const add = `{"add": [["Brazil", "borders", "Peru"]]}`
	for _, token := range []string{"", "ask", "secret2"} {
		if got, text, _ := callWith(t, hs, "POST", "/v1/facts", add, withToken(token)); got != 401 || !strings.Contains(text, "token for facts") {
			t.Errorf("token %q: status %d, %s", token, got, text)
		}
	}
	if got, text, _ := callWith(t, hs, "POST", "/v1/facts", `{"add": [["a","b","c"],["a","b","c"]], "remove": [["a","b","c"]]}`, withToken("secret")); got != 413 {
		t.Errorf("too many facts: status %d, %s", got, text)
	}
	_, fixed := start(t, Config{})
	if got, text := call(t, fixed, "POST", "/v1/facts", add); got != 403 || !strings.Contains(text, "--facts-token-file") {
		t.Errorf("no token: status %d, %s", got, text)
	}
}

// TestFollow has another program add facts beside a server that watches: it answers with
// them, and does not open the model again.
func TestFollow(t *testing.T) {
	c := factsConfig(t)
	c.FactsToken, c.Token = "", ""
	opened := 0
	open := c.Open
	c.Open = func(ctx context.Context) (*runtime.Model, error) { opened++; return open(ctx) }
	s, hs := start(t, c)
	ctx, stop := context.WithCancel(t.Context())
	watched := make(chan struct{})
	go func() { defer close(watched); s.Watch(ctx, time.Millisecond) }()
	defer func() { stop(); <-watched }()
	count := func() (r struct{ Facts int }) {
		_, text := call(t, hs, "GET", "/v1/model", "")
		require.NoError(t, json.Unmarshal([]byte(text), &r))
		return r
	}
	before := count().Facts
	m, err := runtime.Open(c.File)
	require.NoError(t, err)
	defer m.Close()
	store, err := facts.Open(c.File, m)
	require.NoError(t, err)
	defer store.Close()
	if done, err := store.Apply(t.Context(), facts.Change{Add: []facts.Fact{{"Peru", "borders", "Poland"}}}); err != nil || done.Added != 1 {
		t.Fatalf("%+v, error %v", done, err)
	}
	for count().Facts != before+1 {
		time.Sleep(time.Millisecond)
	}
	if opened != 1 {
		t.Errorf("the model was opened %d times", opened)
	}
}

// TestNewEntities adds an entity while the server answers, and asks for it and from it.
func TestNewEntities(t *testing.T) {
	_, hs := start(t, factsConfig(t))
	ask := func(formula, want string) {
		t.Helper()
		body := `{"formula": ` + strconv.Quote(formula) + `, "k": 5}`
		if got, text, _ := callWith(t, hs, "POST", "/v1/ask", body, withToken("ask")); got != 200 || !strings.Contains(text, want) {
			t.Errorf("%s: status %d, %s, want %s", formula, got, text, want)
		}
	}
	ask(`borders("Portugal", y)`, "Spain")
	const add = `[["Atlantis", "official_language", "Portuguese"], ["Portugal", "borders", "Atlantis"]]`
	if got, text, _ := callWith(t, hs, "POST", "/v1/facts", `{"add": `+add+`}`, withToken("secret")); got != 404 || !strings.Contains(text, `unknown entity`) {
		t.Errorf("status %d, %s", got, text)
	}
	for _, want := range []string{`"entities":["Atlantis"]`, `"added":0,"present":2`} {
		if got, text, _ := callWith(t, hs, "POST", "/v1/facts", `{"new": true, "add": `+add+`}`, withToken("secret")); got != 200 || !strings.Contains(text, want) {
			t.Errorf("status %d, %s, want %s", got, text, want)
		}
	}
	ask(`borders("Portugal", y) & official_language(y, "Portuguese")`, "Atlantis")
	ask(`exists x. borders("Atlantis", x) & official_language(x, y)`, "Portuguese")
}
