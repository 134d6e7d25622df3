package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestExport writes the facts of a model, among them one that was added and without one that was removed,
// and trains a model on them that has the same.
func TestExport(t *testing.T) {
	dir := t.TempDir()
	model := towns(t)
	export := func(model string) []string {
		t.Helper()
		r := efoc(t, "export", model)
		r.want(t, statusOK, "\troad\t", "")
		return slices.Sorted(strings.Lines(r.stdout))
	}
	facts := export(model)
	removed := facts[0]
	added := "brandnew\troad\tash\n"
	efoc(t, "remove", model, write(t, filepath.Join(dir, "removed.tsv"), removed)).want(t, statusOK, "removed 1 fact", "")
	efoc(t, "add", "--new", model, write(t, filepath.Join(dir, "added.tsv"), added)).want(t, statusOK, "added 1 fact", "")

	want := append(slices.Clone(facts[1:]), added)
	slices.Sort(want)
	got := export(model)
	if !slices.Equal(got, want) {
		t.Errorf("exported %q, want %q", got, want)
	}
	again := filepath.Join(dir, "again.efoc")
	file := write(t, filepath.Join(dir, "facts.tsv"), strings.Join(got, ""))
	efoc(t, "train", file, "-o", again, "--rank", "4", "--epochs", "1").want(t, statusOK, "wrote", "")
	if got := export(again); !slices.Equal(got, want) {
		t.Errorf("trained on %q, exported %q", want, got)
	}
	r := efoc(t, "export", "--format", "ntriples", model)
	r.want(t, statusOK, "", "")
	for i, line := range slices.Sorted(strings.Lines(r.stdout)) {
		f := strings.Split(strings.TrimSpace(want[i]), "\t")
		if triple := "<urn:efoc:" + f[0] + "> <urn:efoc:" + f[1] + "> <urn:efoc:" + f[2] + "> .\n"; line != triple {
			t.Errorf("exported %q for %q", line, f)
		}
	}
	efoc(t, "export", filepath.Join(dir, "none.efoc")).want(t, statusFailure, "", "none.efoc")
}
