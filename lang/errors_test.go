package lang

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/efoc/efoc/testdata/require"
)

var update = flag.Bool("update", false, "rewrite the errors sections of testdata/errors; read the diff")

// TestErrors runs the cases of testdata/errors: each has a text in the section query.efo, formula or benchmark,
// and the expected output in the section errors.
func TestErrors(t *testing.T) {
	for name, archive := range archives(t, "errors") {
		t.Run(name, func(t *testing.T) {
			got, want := "", ""
			for _, f := range archive.Files {
				if f.Name == "errors" {
					want = string(f.Data)
				} else {
					got = rendered(t, f.Name, string(f.Data))
				}
			}
			if got == want {
				return
			}
			if !*update {
				t.Fatalf("got:\n%s\nwant:\n%s", got, want)
			}
			archive.Files = append(archive.Files[:1], txtar.File{Name: "errors", Data: []byte(got)})
			require.NoError(t, os.WriteFile("../testdata/errors/"+name+".txtar", txtar.Format(archive), 0o644))
		})
	}
}

// rendered parses a text and returns its rendered errors or, if there are none, its warnings.
func rendered(t *testing.T, section, text string) string {
	t.Helper()
	var queries []*Query
	var err error
	switch section {
	case "query.efo":
		var f *File
		if f, err = ParseFile(section, []byte(text)); err == nil {
			queries = f.Queries
		}
	case "formula", "benchmark":
		parse := ParseFormula
		if section == "benchmark" {
			parse = ParseBenchmark
		}
		var q *Query
		if q, err = parse(strings.TrimSuffix(text, "\n")); err == nil {
			queries = append(queries, q)
		}
	default:
		t.Fatalf("unknown section %s", section)
	}
	var b strings.Builder
	var list ErrorList
	if errors.As(err, &list) {
		b.WriteString(list.Render())
	}
	for _, q := range queries {
		for _, w := range q.Warnings {
			b.WriteString(w.Render())
		}
	}
	return b.String()
}

func TestErrorList(t *testing.T) {
	_, err := ParseFormula(`r(x, y) & exists z. r("a", "b")`)
	var list ErrorList
	var first *Error
	if !errors.As(err, &list) || !errors.As(err, &first) {
		t.Fatalf("got %T, want both an ErrorList and an *Error", err)
	}
	if list[0] != first {
		t.Errorf("errors.As finds %v, want the first error %v", first, list[0])
	}
	if got, want := err.Error(), "1:6: the formula has several free variables: x, y"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestErrorListCap(t *testing.T) {
	var b strings.Builder
	for i := range 13 {
		fmt.Fprintf(&b, "query Q%d y = r(y\n", i)
	}
	_, err := ParseFile("many.efo", []byte(b.String()))
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != 11 || lines[10] != "and 3 more" {
		t.Errorf("got %d lines, the last of them %q", len(lines), lines[len(lines)-1])
	}
	var list ErrorList
	if !errors.As(err, &list) || len(list) != 13 || !strings.HasSuffix(list.Render(), "\nand 3 more\n") {
		t.Errorf("got %d errors, shown as\n%s", len(list), list.Render())
	}
}

func TestExcerpt(t *testing.T) {
	long := strings.Repeat("a", 300)
	for _, c := range []struct {
		name, line string
		col        int
		want       string
	}{
		{"plain", "r(x)", 3, "\tr(x)\n\t  ^\n"},
		{"tabs", "\tr(\tx)", 5, "\t\tr(\tx)\n\t\t  \t^\n"},
		{"wide", "日本 x", 4, "\t日本 x\n\t     ^\n"},
		{"combining", "e\u0301e\u0301 x", 6, "\te\u0301e\u0301 x\n\t   ^\n"},
		{"end", "ab", 3, "\tab\n\t  ^\n"},
		{"control", "a\x1bb", 3, "\ta\ufffdb\n\t  ^\n"},
		{"long", long, 151, "\t…" + long[:120] + "…\n\t" + strings.Repeat(" ", 61) + "^\n"},
		{"none", "", 1, ""},
	} {
		if got := excerpt(c.line, c.col); got != c.want {
			t.Errorf("%s: got\n%q\nwant\n%q", c.name, got, c.want)
		}
	}
}
