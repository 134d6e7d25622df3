package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	goruntime "runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/efoc/efoc/cmd/internal/benchmark"
	"github.com/efoc/efoc/testdata/require"
)

// townQueries are queries over the towns.
const townQueries = `{"type":"2p","s1":0,"r1":0,"r2":0,"easy":[2],"hard":[]}
{"type":"2p","s1":1,"r1":0,"r2":0}
{"type":"1p","s1":0,"r1":2}
{"type":"2p","s1":2,"r1":1,"r2":3}
`

// readBench reads a result as JSON.
func readBench(t *testing.T, path string) *benchmark.Result {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	var r benchmark.Result
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatalf("%v:\n%s", err, text)
	}
	return &r
}

func TestBenchJSON(t *testing.T) {
	dir := t.TempDir()
	queries := write(t, filepath.Join(dir, "q.jsonl"), townQueries)
	out := filepath.Join(dir, "b.json")
	defer goruntime.GOMAXPROCS(goruntime.GOMAXPROCS(1))
	r := efoc(t, "bench", "--model", towns(t), "--queries", queries, "--limit", "2", "--batch", "1,4", "--runs", "3", "--json", out)
	r.want(t, statusOK, "", "")
	got := readBench(t, out)
	if got.Threads != 1 || got.Clock != "processor" || got.Runs != 3 || got.Model.Name != "towns" || got.Interrupted {
		t.Errorf("read %+v", got)
	}
	if len(got.Shapes) != 2 || got.Shapes[0].Name != "1p" || got.Shapes[1].Name != "2p" || got.Shapes[0].Queries != 1 || got.Shapes[1].Queries != 2 {
		t.Fatalf("shapes are %+v", got.Shapes)
	}
	for _, s := range got.Shapes {
		if len(s.Cells) != 6 {
			t.Errorf("%s has %d cells", s.Name, len(s.Cells))
		}
		for _, c := range s.Cells {
			if c.Prepare.Min <= 0 || c.Kernels < 0 || c.Kernels > 1 {
				t.Errorf("%s: %+v", s.Name, c)
			}
			for _, x := range []benchmark.Call{c.Best, c.Answer} {
				if len(x.Runs) != 3 || x.Seconds.Min <= 0 || x.Seconds.Min > x.Seconds.Median || x.Seconds.Median > x.Seconds.Max {
					t.Errorf("%s %s: %+v", s.Name, c.Label(), x)
				}
			}
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

// TestBenchSemantics checks which engines run under which semantics, and what is said
// of them.
func TestBenchSemantics(t *testing.T) {
	dir := t.TempDir()
	queries := write(t, filepath.Join(dir, "q.jsonl"), townQueries)
	out := efoc(t, "bench", "--model", towns(t), "--queries", queries, "--limit", "2", "--batch", "1,4", "--runs", "2", "--semantics", "nsmp,fit,mixed",
		"--with", "candidates=3", "--json", filepath.Join(dir, "b.json"))
	out.want(t, statusOK, "fit compiled", "")
	out.want(t, statusOK, "mixed compiled", "")
	r := readBench(t, filepath.Join(dir, "b.json"))
	want := []string{"nsmp layers", "nsmp interpreted", "nsmp compiled", "fit layers", "fit interpreted", "fit compiled", "mixed layers", "mixed interpreted", "mixed compiled"}
	for _, s := range r.Shapes {
		var cells []string
		for _, c := range s.Cells {
			cells = append(cells, c.Label())
			if len(c.Best.Runs) != 2 || len(c.Answer.Runs) != 2 || c.Settings.Degrees.Candidates != 3 {
				t.Errorf("%s: %+v", s.Name, c)
			}
		}
		// Two batch sizes each.
		if len(cells) != 18 || !slices.Equal(slices.Compact(cells), want) {
			t.Errorf("%s: cells are %q, want %q", s.Name, cells, want)
		}
	}
}
