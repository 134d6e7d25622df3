package load

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/efoc/efoc/cmd/internal/server"
	"github.com/efoc/efoc/codegen/shapes"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/testdata/require"
	"github.com/efoc/efoc/testdata/world"
)

// TestTargets writes the server's examples and queries of a file as targets, each of which the
// server answers.
func TestTargets(t *testing.T) {
	s, err := server.New(t.Context(), server.Config{
		Open: func(context.Context) (*runtime.Model, error) { return world.Open() }, Plans: shapes.Plans(),
	})
	require.NoError(t, err)
	defer s.Close()
	hs := httptest.NewServer(s)
	defer hs.Close()
	queries := filepath.Join(t.TempDir(), "queries.jsonl")
	line := `{"type":"1p","r1":2,"s1":3,"easy":[],"hard":[1]}` + "\n"
	require.NoError(t, os.WriteFile(queries, []byte(strings.Repeat(line, 3)), 0o600))
	for _, c := range []struct {
		name      string
		command   Command
		least     int
		semantics string
	}{
		{"examples", Command{}, 5, ""},
		{"queries", Command{Queries: queries, Limit: 2, Semantics: "fit"}, 2, "fit"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.command.Output, c.command.URL = filepath.Join(t.TempDir(), "targets"), hs.URL
			require.NoError(t, c.command.Run(t.Context()))
			text, err := os.ReadFile(c.command.Output)
			require.NoError(t, err)
			n := 0
			for line := range bytes.Lines(text) {
				var x target
				if err := json.Unmarshal(line, &x); err != nil {
					t.Fatalf("%s: %v", line, err)
				}
				r, err := http.NewRequestWithContext(t.Context(), x.Method, x.URL, bytes.NewReader(x.Body))
				require.NoError(t, err)
				r.Header = x.Header
				resp, err := http.DefaultClient.Do(r)
				require.NoError(t, err)
				var answer struct{ Semantics string }
				if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil || resp.StatusCode != http.StatusOK {
					t.Errorf("%s: %s, error %v", x.Body, resp.Status, err)
				}
				if c.semantics != "" && answer.Semantics != c.semantics {
					t.Errorf("answered by %q, want %q", answer.Semantics, c.semantics)
				}
				resp.Body.Close()
				n++
			}
			if n < c.least {
				t.Errorf("%d targets, want at least %d", n, c.least)
			}
		})
	}
	gone := Command{URL: hs.URL + "/none", Output: filepath.Join(t.TempDir(), "targets")}
	if err := gone.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "404") {
		t.Errorf("error %v, want the status", err)
	}
}
