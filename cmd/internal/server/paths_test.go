package server

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/efoc/efoc/cmd/internal/server/host"
	"github.com/efoc/efoc/testdata/require"
)

// TestNoPaths checks that no response, nor any error, has a path of the server's disk: not while
// the model's file is as it should be, nor when it is damaged, nor when its folder is gone.
func TestNoPaths(t *testing.T) {
	c := factsConfig(t)
	_, hs := start(t, c)
	folder, refused := filepath.Dir(c.File), 0
	visit := func() {
		t.Helper()
		for _, v := range []struct{ method, path, body, token string }{
			{"GET", "/", "", "ask"}, {"GET", "/metrics", "", "ask"}, {"GET", "/readyz", "", "ask"}, {"GET", "/openapi.yaml", "", "ask"}, {"GET", "/sparql?query=x", "", "ask"},
			{"GET", "/v1/model", "", "ask"}, {"GET", "/v1/examples", "", "ask"}, {"GET", "/v1/entity/France", "", "ask"},
			{"GET", "/v1/nothing", "", "ask"}, {"GET", "/v1/ask?formula=x", "", "ask"}, {"GET", "/static/nothing.js", "", "ask"},
			{"POST", "/v1/ask", jsonText(t, AskRequest{Question: Question{Formula: spanish}}), "ask"},
			{"POST", "/v1/facts", `{"add": [["Brazil", "borders", "Peru"]]}`, "secret"},
			{"POST", "/v1/facts", `{"new": true, "add": [["A", "b", "C"]]}`, "secret"},
			{"POST", "/v1/facts/compact", "", "secret"},
			{"POST", "/v1/reload", "", "ask"},
			{"POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask","arguments":{"formula":"x"}}}`, "ask"},
		} {
			status, text, _ := callWith(t, hs, v.method, v.path, v.body, withToken(v.token, "Accept", "application/json, text/event-stream"))
			if strings.Contains(text, folder) {
				t.Errorf("%s %s: status %d: %s", v.method, v.path, status, text)
			}
			if v.path == "/v1/reload" && status != http.StatusOK {
				refused++
				if !strings.Contains(text, "world.efoc") {
					t.Errorf("the reason does not name the file: %s", text)
				}
			}
		}
	}
	visit()
	require.NoError(t, os.WriteFile(c.File+".new", []byte("damaged"), 0o600))
	require.NoError(t, os.Rename(c.File+".new", c.File))
	visit()
	require.NoError(t, os.RemoveAll(folder))
	visit()
	if refused != 2 {
		t.Errorf("%d reloads were refused, want those of a damaged file and of none", refused)
	}
}

// TestWithoutPaths checks messages that have the file's path in it, however it was given.
func TestWithoutPaths(t *testing.T) {
	here, err := os.Getwd()
	require.NoError(t, err)
	for _, v := range []struct{ file, message, want string }{
		{"", "open /a/b: see /openapi.yaml", "open /a/b: see /openapi.yaml"},
		{"/srv/m.efoc", "open /srv/m.efoc.journal: no room for /srv/.m1: see /openapi.yaml", "open m.efoc.journal: no room for .m1: see /openapi.yaml"},
		{"/m.efoc", "open /m.efoc: see /openapi.yaml", "open m.efoc: see /openapi.yaml"},
		{"m.efoc", fmt.Sprintf("open %s/m.efoc: ./m.efoc", here), "open m.efoc: ./m.efoc"},
		{"../x/m.efoc", fmt.Sprintf("open ../x/m.efoc, %s/x/m.efoc", filepath.Dir(here)), "open m.efoc, m.efoc"},
	} {
		if got := (&host.Host{Options: host.Options{File: v.file}}).WithoutPaths(v.message); got != v.want {
			t.Errorf("%s: %s, want %s", v.file, got, v.want)
		}
	}
}
