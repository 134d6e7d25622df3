package server

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/efoc/efoc/cmd/internal/server/host"
	"github.com/efoc/efoc/testdata/require"
)

// FuzzAsk sends any body to the endpoints that read one: whatever it is, it is
// answered with JSON, and never with a fault of the server.
func FuzzAsk(f *testing.F) {
	s, err := New(f.Context(), Config{Options: host.Options{Open: openWorld, Plans: plans, Limits: Limits{Messages: 40, K: 20, Formula: 500, Deadline: patience}}})
	require.NoError(f, err)
	f.Cleanup(s.Close)
	for _, body := range []string{
		`{"formula":"borders(\"Brazil\", y) & official_language(y, \"Spanish\")","k":3,"sets":1}`,
		`{"template":"query Q(s1, s2 entity, r1, r2 relation) f = $r1($s1, f) & !$r2($s2, f)","args":{"s1":"#5","s2":"Spain","r1":"borders^-1","r2":"#3"},"no_status":true}`,
		`{"template":"query Q(c entity) y = exists x. borders($c, x) & capital(x, y)","args":{"c":"France"}}`,
		`{"template":"query Q(s1, s2 entity, r1, r2 relation) f = $r1($s1, f) | $r2($s2, f)","args":{"s1":"#1","s2":"#2","r1":"#0","r2":"#1"},"settings":{"layers":3,"lambda":0.5}}`,
		`{"formula":"exists x. borders(\"France\", x) & borders(x, y) & borders(y, x)","semantics":"fit","entities":["Spain"]}`,
		`{"template":"query Q(s1, s2 entity, r1, r2 relation) f = $r1($s1, f) & !$r2($s2, f)","semantics":"mixed","args":{"s1":"#5","s2":"Spain","r1":"borders^-1","r2":"#3"},"settings":{"layers":4}}`,
		`{"template":"query Q(s1 entity, r1 relation) f = $r1($s1, f)","semantics":"FIT"}`,
		`{"queries":[{"formula":"x"},{"template":"query Q(s1 entity, r1 relation) f = $r1($s1, f)"}]}`, `{"formula":"borders(\"Köln`, `[]`, ``,
	} {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body string) {
		for _, path := range []string{"/v1/ask", "/v1/explain", "/v1/batch", "/v1/witness"} {
			w := httptest.NewRecorder()
			s.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodPost, path, strings.NewReader(body)))
			if w.Code >= 500 || !json.Valid(w.Body.Bytes()) {
				t.Errorf("%s: status %d: %s", path, w.Code, w.Body)
			}
		}
	})
}
