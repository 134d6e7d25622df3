package main

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/efoc/efoc/testdata/long"
	"github.com/efoc/efoc/testdata/require"
)

// TestDocumentedClient runs the program of go.md that asks a server: with a question, with a mistake,
// against a server that refuses the first request for a second, and against a proxy without a server.
func TestDocumentedClient(t *testing.T) {
	program := goProgram(t, "cmd/efoc/docs/go.md")
	s := serve(t)
	target, err := url.Parse(s.url)
	require.NoError(t, err)
	forward := httputil.NewSingleHostReverseProxy(target)
	refusals := 1
	busy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if refusals--; refusals < 0 {
			forward.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Retry-After", "1")
		http.Error(w, `{"error":{"code":"overloaded"}}`, http.StatusTooManyRequests)
	}))
	t.Cleanup(busy.Close)
	alone := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "<html>", http.StatusBadGateway)
	}))
	t.Cleanup(alone.Close)

	cases := []struct{ server, country, want string }{
		{busy.URL, "France", "Paris known"},
		{s.url, "France", "Paris known"},
		{s.url, "Frence", "unknown_name: "},
		{alone.URL, "France", "502 Bad Gateway: "},
	}
	for _, c := range long.Or(cases, cases[:1]) { // each is built
		text := strings.Replace(program, "http://127.0.0.1:8080", c.server, 1)
		file := write(t, filepath.Join(t.TempDir(), "main.go"), strings.Replace(text, "France", c.country, 1))
		out, _ := exec.CommandContext(t.Context(), "go", "run", file).CombinedOutput() // it fails with the mistake
		if !strings.Contains(string(out), c.want) {
			t.Errorf("%s: got %s, want %s", c.country, out, c.want)
		}
	}
	if refusals >= 0 {
		t.Error("the refused request was not sent again")
	}
}

// goProgram returns the Go program that stands on a page.
func goProgram(t *testing.T, file string) string {
	t.Helper()
	for _, p := range documentation(t) {
		for _, b := range p.Blocks {
			if strings.HasSuffix(b.File, file) && strings.HasPrefix(b.Text, "package main") {
				return b.Text
			}
		}
	}
	t.Fatalf("%s has no program", file)
	return ""
}
