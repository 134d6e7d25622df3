package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	goruntime "runtime"
	"strings"
	"testing"
	"time"

	"github.com/efoc/efoc/testdata/require"
)

// townQueries are queries over the towns.
const townQueries = `{"type":"2p","s1":0,"r1":0,"r2":0,"easy":[2],"hard":[]}
{"type":"2p","s1":1,"r1":0,"r2":0}
{"type":"1p","s1":0,"r1":2}
{"type":"2p","s1":2,"r1":1,"r2":3}
`

// readBench reads a result as JSON.
func readBench(t *testing.T, path string) *benchResult {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	var r benchResult
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatalf("%v:\n%s", err, text)
	}
	return &r
}

func TestBench(t *testing.T) {
	t.Setenv("EFOC_MODEL", "")
	r := efoc(t, "bench", `borders("France", x) & official_language(x, x)`, "--runs", "2", "--batch", "1,3")
	r.want(t, statusOK, "built-in model world (2192 entities", "")
	for _, want := range []string{"a plain read of the entity table: ", "r1(s1,f) & r2(f,f)", " mixed layers ", " mixed interpreted ", "of read"} {
		if !strings.Contains(r.stdout, want) {
			t.Errorf("table lacks %q:\n%s", want, r.stdout)
		}
	}
	// The shape has no generated code, but 2p has.
	if strings.Contains(r.stdout, " compiled ") {
		t.Errorf("compiled ran without generated code:\n%s", r.stdout)
	}
	r.want(t, statusOK, "", "engine compiled is left out: efoc holds no generated code for this query and semantics mixed")
	file := write(t, filepath.Join(t.TempDir(), "mine.efo"), "query Mine(c entity) y = borders($c, y) & capital(y, y)\n")
	r = efoc(t, "bench", "-f", file, "-q", "Mine", "--set", "c=France", "--runs", "1", "--batch", "1")
	r.want(t, statusOK, "", "no generated code for template Mine and semantics mixed; to compare, run go test -bench . on the benchmarks that efoc generate --bench writes beside the code of "+file+"\n")
	r = efoc(t, "bench", "--shape", "2p", "--set", "s1=France", "--set", "r1=borders", "--set", "r2=capital", "--runs", "1", "--batch", "1", "--engine", "compiled,reference")
	r.want(t, statusOK, "  mixed compiled  ", "")
	r.want(t, statusOK, "  mixed reference  ", "")
}

func TestBenchJSON(t *testing.T) {
	dir := t.TempDir()
	queries := write(t, filepath.Join(dir, "q.jsonl"), townQueries)
	out := filepath.Join(dir, "b.json")
	before := goruntime.GOMAXPROCS(0)
	r := efoc(t, "bench", "--model", towns(t), "--queries", queries, "--limit", "2", "--batch", "1,4", "--runs", "3",
		"--threads", "1", "--json", out)
	r.want(t, statusOK, "", "")
	if goruntime.GOMAXPROCS(0) != before {
		t.Error("the number of threads was left changed")
	}
	got := readBench(t, out)
	if got.Threads != 1 || got.Runs != 3 || got.Model.Name != "towns" || got.Read <= 0 || got.Interrupted {
		t.Errorf("read %+v", got)
	}
	if len(got.Shapes) != 2 || got.Shapes[0].Name != "1p" || got.Shapes[1].Name != "2p" || got.Shapes[0].Queries != 1 || got.Shapes[1].Queries != 2 {
		t.Fatalf("shapes are %+v", got.Shapes)
	}
	for _, s := range got.Shapes {
		if len(s.Engines) != 3 || len(s.Cells) != 6 {
			t.Errorf("%s has %d engines and %d cells", s.Name, len(s.Engines), len(s.Cells))
		}
		for _, e := range s.Engines {
			if e.Compile.Count != compileRuns || e.Bind.Count != s.Queries || e.TablePasses < 1 || e.Values < 1 {
				t.Errorf("%s: %+v", s.Name, e)
			}
		}
		for _, c := range s.Cells {
			if len(c.Runs) != 3 || c.Seconds.Count != 3 || c.Seconds.Min <= 0 || c.Seconds.Q1 > c.Seconds.Median || c.Seconds.Median > c.Seconds.Q3 ||
				c.Bandwidth != 0 || c.OfRead != 0 { // of truth degrees
				t.Errorf("%s: %+v", s.Name, c)
			}
		}
	}
}

