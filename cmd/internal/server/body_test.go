package server

import (
	"io"
	"strings"
	"testing"

	"github.com/efoc/efoc/cmd/internal/server/host"
	"github.com/efoc/efoc/cmd/internal/server/transport"
	"github.com/efoc/efoc/testdata/require"
)

// TestDecodeTypes expects an error that names the field and the types of JSON, and no type of Go.
func TestDecodeTypes(t *testing.T) {
	for text, want := range map[string]string{
		`{"formula": 7}`:         "formula is a JSON number, want a string; see /openapi.yaml",
		`{"k": "3"}`:             "k is a JSON string, want an integer; see /openapi.yaml",
		`{"status": "known"}`:    "status is a JSON string, want an array; see /openapi.yaml",
		`{"status": [1]}`:        "status is a JSON number, want a string; see /openapi.yaml",
		`{"settings": [1]}`:      "settings is a JSON array, want an object; see /openapi.yaml",
		`{"in_range": 1}`:        "in_range is a JSON number, want true or false; see /openapi.yaml",
		`{"min_confidence": ""}`: "min_confidence is a JSON string, want a number; see /openapi.yaml",
		`{"args": {"a": [1]}}`:   "args is a JSON array, want a string; see /openapi.yaml",
		`["formula"]`:            "the request is a JSON array, want an object; see /openapi.yaml",
	} {
		if err := transport.DecodeText([]byte(text), &AskRequest{}); err == nil || err.Error() != want {
			t.Errorf("%s: error is %v, want %s", text, err, want)
		}
	}
}

// TestHead expects the header of a GET, without a body.
func TestHead(t *testing.T) {
	_, hs := start(t, Config{})
	for _, path := range []string{
		"/v1/ask?formula=capital(%22France%22,y)", "/v1/explain?formula=capital(%22France%22,y)", "/v1/ask?formula=x", "/v1/search?name=x", "/v1/model",
		"/v1/entity/France", "/v1/relation/capital", "/v1/missing?entity=France", "/v1/relations", "/sparql", "/sparql?query=ASK", "/healthz", "/", "/none",
	} {
		get, err := hs.Client().Get(hs.URL + path)
		require.NoError(t, err)
		get.Body.Close()
		head, err := hs.Client().Head(hs.URL + path)
		require.NoError(t, err)
		text, err := io.ReadAll(head.Body)
		require.NoError(t, err)
		head.Body.Close()
		if head.StatusCode != get.StatusCode || head.Header.Get("Content-Type") != get.Header.Get("Content-Type") || len(text) > 0 {
			t.Errorf("HEAD %s: %s %s %q, GET: %s %s", path, head.Status, head.Header.Get("Content-Type"), text, get.Status, get.Header.Get("Content-Type"))
		}
	}
}

// TestFew asks a server that allows fewer results than a request without a number has.
func TestFew(t *testing.T) {
	_, hs := start(t, Config{Options: host.Options{Limits: Limits{K: 2}}})
	for _, path := range []string{"/v1/ask?formula=borders(%22France%22,y)", "/v1/search?name=fran", "/v1/entity/France?", "/v1/relation/capital?", "/v1/missing?entity=France", "/v1/relations?"} {
		if status, text := call(t, hs, "GET", path, ""); status != 200 {
			t.Errorf("%s: status %d: %s", path, status, text)
		}
		if status, text := call(t, hs, "GET", path+"&k=3", ""); status != 400 || !strings.Contains(text, "k is 3, want 1 to 2") {
			t.Errorf("%s for 3: status %d: %s", path, status, text)
		}
	}
	status, text := call(t, hs, "POST", "/v1/batch", `{"queries":[{"formula":"exists x. borders(\"France\", x) & borders(x, y)"}]}`)
	if status != 200 || strings.Count(text, `"confidence"`) < 2 || strings.Contains(text, `"error"`) {
		t.Errorf("a batch: status %d: %s", status, text)
	}
}
