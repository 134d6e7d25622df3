package main

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/cmd/internal/eval"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/lang/benchmark"
	"github.com/efoc/efoc/runtime/model/safetensors"
	"github.com/efoc/efoc/testdata/long"
	"github.com/efoc/efoc/testdata/require"
	"github.com/efoc/efoc/testdata/shared"
)

// likesFolder writes a graph of five people and embeddings that are all 0, so
// that the graph alone decides. The test split adds that ann likes eve, and that
// dan hates bob.
func likesFolder(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "likes")
	write(t, filepath.Join(dir, "entities.tsv"), "0\tann\n1\tbob\n2\tcat\n3\tdan\n4\teve\n")
	write(t, filepath.Join(dir, "relations.tsv"), "0\tlikes\n1\thates\n")
	write(t, filepath.Join(dir, "train.tsv"), "ann\tlikes\tbob\nann\tlikes\tcat\ndan\thates\tann\n")
	write(t, filepath.Join(dir, "test.tsv"), "ann\tlikes\teve\ndan\thates\tbob\n")
	// Whom ann likes and dan does not hate; whom ann likes.
	write(t, filepath.Join(dir, "q.jsonl"), `{"type":"2in","s1":0,"r1":0,"s2":3,"r2":2,"easy":[1,2],"hard":[4]}
{"type":"1p","s1":0,"r1":0,"easy":[2,1],"hard":[4]}
{"type":"1p","s1":1,"r1":1,"easy":[],"hard":[0]}
`)
	var b bytes.Buffer
	err := safetensors.Write(&b, nil, []safetensors.Tensor{
		safetensors.From("embeddings.0.weight", make([]float32, 20), 5, 4),
		safetensors.From("embeddings.1.weight", make([]float32, 16), 4, 4),
	})
	require.NoError(t, err)
	write(t, filepath.Join(dir, "model.safetensors"), b.String())
	efoc(t, "import", dir, "-c", filepath.Join(dir, "model.safetensors"), "-o", filepath.Join(dir, "likes.efoc"), "--skip-check").
		want(t, statusOK, "3 facts and 0 held back", "")
	return dir
}

// readReport reads a report as JSON.
func readReport(t *testing.T, path string) *eval.Report {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	var r eval.Report
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatalf("%v:\n%s", err, text)
	}
	return &r
}

// squeeze joins blanks, so that the widths of columns do not matter.
func squeeze(r result) result {
	r.stdout = regexp.MustCompile(" +").ReplaceAllString(r.stdout, " ")
	return r
}

// TestEvalInterrupted shows what is done, and goes on from there.
func TestEvalInterrupted(t *testing.T) {
	dir := likesFolder(t)
	at := func(name string) string { return filepath.Join(dir, name) }
	args := []string{"eval", at("q.jsonl"), "-m", at("likes.efoc"), "--state", at("state.jsonl")}
	efoc(t, args...).want(t, statusOK, "asked 3 of 3 queries", "")
	state, err := os.ReadFile(at("state.jsonl"))
	require.NoError(t, err)
	// The header, the queries of a shape, and a part of the next.
	lines := bytes.SplitAfter(state, []byte("\n"))
	write(t, at("state.jsonl"), string(slices.Concat(lines[0], lines[1], lines[2][:7])))
	ctx, cancel := context.WithCancel(context.Background())
	var stdout, stderr bytes.Buffer
	a := &app{ctx: ctx, stdout: &stdout, stderr: &stderr}
	c := &evalCmd{Queries: at("q.jsonl"), Engine: "auto", Filter: "released", State: at("state.jsonl"), JSON: write(t, at("r.json"), "all figures")}
	m, err := modelFlag{Model: at("likes.efoc")}.open(a)
	require.NoError(t, err)
	defer m.Close()
	set, err := c.queries(a, nil)
	require.NoError(t, err)
	cancel()
	report, interrupted := c.evaluate(a, set, eval.Config{
		Model: m.Model, Engine: compiler.EngineAuto, Settings: m.Settings(), Filter: eval.Released, Batch: 1,
	})
	if status := a.fail(c.write(a, &evalReport{Report: report}, interrupted)); status != statusInterrupted {
		t.Errorf("status %d: %s", status, stderr.String())
	}
	if text, err := os.ReadFile(c.JSON); err != nil || string(text) != "all figures" {
		t.Errorf("a part of the figures replaced a file that had all: %s, error %v", text, err)
	}
	squeeze(result{statusOK, stdout.String(), ""}).want(t, statusOK, "1p 2 2 75.00", "")
	result{statusOK, stdout.String(), ""}.want(t, statusOK, "partial: 2 of 3 queries are done", "")
	efoc(t, args...).want(t, statusOK, "asked 1 of 3 queries", "")
	squeeze(efoc(t, args...)).want(t, statusOK, "1p 2 2 75.00", "")
}

