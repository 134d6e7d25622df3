package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/efoc/efoc/runtime/facts"
)

// worldCopy copies the world's model and returns its path.
func worldCopy(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "testdata", "world", "world.efoc"))
	if err != nil {
		t.Fatal(err)
	}
	return write(t, filepath.Join(t.TempDir(), "world.efoc"), string(text))
}

// TestFacts adds a fact that the world holds back: what was confirmed is known. Then it is
// removed, after the model was compacted.
func TestFacts(t *testing.T) {
	model := worldCopy(t)
	ask := func(status string) {
		t.Helper()
		r := efoc(t, "ask", "-m", model, "--format", "tsv", "-k", "20", `borders("Brazil", y) & official_language(y, "Spanish")`)
		for line := range strings.Lines(r.stdout) {
			if strings.Contains(line, "Peru") {
				if !strings.Contains(line, status) {
					t.Errorf("Peru: %s, want %s", line, status)
				}
				return
			}
		}
		t.Errorf("Peru is no answer:\n%s%s", r.stdout, r.stderr)
	}
	ask("confirmed")
	efocInput(t, "Brazil\tborders\tPeru\r\n\nPeru\tofficial_language\tSpanish\n", "add", model, "-").want(t, statusOK, "added ", "")
	ask("known")
	efocInput(t, "Brazil\tborders\tPeru\n", "add", model, "-").want(t, statusOK, "added 0 facts to "+model+", 1 was there already\n", "")
	file := write(t, filepath.Join(t.TempDir(), "facts.tsv"), "Brazil\tborders\tPeru\nBrazil\tborders\tPeruu\n")
	efoc(t, "remove", model, file).want(t, statusUsage, "", file+`:2: unknown entity "Peruu"; did you mean "Peru"`)
	ask("known")
	if err := os.WriteFile(model+".journal", append(must(os.ReadFile(model+".journal")), "crc32c:0000"...), 0o644); err != nil {
		t.Fatal(err)
	}
	efoc(t, "info", model).want(t, statusOK, "", "world.efoc.journal ends in the middle of a record, which was never acknowledged: its 11 bytes are left out")
	efoc(t, "calibrate", model, "--graph", ".", "-o", model).want(t, statusUsage, "", "put them into it with efoc compact")
	efoc(t, "compact", model).want(t, statusOK, "with 1 change of its journal", "")
	efoc(t, "compact", model).want(t, statusOK, "has no facts in a journal", "")
	ask("known")
	efocInput(t, "Peru\tborders\tBrazil\nBrazil\tborders\tPeru\nBrazil\tborders\tFrance\n", "remove", model, "-").want(t, statusOK, "removed ", "")
	ask("predicted")
	release, err := facts.Lock(model)
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	for _, command := range []string{"add", "remove"} {
		efocInput(t, "Brazil\tborders\tPeru\n", command, model, "-").want(t, statusFailure, "", "is being written by another program")
	}
}

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

// TestFactsErrors gives facts that cannot be read, and models that cannot be changed.
func TestFactsErrors(t *testing.T) {
	model := worldCopy(t)
	for _, c := range []struct{ stdin, want string }{
		{"Brazil\tborders\n", "standard input:1: 2 fields, want three with tabs between"},
		{"\n\n", "standard input:1: no facts"},
		{"\nBrazil\tborder\tPeru\n", `standard input:2: unknown relation "border"; did you mean "borders"`},
		{"\n" + strings.Repeat("x", maxFactLine+1), "standard input:2: "},
	} {
		if r := efocInput(t, c.stdin, "add", model, "-"); r.status == statusOK || !strings.Contains(r.stderr, c.want) {
			t.Errorf("status %d, %s, want %s", r.status, r.stderr, c.want)
		}
	}
	if _, err := os.Stat(model + ".journal"); err == nil {
		if text := must(os.ReadFile(model + ".journal")); strings.Count(string(text), "\n") > 1 {
			t.Errorf("what was refused is in the journal:\n%s", text)
		}
	}
	efoc(t, "add", model, "none.tsv").want(t, statusFailure, "", "none.tsv")
	efocInput(t, "a\tb\tc\n", "add", filepath.Join(t.TempDir(), "none.efoc"), "-").want(t, statusFailure, "", "none.efoc")
}
