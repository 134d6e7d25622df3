package server

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/testdata/require"
)

// TestCoverage asks for covering answers over HTTP and as an assistant: all of them, some, and as many as the server allows.
func TestCoverage(t *testing.T) {
	const formula = `borders("Brazil", y)`
	var all struct {
		Answers  []any
		Coverage runtime.Coverage
	}
	_, s := start(t, Config{})
	_, text := call(t, s, "GET", "/v1/ask?coverage=0.9&formula="+url.QueryEscape(formula), "")
	require.NoError(t, json.Unmarshal([]byte(text), &all))
	if c := all.Coverage; c.Level != 0.9 || c.Size < 11 || c.Size != len(all.Answers) {
		t.Fatalf("%d answers have the coverage %+v", len(all.Answers), c)
	}
	few := all
	_, text = call(t, s, "POST", "/v1/ask", `{"formula": "borders(\"Brazil\", y)", "coverage": 0.9, "k": 10}`)
	require.NoError(t, json.Unmarshal([]byte(text), &few))
	if len(few.Answers) != 10 || few.Coverage != all.Coverage {
		t.Errorf("%d answers have the coverage %+v", len(few.Answers), few.Coverage)
	}
	for _, body := range []string{`borders(\"Brazil\", y)", "coverage": 0.999`, `borders(\"Brazil\", y)", "coverage": 0.9, "offset": 1`, `count y: borders(\"Brazil\", y)", "coverage": 0.9`} {
		status, text := call(t, s, "POST", "/v1/ask", `{"formula": "`+body+`}`)
		if status != 400 || !strings.Contains(text, "coverage: ") {
			t.Errorf("%s: %d %s", body, status, text)
		}
	}
	for name, session := range assistants(t, Config{}) {
		for k, want := range map[int]string{0: " validation questions\n", 10: "the 10 shown are too few for that: raise k"} {
			text, failed := use(t, session, "ask", map[string]any{"formula": formula, "coverage": 0.9, "k": k})
			if failed || !strings.Contains(text, want) {
				t.Errorf("%s: %s, want %q", name, text, want)
			}
		}
	}
}
