package gogen

import (
	"bytes"
	"fmt"
	"go/format"
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/efoc/efoc/compiler/stages"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/testdata/plantest"
	"github.com/efoc/efoc/testdata/require"
	"github.com/efoc/efoc/testdata/seed"
)

// TestFile checks the code for random files: it is valid, gofmt-formatted Go, and generation is deterministic.
// The functions of its plans are straight-line code in which each variable is assigned once; only the sweep is
// restarted.
func TestFile(t *testing.T) {
	seed.Check(t, func(t *rapid.T) {
		f := &lang.File{Package: "p", Doc: anyDoc(t), Semantics: rapid.SampledFrom([]string{"nsmp", "fit", "mixed"}).Draw(t, "semantics")}
		for i := range rapid.IntRange(1, 3).Draw(t, "queries") {
			q := plantest.Formula(t, plantest.Options{Entities: 4, Relations: 3, Name: fmt.Sprint("T", i), Answers: rapid.IntRange(0, 2).Draw(t, "answers")})
			q.Doc = anyDoc(t)
			f.Queries = append(f.Queries, q)
		}
		f.Layers = rapid.SampledFrom([]int{0, 0, 7}).Draw(t, "layers")
		o := Options{Source: "random.efo", Package: "p"}
		out, err := File(analyzed(t, f), o)
		require.NoError(t, err)
		checkGo(t, out.Code)
		checkFunctions(t, out.Code)
		checkHeadings(t, out.Code)
		again, err := File(analyzed(t, f), o)
		require.NoError(t, err)
		if !bytes.Equal(out.Code, again.Code) {
			t.Fatalf("the same file gave\n%s\nand\n%s", out.Code, again.Code)
		}
	})
}

// TestFilteredRows generates code for rows in which one variable has only a filter of its own.
func TestFilteredRows(t *testing.T) {
	f, err := lang.ParseFile("x.efo", []byte(`query Q x, y = borders(x, y) & population(x) > 3`))
	require.NoError(t, err)
	for _, s := range []string{"nsmp", "fit", "mixed"} {
		f.Semantics = s
		out, err := File(analyzed(t, f), Options{Source: "x.efo", Package: "p"})
		require.NoError(t, err)
		checkGo(t, out.Code)
	}
}

// anyDoc draws a comment that could be mistaken for something else.
func anyDoc(t *rapid.T) string {
	lines := rapid.SliceOfN(rapid.OneOf(
		rapid.SampledFrom([]string{
			"Ranks places.", "", "# Heading", "- item", "  - nested", "1. first", "\tcode", "    code", "[link]: https://x.y/z",
			"go:build ignore", "//go:build ignore", "+build ignore", "/* */", "*/ var x = 1 /*", "`", `\`, "Deprecated: no.",
			"Output:", "line 1", "line file.go:1", "export f", "\u202eevil", "a\u2028var b int", "x\rvar c int", "cgo", "TODO(x): y",
		}),
		rapid.StringN(0, 20, -1),
	), 0, 4).Draw(t, "doc")
	return strings.Join(lines, "\n")
}

// tb is the part of testing.T and rapid.T that helpers need.
type tb interface {
	require.TB
	Fatalf(format string, args ...any)
}

// checkGo checks that code parses and is formatted.
func checkGo(t tb, code []byte) {
	t.Helper()
	if _, err := parser.ParseFile(token.NewFileSet(), "x.go", code, parser.ParseComments); err != nil {
		t.Fatalf("%v\n%s", err, code)
	}
	formatted, err := format.Source(code)
	if err != nil {
		t.Fatalf("%v", err)
	}
	if !bytes.Equal(formatted, code) {
		t.Fatalf("gofmt would change\n%s\ninto\n%s", code, formatted)
	}
}

// TestFileErrors checks what is refused.
func TestFileErrors(t *testing.T) {
	for _, c := range []struct{ text, pkg, want string }{
		{"package p", "p", "no query"},
		{`query Q y = r("a", y)`, "a-b", "package name"},
		{`query Q y = r("a", y)`, "func", "package name"},
		{"query venues y = r(\"a\", y)\nquery Venues y = r(\"b\", y)", "p",
			`x.efo:2:7: query "Venues" needs the Go name Venues, which query venues has already`},
		{"query q y = r(\"a\", y)\nquery qParams y = r(\"b\", y)", "p", `x.efo:2:7: query "qParams" needs the Go name QParams`},
		{"query bindQ y = r(\"a\", y)\nquery q y = r(\"b\", y)", "p", `x.efo:2:7: query "q" needs the Go name BindQ`},
		{`query xPlans y = r("a", y)`, "p", `x.efo:1:7: query "xPlans" needs the Go name XPlans, which the list of plans has already`},
		{`query Q(who, Who entity) y = r($who, y) & r($Who, y)`, "p",
			`x.efo:1:14: parameter "Who" needs the Go name Who, which parameter who has already`},
		{`query Q status = r("a", status)`, "p", `x.efo:1:9: variable "status" needs the Go name Status, which each row has already`},
		{`query Q y show row = exists row. r("a", row) & s(row, y)`, "p", `variable "row" needs the Go name Row, which the row itself has already`},
		{`query Q x, X = r(x, X) & s("a", x)`, "p", `x.efo:1:12: variable "X" needs the Go name X, which variable x has already`},
	} {
		f, err := lang.ParseFile("x.efo", []byte(c.text))
		if err != nil {
			t.Fatalf("%s: %v", c.text, err)
		}
		_, err = File(analyzed(t, f), Options{Source: "x.efo", Package: c.pkg})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s\ngives error %v\nwant %s", c.text, err, c.want)
		}
	}
}

// analyzed returns a file as input for File.
func analyzed(t require.TB, f *lang.File) *stages.File {
	t.Helper()
	out, err := stages.AnalyzeFile(f)
	require.NoError(t, err)
	return out
}

// TestFileLayersErrors checks that too few layers to reach the answer are reported as the user's mistake.
func TestFileLayersErrors(t *testing.T) {
	f, err := lang.ParseFile("x.efo", []byte(`query Q y = exists x. r("a", x) & r(x, y)`))
	require.NoError(t, err)
	f.Layers = 1
	_, err = File(analyzed(t, f), Options{Source: "x.efo", Package: "p"})
	if err == nil || strings.Contains(err.Error(), "internal error") {
		t.Errorf("one layer for 2p gives error %v", err)
	}
}
