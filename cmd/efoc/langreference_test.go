package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/testdata/require"
)

// TestLanguageReference asks the built-in model the examples of the language reference. Each has an answer.
func TestLanguageReference(t *testing.T) {
	text, err := os.ReadFile(filepath.FromSlash("../../lang/README.md"))
	require.NoError(t, err)

	formulas := regexp.MustCompile("(?m)^- `([^`]+)`").FindAllSubmatch(text, -1)
	for _, m := range formulas {
		hasAnswer(t, string(m[1]))
	}

	files := regexp.MustCompile("(?ms)^```efo\n(.*?)^```").FindAllSubmatch(text, -1)
	arguments := map[string]string{
		"country": "France", "place": "France", "one": "France", "other": "Spain", "by": "borders", "union": "European Union",
	}
	for _, m := range files {
		path := write(t, filepath.Join(t.TempDir(), "README.efo"), string(m[1]))
		f, err := lang.ParseFile(path, m[1])
		require.NoError(t, err)
		for _, q := range f.Queries {
			args := []string{"--file", path, "--query", q.Name}
			for _, p := range q.Params {
				args = append(args, "--set", p.Name+"="+arguments[p.Name])
			}
			hasAnswer(t, args...)
		}
	}

	if len(formulas) == 0 || len(files) == 0 {
		t.Errorf("there are %d formulas and %d files", len(formulas), len(files))
	}
}

// hasAnswer checks that a question has an answer.
func hasAnswer(t *testing.T, question ...string) {
	t.Helper()
	r := efoc(t, append([]string{"ask", "-k", "1", "--format", "json"}, question...)...)
	found := regexp.MustCompile(`"kind": "(verdict|count)"|"(answers|rows)": \[\s*\{`).MatchString(r.stdout)
	if r.status != statusOK || r.stderr != "" || !found {
		t.Errorf("%q: status %d\n%s%s", question, r.status, r.stdout, r.stderr)
	}
}

// TestUnknownShortName reports a relation that the model lacks once, where its short name is declared, whatever templates
// use it.
func TestUnknownShortName(t *testing.T) {
	path := write(t, filepath.Join(t.TempDir(), "a.efo"), `package a
relation language = oficial_language

query A(c entity) y =
    language($c, y)

query B(c entity) y =
    exists x. language($c, x) & language^-1(x, y)

query C(c entity) y =
    borders($c, y)
`)
	want := path + `:2:21: unknown relation "oficial_language"
	relation language = oficial_language
	                    ^
	hint: did you mean "official_language" or "regional_language"?
`
	for _, args := range [][]string{
		{"ask", "--file", path, "--query", "B", "--set", "c=France"},
		{"generate", "--model", "world/world.efoc", path},
		{"generate", "--check", "--model", "world/world.efoc", path},
	} {
		if r := efoc(t, args...); r.status != statusUsage || !strings.HasSuffix(r.stderr, want) || strings.Count(r.stderr, "unknown relation") != 1 {
			t.Errorf("%q: status %d, stderr:\n%s\nwant\n%s", args, r.status, r.stderr, want)
		}
	}
}