// TestEvalGolden compares the MRR of real graphs with those of an independent
// implementation, in percent with one decimal: three shapes of FB15k-237, or all
// shapes of both graphs if tests are long, which takes a minute or two.
func TestEvalGolden(t *testing.T) {
	if testing.Short() {
		t.Skip("imports a real graph: left out by -short")
	}
	text, err := os.ReadFile(shared.Dir(t, "data", "golden", "mrr.json"))
	require.NoError(t, err)
	var golden map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(text, &golden))
	for _, g := range []struct {
		name, checkpoint, lambda, alpha, limit string
		shapes                                 []string
	}{
		{"fb15k-237", "complex256.pt", "0.3", "100", "100", []string{"1p", "2in", "2u"}},
		{"nell995", "complex256.safetensors", "0.1", "1000", "300", nil},
	} {
		t.Run(g.name, func(t *testing.T) {
			var want struct {
				Shapes map[string]struct {
					Queries int
					MRR     float64
				}
			}
			require.NoError(t, json.Unmarshal(golden[g.name], &want))
			if long.Tests() {
				g.shapes = nil
				for _, s := range benchmark.Shapes {
					if _, ok := want.Shapes[s.Name]; ok {
						g.shapes = append(g.shapes, s.Name)
					}
				}
			} else if g.shapes == nil {
				long.Need(t, "it asks 300 queries of each shape")
			}
			dir, out := shared.Dir(t, "data", g.name), t.TempDir()
			bundle, report := filepath.Join(out, "m.efoc"), filepath.Join(out, "r.json")
			efoc(t, "import", dir, "-c", filepath.Join(dir, g.checkpoint), "-o", bundle, "--with", "lambda="+g.lambda, "--with", "alpha="+g.alpha, "--no-calibration").want(t, statusOK, "wrote", "")
			efoc(t, "eval", filepath.Join(dir, "queries-dev.jsonl"), "-m", bundle, "--limit", g.limit, "--shape", strings.Join(g.shapes, ","), "--semantics", "nsmp", "--json", report).
				want(t, statusOK, "", "")
			got := readReport(t, report).Shapes
			if len(got) != len(g.shapes) {
				t.Fatalf("%d shapes, want %d", len(got), len(g.shapes))
			}
			for _, s := range got {
				w := want.Shapes[s.Name]
				if s.Queries != w.Queries || math.Abs(100*s.MRR-w.MRR) > 0.05 {
					t.Errorf("%s: MRR %.2f of %d queries, want %.1f of %d", s.Name, 100*s.MRR, s.Queries, w.MRR, w.Queries)
				}
			}
		})
	}
}

// TestSampledLikeReleased compares the MRR on sampled queries with that on BetaE's own on NELL995, on the
// shapes that tell samples apart most: a shape's difference is at most 3.3 standard errors, which would be
// exceeded by chance once in 200 runs of this test. Intervals are 3.92 errors wide.
func TestSampledLikeReleased(t *testing.T) {
	long.Need(t, "it asks 12,000 queries of a large graph")
	dir, out := shared.Dir(t, "data", "nell995"), t.TempDir()
	at := func(name string) string { return filepath.Join(out, name) }
	const shapes = "2p,2i,pi,2in,3in,inp"
	efoc(t, "import", dir, "-c", filepath.Join(dir, "complex256.safetensors"), "-o", at("m.efoc"), "--no-calibration").want(t, statusOK, "wrote", "")
	efoc(t, "sample", "-g", dir, "--like", "betae", "--shape", shapes, "-n", "1000", "--seed", "4", "-o", at("q.jsonl")).want(t, statusOK, "wrote 6000 queries", "")
	efoc(t, "eval", at("q.jsonl"), "-m", at("m.efoc"), "--semantics", "nsmp", "--json", at("sampled.json")).want(t, statusOK, "", "")
	efoc(t, "eval", dir, "-m", at("m.efoc"), "--shape", shapes, "--semantics", "nsmp", "--json", at("released.json")).want(t, statusOK, "", "")
	released := readReport(t, at("released.json")).Shapes
	for i, s := range readReport(t, at("sampled.json")).Shapes {
		r := released[i]
		err := math.Hypot(s.Interval[1]-s.Interval[0], r.Interval[1]-r.Interval[0]) / 3.92
		t.Logf("%s: MRR %.1f sampled, %.1f released, %.1f errors apart", s.Name, 100*s.MRR, 100*r.MRR, (s.MRR-r.MRR)/err)
		if s.Name != r.Name || math.Abs(s.MRR-r.MRR) > 3.3*err {
			t.Errorf("%s: MRR %v on sampled queries, %v on those of %s released", s.Name, s.MRR, r.MRR, r.Name)
		}
	}
}
