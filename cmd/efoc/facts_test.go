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
		t.Errorf("Peru is not an answer:\n%s%s", r.stdout, r.stderr)
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

// TestNewEntity adds a country that the world lacks, and asks for it and from it by each
// semantics, before and after the model is compacted.
func TestNewEntity(t *testing.T) {
	model := worldCopy(t)
	text := "Atlantis\tofficial_language\tPortuguese\nPortugal\tborders\tAtlantis\nAtlantis\tin_continent\tEurope\n"
	efocInput(t, text, "add", model, "-").want(t, statusUsage, "", `standard input:1: unknown entity "Atlantis"`)
	efocInput(t, text+"Atlantis\tlikes\tPortugal\n", "add", "--new", model, "-").want(t, statusUsage, "", `standard input:4: unknown relation "likes"`)
	efocInput(t, text, "add", "--new", model, "-").want(t, statusOK, "added 3 facts to "+model+"; new: Atlantis\n", "")
	for range 2 {
		for _, semantics := range []string{"nsmp", "fit", "mixed"} {
			for question, want := range map[string]string{
				`borders("Portugal", y) & official_language(y, "Portuguese")`: "Atlantis",
				`exists x. borders("Portugal", x) & official_language(x, y)`:  "Portuguese",
				`exists x. borders("Atlantis", x) & official_language(x, y)`:  "Portuguese",
				`in_continent("Atlantis", y) & !in_continent("Brazil", y)`:    "Europe",
			} {
				efoc(t, "ask", "-m", model, "-k", "5", "--semantics", semantics, question).want(t, statusOK, want, "")
			}
		}
		efoc(t, "info", model).want(t, statusOK, "2193", "")
		efoc(t, "compact", model).want(t, statusOK, model, "")
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
