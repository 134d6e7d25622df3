package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/runtime/model"
)

// TestBenchSemantics checks which engines run under which semantics, and what is said
// of them.
func TestBenchSemantics(t *testing.T) {
	dir := t.TempDir()
	queries := write(t, filepath.Join(dir, "q.jsonl"), townQueries)
	args := []string{"bench", "--model", towns(t), "--queries", queries, "--limit", "2", "--batch", "1,4", "--runs", "2", "--semantics", "nsmp,fit,mixed",
		"--with", "candidates=3"}
	first := efoc(t, append(args, "--json", filepath.Join(dir, "b.json"))...)
	first.want(t, statusOK, "", "")
	r := readBench(t, filepath.Join(dir, "b.json"))
	want := []string{"nsmp layers", "nsmp interpreted", "nsmp compiled", "fit layers", "fit interpreted", "fit compiled", "mixed layers", "mixed interpreted", "mixed compiled"}
	for _, s := range r.Shapes {
		var engines, cells []string
		for _, e := range s.Engines {
			engines = append(engines, e.label())
			messages := e.Semantics == model.NSMP
			if messages != (e.Degrees == nil) || e.TablePasses < 1 || !messages && e.Degrees.Candidates != 3 {
				t.Errorf("%s: %+v", s.Name, e)
			}
		}
		for _, c := range s.Cells {
			cells = append(cells, c.label())
			if c.Seconds.Count != 2 || c.Seconds.Min <= 0 || (c.Bandwidth > 0) != (c.Semantics == model.NSMP && c.Batch == 1) || (c.OfRead > 0) != (c.Bandwidth > 0) {
				t.Errorf("%s: %+v", s.Name, c)
			}
		}
		// Two batch sizes each.
		if !slices.Equal(engines, want) || len(cells) != 18 || !slices.Equal(slices.Compact(cells), want) {
			t.Errorf("%s: engines are %q, cells %q, want %q", s.Name, engines, cells, want)
		}
	}
	again := efoc(t, args...)
	for _, text := range []string{"fit compiled", "mixed compiled"} {
		again.want(t, statusOK, text, "")
	}
}

func TestBenchFITErrors(t *testing.T) {
	t.Setenv("EFOC_MODEL", "")
	for _, c := range []struct {
		args   []string
		status int
		want   string
	}{
		{[]string{"--semantics", "fuzzy"}, statusUsage, `semantics is "fuzzy", want nsmp, fit or mixed`},
		{[]string{"--semantics", "fit,fit"}, statusUsage, "--semantics gives fit twice"},
		{[]string{"--with", "candidates=4", "--semantics", "nsmp"}, statusUsage, "--with candidates: add --semantics fit or mixed"},
		{[]string{"--with", "candidates=0", "--semantics", "fit"}, statusUsage, "candidates is 0"},
		{[]string{"--rows-mb=-1"}, statusUsage, "--rows-mb is -1"},
	} {
		r := efoc(t, append([]string{"bench", `borders("France", x)`}, c.args...)...)
		if r.status != c.status || !strings.Contains(r.stderr, c.want) {
			t.Errorf("efoc bench %q: status %d, stderr:\n%swant status %d, stderr with %q", c.args, r.status, r.stderr, c.status, c.want)
		}
	}
}