func TestBenchErrors(t *testing.T) {
	t.Setenv("EFOC_MODEL", "")
	dir := t.TempDir()
	queries := write(t, filepath.Join(dir, "q.jsonl"), townQueries)
	const formula = `borders("France", x)`
	for _, c := range []struct {
		args   []string
		status int
		want   string
	}{
		{nil, statusUsage, "no query given"},
		{[]string{formula, "--runs", "0"}, statusUsage, "--runs is 0"},
		{[]string{formula, "--threads=-1"}, statusUsage, "--threads is -1"},
		{[]string{formula, "--limit=0"}, statusUsage, "--limit is 0"},
		{[]string{formula, "--batch", "1,0"}, statusUsage, "--batch is 0"},
		{[]string{formula, "--batch", "2,2"}, statusUsage, "--batch gives 2 twice"},
		{[]string{formula, "--batch", "many"}, statusUsage, "many"},
		{[]string{formula, "--engine", "fast"}, statusUsage, `unknown "fast"`},
		{[]string{formula, "--engine", "exact", "--semantics", "fit"}, statusUsage, `unknown "exact"`}, // a developers' measurement, see cmd/bench
		{[]string{formula, "--engine", "interpreted,interpreted"}, statusUsage, "--engine gives interpreted twice"},
		{[]string{formula, "--queries", queries}, statusUsage, "--queries has the queries"},
		{[]string{`borders("Frence", x)`}, statusUsage, `"France"`},
		{[]string{"--shape", "2p"}, statusUsage, "parameters without a value"},
		{[]string{`borders("France", x) & capital(x, x)`, "--engine", "compiled"}, statusUsage, "no generated code"},
		{[]string{"--queries", filepath.Join(dir, "missing.jsonl")}, statusFailure, "missing.jsonl"},
		{[]string{"--queries", queries, "--shape", "9p"}, statusFailure, "has no queries of shape 9p"},
		{[]string{"--queries", queries, "--shape", "3p"}, statusFailure, "has no queries of shape 3p"},
		{[]string{"--queries", write(t, filepath.Join(dir, "far.jsonl"), `{"type":"1p","s1":99999,"r1":0}`)}, statusFailure, "s1 is 99999"},
		{[]string{formula, "--runs", "1", "--batch", "1", "--json", filepath.Join(dir, "no", "b.json")}, statusFailure, "b.json"},
		{[]string{formula, "--model", filepath.Join(dir, "missing.efoc")}, statusFailure, "missing.efoc"},
	} {
		r := efoc(t, append([]string{"bench"}, c.args...)...)
		if r.status != c.status || !strings.Contains(r.stderr, c.want) {
			t.Errorf("efoc bench %q: status %d, stderr:\n%swant status %d, stderr with %q", c.args, r.status, r.stderr, c.status, c.want)
		}
	}
}

// TestBenchInterrupt checks that measurements made before an interrupt are shown.
func TestBenchInterrupt(t *testing.T) {
	model := towns(t)
	for wait := time.Second; ; wait *= 2 {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(wait, cancel)
		r := interrupted(ctx, t, "bench", "--model", model, `road("ash", x)`, "--runs", "100000000", "--batch", "1", "--engine", "interpreted")
		r.want(t, statusInterrupted, "", "efoc: interrupted\n")
		if strings.Contains(r.stdout, " interpreted ") && strings.HasSuffix(r.stdout, "\ninterrupted: some measurements are missing\n") {
			return
		}
		if wait > patience {
			t.Fatalf("after %s bench shows nothing:\n%s", wait, r.stdout)
		}
	}
}

func TestBenchTitle(t *testing.T) {
	for _, c := range []struct{ name, shape, want string }{
		{"2p", "r1(s1,e1) & r2(e1,f)", "2p"},
		{"", "r1(s1,f)", "r1(s1,f)"},
		{"", strings.Repeat("r1(s1,f) & ", 9) + "r2(s1,f)", "10 atoms"},
	} {
		if got := (&benchShape{Name: c.name, Shape: c.shape}).title(); got != c.want {
			t.Errorf("title of %q, %q is %q, want %q", c.name, c.shape, got, c.want)
		}
	}
}
