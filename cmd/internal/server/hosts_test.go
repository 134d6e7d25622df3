package server

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/efoc/efoc/cmd/internal/server/host"
	"github.com/efoc/efoc/testdata/require"
)

// TestHosts checks which hosts a server answers for: a page whose name somebody lets
// resolve to this machine must not get at it.
func TestHosts(t *testing.T) {
	for _, c := range []struct {
		hosts []string
		host  string
		want  int
	}{
		{nil, "evil.example", http.StatusOK},
		{[]string{"localhost"}, "localhost:8080", http.StatusOK},
		{[]string{"localhost"}, "LOCALHOST.", http.StatusOK},
		{[]string{"localhost"}, "efoc.localhost:8080", http.StatusOK},
		{[]string{"localhost"}, "127.0.0.1:8080", http.StatusOK},
		{[]string{"localhost"}, "127.8.9.10", http.StatusOK},
		{[]string{"localhost"}, "[::1]:8080", http.StatusOK},
		{[]string{"localhost"}, "[::1]", http.StatusOK},
		{[]string{"localhost"}, "evil.example:8080", http.StatusForbidden},
		{[]string{"localhost"}, "127.0.0.1.evil.example", http.StatusForbidden},
		{[]string{"localhost"}, "localhost.evil.example", http.StatusForbidden},
		{[]string{"localhost"}, "notlocalhost", http.StatusForbidden},
		{[]string{"localhost"}, "0.0.0.0:8080", http.StatusForbidden},
		{[]string{"localhost"}, "192.168.1.1", http.StatusForbidden},
		{[]string{"localhost"}, "", http.StatusForbidden},
		{[]string{"localhost"}, "graph.example", http.StatusForbidden},
		{[]string{"Graph.example"}, "graph.example:443", http.StatusOK},
		{[]string{"graph.example"}, "www.graph.example", http.StatusForbidden},
	} {
		s, err := New(t.Context(), Config{Options: host.Options{Open: openWorld}, Hosts: c.hosts})
		require.NoError(t, err)
		for _, path := range []string{"/v1/model", "/", "/healthz", "/openapi.yaml"} {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
			r.Host = c.host
			w := httptest.NewRecorder()
			s.ServeHTTP(w, r)
			if w.Code != c.want {
				t.Errorf("%v, %s of %s: status %d, want %d: %.200s", c.hosts, path, c.host, w.Code, c.want, w.Body)
			}
			if c.want == http.StatusForbidden && !strings.Contains(w.Body.String(), `"code":"foreign_host"`) {
				t.Errorf("%s of %s: %s", path, c.host, w.Body)
			}
		}
		s.Close()
	}
}
