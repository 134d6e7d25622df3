package server

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/efoc/efoc/testdata/require"
)

// packaged is the folder with what operates efoc serve.
var packaged = filepath.Join("..", "..", "efoc", "package")

// boardExpressions returns the expressions of the panels of the Grafana board.
func boardExpressions(t *testing.T) (list []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(packaged, "grafana.json"))
	require.NoError(t, err)
	var board struct {
		Panels []struct {
			ID      int
			Title   string
			GridPos struct{ X, Y, W, H int }
			Targets []struct{ Expr string }
		}
		Annotations struct{ List []struct{ Expr string } }
	}
	require.NoError(t, json.Unmarshal(text, &board))
	ids := map[int]bool{}
	for _, p := range board.Panels {
		if ids[p.ID] || p.Title == "" || p.GridPos.W < 1 || p.GridPos.X+p.GridPos.W > 24 {
			t.Errorf("panel %+v: want an id of its own, a title and a place", p)
		}
		ids[p.ID] = true
		for _, target := range p.Targets {
			list = append(list, target.Expr)
		}
	}
	for _, a := range board.Annotations.List {
		list = append(list, a.Expr)
	}
	return list
}

// TestBoard checks that the metrics and labels of the Grafana board and of the rules for alerts
// are those of a server on which all has happened that is counted.
func TestBoard(t *testing.T) {
	_, hs := start(t, factsConfig(t))
	for _, c := range []struct{ path, body, token string }{
		{"/v1/ask", jsonText(t, AskRequest{Question: Question{Formula: spanish}}), "ask"},
		{"/v1/reload", "", "ask"},
		{"/v1/facts", `{"add": [["Brazil", "borders", "Peru"]]}`, "secret"},
		{"/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"find","arguments":{"name":"Peru"}}}`, "ask"},
	} {
		if status, text, _ := callWith(t, hs, "POST", c.path, c.body, withToken(c.token, "Accept", "application/json, text/event-stream")); status != http.StatusOK {
			t.Fatalf("%s: status %d: %s", c.path, status, text)
		}
	}
	_, text, _ := callWith(t, hs, "GET", "/metrics", "", withToken("ask"))
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(text))
	require.NoError(t, err)
	labels := map[string]map[string]bool{}
	for name, f := range families {
		of := map[string]bool{"job": true, "instance": true, "le": f.GetType().String() == "HISTOGRAM"}
		for _, m := range f.Metric {
			for _, l := range m.Label {
				of[l.GetName()] = true
			}
			of["quantile"] = m.Summary != nil
		}
		labels[name] = of
	}
	labels["up"] = map[string]bool{"job": true} // Prometheus' own

	alerts, err := os.ReadFile(filepath.Join(packaged, "alerts.yaml"))
	require.NoError(t, err)
	metric := regexp.MustCompile(`\b((?:efoc|go|process|promhttp)_\w+|up)\{([^}]*)\}`)
	label := regexp.MustCompile(`(\w+)=`)
	used := map[string]bool{}
	for _, expression := range append(boardExpressions(t), string(alerts)) {
		found := metric.FindAllStringSubmatch(expression, -1)
		if len(found) == 0 {
			t.Errorf("%s: names no metric", expression)
		}
		for _, m := range found {
			name := m[1]
			for _, part := range []string{"_bucket", "_sum", "_count"} {
				if base, ok := strings.CutSuffix(name, part); ok && labels[base]["le"] {
					name = base
				}
			}
			if used[name] = true; labels[name] == nil {
				t.Errorf("%s: the server has no metric %s", expression, m[1])
			}
			for _, l := range label.FindAllStringSubmatch(m[2], -1) {
				if !labels[name][l[1]] {
					t.Errorf("%s: metric %s has no label %s", expression, name, l[1])
				}
			}
		}
		for _, by := range regexp.MustCompile(`sum by \(([\w, ]+)\) \(rate\((\w+?)(?:_bucket|_count)?\{`).FindAllStringSubmatch(expression, -1) {
			for l := range strings.SplitSeq(by[1], ", ") {
				if !labels[by[2]][l] {
					t.Errorf("%s: metric %s has no label %s", expression, by[2], l)
				}
			}
		}
	}
	for name, f := range families {
		if strings.HasPrefix(name, "efoc_") && (!used[name] || f.GetHelp() == "") {
			t.Errorf("metric %s is neither on the board nor in a rule, or has no description: %q", name, f.GetHelp())
		}
	}
}

// TestAlerts has Prometheus' own tool check the rules for alerts, try them on made-up series,
// and read the expressions of the board.
func TestAlerts(t *testing.T) {
	promtool, err := exec.LookPath("promtool")
	if err != nil {
		if promtool = os.Getenv("EFOC_PROMTOOL"); promtool == "" {
			t.Skip("needs promtool, by PATH or EFOC_PROMTOOL")
		}
	}
	rules := "groups: [{name: board, rules: ["
	for i, e := range slices.Compact(boardExpressions(t)) {
		quoted, err := json.Marshal(strings.ReplaceAll(e, "$__rate_interval", "1m"))
		require.NoError(t, err)
		rules += fmt.Sprintf("{record: panel_%d, expr: %s},", i, quoted)
	}
	board := filepath.Join(t.TempDir(), "board.yaml")
	require.NoError(t, os.WriteFile(board, []byte(rules+"]}]\n"), 0o644))
	for _, args := range [][]string{
		{"check", "rules", filepath.Join(packaged, "alerts.yaml")},
		{"test", "rules", filepath.Join(packaged, "alerts_test.yaml")},
		{"check", "rules", board},
	} {
		if out, err := exec.Command(promtool, args...).CombinedOutput(); err != nil {
			t.Errorf("promtool %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
}
