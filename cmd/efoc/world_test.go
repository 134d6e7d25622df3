package main

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/efoc/efoc/testdata/world"
)

// TestBuiltInModel asks the model that is there without a flag.
func TestBuiltInModel(t *testing.T) {
	efoc(t, "info").want(t, statusOK, "name         world\nfile         (built in)\n", "")
	efoc(t, "info").want(t, statusOK, "confidence   nsmp by ", "")
	r := efoc(t, "ask", `borders("France", x) & official_language(x, "German")`, "-k", "3")
	r.want(t, statusOK, "built-in model world (2192 entities", "")
	for _, name := range []string{"Switzerland", "Belgium", "Germany"} {
		if !strings.Contains(r.stdout, name) {
			t.Errorf("answers lack %s:\n%s", name, r.stdout)
		}
	}
	efoc(t, "ask", `border("France", x)`).want(t, statusUsage, "", "hint: did you mean \"borders\"")
	efoc(t, "ask", `borders("Frence", x)`).want(t, statusUsage, "", "\"France\"")
}

// TestBuiltInModelSources checks that the bundle was made from the files beside
// it; go generate ./testdata/world makes it again.
func TestBuiltInModelSources(t *testing.T) {
	m, err := world.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if len(m.Manifest.Sources) < 5 {
		t.Errorf("the bundle has %d sources", len(m.Manifest.Sources))
	}
	for _, s := range m.Manifest.Sources {
		data, err := os.ReadFile(filepath.Join("..", "..", "testdata", "world", s.File))
		if err != nil {
			t.Fatal(err)
		}
		if sum := fmt.Sprintf("%x", sha256.Sum256(data)); sum != s.SHA256 {
			t.Errorf("%s changed since the bundle was made: run go generate ./testdata/world", s.File)
		}
	}
}

// shellWords splits a command line at blanks outside single quotes.
func shellWords(line string) []string {
	words := regexp.MustCompile(`'[^']*'|\S+`).FindAllString(line, -1)
	for i, w := range words {
		words[i] = strings.Trim(w, "'")
	}
	return words
}

// TestReadme runs the commands of the READMEs that need no files of the reader's
// and compares their output with what the READMEs show, except for times.
func TestReadme(t *testing.T) {
	t.Setenv("EFOC_MODEL", "")
	var text []byte
	for _, file := range []string{"README.md", "compiler/README.md"} {
		more, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(file)))
		if err != nil {
			t.Fatal(err)
		}
		text = append(text, more...)
	}
	block := regexp.MustCompile("(?ms)^```console\n\\$ (?:go run ./cmd/)?efoc (.*?)\n(.*?)^```$")
	seconds := regexp.MustCompile(`in [0-9.]+(s|ms|µs)\b`)
	mask := func(s string) string { return strings.TrimSpace(seconds.ReplaceAllString(s, "in some time")) }
	blocks := block.FindAllStringSubmatch(string(text), -1)
	if len(blocks) < 4 {
		t.Errorf("only %d commands were found", len(blocks))
	}
	for _, b := range blocks {
		r := efoc(t, shellWords(b[1])...)
		if got, want := mask(r.stdout+r.stderr), mask(b[2]); got != want {
			t.Errorf("efoc %s prints:\n%s\nthe README says:\n%s", b[1], got, want)
		}
	}
}

// TestHelpExamples runs the examples of the help that need no files.
func TestHelpExamples(t *testing.T) {
	t.Setenv("EFOC_MODEL", "")
	ran := 0
	for _, command := range []string{"", "ask", "explain", "info", "version"} {
		help := efoc(t, strings.Fields(command+" --help")...)
		for line := range strings.SplitSeq(help.stdout, "\n") {
			example, ok := strings.CutPrefix(line, "    efoc ")
			if !ok || strings.Contains(example, ".efo") || strings.Contains(example, ".rq") {
				continue
			}
			r := efoc(t, shellWords(example)...)
			r.want(t, statusOK, "", "")
			if r.stdout == "" || r.stderr != "" {
				t.Errorf("example %q printed %q and %q", example, r.stdout, r.stderr)
			}
			ran++
		}
	}
	if ran < 8 {
		t.Errorf("only %d examples were found", ran)
	}
}
