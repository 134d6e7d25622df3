package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/plotter"
)

// TestBenchSemantics checks which engines run under which semantics, and what is said
// of them.
func TestBenchSemantics(t *testing.T) {
	dir := t.TempDir()
	queries := write(t, filepath.Join(dir, "q.jsonl"), townQueries)
	matrices := filepath.Join(dir, "matrices")
	args := []string{"bench", "--model", towns(t), "--queries", queries, "--limit", "2", "--batch", "1,4", "--runs", "2", "--semantics", "nsmp,fit,mixed",
		"--engine", "layers,interp,compiled,exact", "--candidates", "3", "--exact-dir", matrices}
	first := efoc(t, append(args, "--format", "json")...)
	first.want(t, statusOK, "", "")
	r := readBench(t, first.stdout)
	// The first two townQueries of each shape name relations 0 and 2.
	if r.Matrices == nil || r.Matrices.Relations != 2 || r.Matrices.Read != 0 || r.Matrices.Entries < 1 || r.Matrices.Seconds <= 0 || r.Cap != 60 {
		t.Errorf("matrices are %+v, the cap is %v", r.Matrices, r.Cap)
	}
	want := []string{"layers", "interp", "compiled", "fit layers", "fit interp", "fit compiled", "fit exact", "mixed layers", "mixed interp"}
	for _, s := range r.Shapes {
		var engines, cells []string
		for _, e := range s.Engines {
			engines = append(engines, benchEngineLabel(e.Semantics, e.Engine))
			messages := e.Semantics == "nsmp"
			if messages != (e.Degrees == nil) || (e.Engine != engineExact) != (e.TablePasses > 0) || !messages && e.Degrees.Candidates != 3 {
				t.Errorf("%s: %+v", s.Name, e)
			}
		}
		for _, c := range s.Cells {
			cells = append(cells, benchEngineLabel(c.Semantics, c.Engine))
			if c.Seconds.Count != 2 || c.Seconds.Min <= 0 || c.Stopped != 0 || (c.Engine != engineExact) != (c.Predicted > 0) || c.Engine == engineExact && c.Batch != 1 {
				t.Errorf("%s: %+v", s.Name, c)
			}
		}
		// Two batch sizes each, but for exact.
		if !slices.Equal(engines, want) || len(cells) != 17 || !slices.Equal(slices.Compact(cells), want) {
			t.Errorf("%s: engines are %q, cells %q, want %q", s.Name, engines, cells, want)
		}
	}
	again := efoc(t, args...)
	again.want(t, statusOK, "exact: matrices of 2 relations", "")
	for _, text := range []string{"2 of them read from files", "fit compiled", "fit exact", "mixed interp"} {
		if !strings.Contains(again.stdout, text) {
			t.Errorf("table lacks %q:\n%s", text, again.stdout)
		}
	}
}

// TestBenchCap checks that queries that take too long count as the cap.
func TestBenchCap(t *testing.T) {
	queries := write(t, filepath.Join(t.TempDir(), "q.jsonl"), townQueries)
	args := []string{"bench", "--model", towns(t), "--queries", queries, "--types", "2p", "--runs", "2", "--batch", "1,2", "--semantics", "nsmp,fit",
		"--engine", "interp,exact", "--cap", "1ns"}
	r := efoc(t, append(args, "--format", "json")...)
	r.want(t, statusOK, "", "")
	got := readBench(t, r.stdout)
	if len(got.Shapes) != 1 || len(got.Shapes[0].Cells) != 5 {
		t.Fatalf("shapes are %+v", got.Shapes)
	}
	for _, c := range got.Shapes[0].Cells {
		if c.Stopped != 3 || c.Seconds.Max > 1.01e-9 || c.Seconds.Min < 0.99e-9 {
			t.Errorf("%+v: want all 3 queries to count as 1ns", c)
		}
	}
	efoc(t, args...).want(t, statusOK, "≥ 1ns +3", "")
}

func TestBenchFITErrors(t *testing.T) {
	t.Setenv("EFOC_MODEL", "")
	for _, c := range []struct {
		args   []string
		status int
		want   string
	}{
		{[]string{"--semantics", "fuzzy"}, statusUsage, `there is no "fuzzy"`},
		{[]string{"--semantics", "fit,fit"}, statusUsage, "--semantics gives fit twice"},
		{[]string{"--engine", "exact"}, statusUsage, "add --semantics fit"},
		{[]string{"--candidates", "4"}, statusUsage, "--candidates is a setting of truth degrees"},
		{[]string{"--candidates", "0", "--semantics", "fit"}, statusUsage, "--candidates is 0"},
		{[]string{"--exact-dir", "x"}, statusUsage, "is not asked for"},
		{[]string{"--exact-mb", "0"}, statusUsage, "--exact-mb is 0"},
		{[]string{"--rows-mb=-1"}, statusUsage, "--rows-mb is -1"},
		{[]string{"--cap", "0s"}, statusUsage, "--cap is 0s"},
		{[]string{"--engine", "exact", "--semantics", "fit", "--exact-mb", "1"}, statusFailure, "the matrices of exact FIT for 1 relations need about"},
	} {
		r := efoc(t, append([]string{"bench", `borders("France", x)`}, c.args...)...)
		if r.status != c.status || !strings.Contains(r.stderr, c.want) {
			t.Errorf("efoc bench %q: status %d, stderr:\n%swant status %d, stderr with %q", c.args, r.status, r.stderr, c.status, c.want)
		}
	}
}

// TestLogBars checks that the feet of bars stand on the axis.
func TestLogBars(t *testing.T) {
	for x, want := range map[float64]float64{0: 0, 0.1: 0, 1: 0, 10: 0.5, 100: 1} {
		if got := (logBars{}).Normalize(1, 100, x); got < want-1e-9 || got > want+1e-9 {
			t.Errorf("%v is at %v, want %v", x, got, want)
		}
	}
	if least, most := extremes([]plotter.Values{{0, 3}, {2, 7}}); least != 2 || most != 7 {
		t.Errorf("extremes are %v and %v, want 2 and 7", least, most)
	}
}
