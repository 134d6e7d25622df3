package turtle_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/efoc/efoc/runtime/model/importer/turtle"
)

// TestErrors checks what errors say, and the line that they name.
func TestErrors(t *testing.T) {
	for _, c := range []struct {
		text, want string
		line       int
	}{
		{"<a> <b> <c> .\n\n<a> <b> \"x\n", "a string that ends with its line", 3},
		{"<a> <b> '''x\n\n", "a string without its closing quote", 1},
		{"\n@prefix ex: <http://x/> .\nex:a ey:b ex:c .", `the prefix "ey:" is not declared`, 3},
		{"<a> <b>", "found the end of the file, want an object", 1},
		{"<a> <b> <c>\n<d> <e> <f> .", `found '<', want '.' at the end of a statement`, 2},
		{"<a b> <c> <d> .", `' ' in an IRI`, 1},
		{"<a> <b> \xff .", "not valid UTF-8", 1},
		{"<a> <b> " + strings.Repeat("[<p> ", 2000), "more than 1000 brackets", 1},
		{"<a> <b> " + strings.Repeat("(", 2000), "more than 1000 brackets", 1},
		{"<a> <b> \"" + strings.Repeat("x", 1<<20+1), "a term of more than", 1},
		{"a <b> <c> .", `"a", want a statement`, 1},
		{"<a> \"b\" <c> .", "found '\"', want a predicate", 1},
	} {
		_, err := read(c.text, turtle.Options{})
		var mistake *turtle.Error
		if !errors.As(err, &mistake) || mistake.Line != c.line || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.40q: error is %v, want line %d: %s", c.text, err, c.line, c.want)
		}
	}
}

// TestStop checks that errors of the reader and of each come back as they are, with no
// more triples.
func TestStop(t *testing.T) {
	mine := errors.New("mine")
	n := 0
	err := turtle.Read(strings.NewReader("<a> <b> <c>, <d>, <e> ."), turtle.Options{}, func(int, turtle.Term, turtle.Term, turtle.Term) error {
		n++
		return mine
	})
	if err != mine || n != 1 {
		t.Errorf("error is %v after %d triples", err, n)
	}
	err = turtle.Read(io.MultiReader(strings.NewReader("<a> <b> "), failing{mine}), turtle.Options{}, nil)
	if !errors.Is(err, mine) {
		t.Errorf("error is %v", err)
	}
}

type failing struct{ error }

func (f failing) Read([]byte) (int, error) { return 0, f.error }

// TestResolve has the examples of RFC 3986, section 5.4.
func TestResolve(t *testing.T) {
	const base = "http://a/b/c/d;p?q"
	for ref, want := range map[string]string{
		"g:h": "g:h", "g": "http://a/b/c/g", "./g": "http://a/b/c/g", "g/": "http://a/b/c/g/", "/g": "http://a/g", "//g": "http://g",
		"?y": "http://a/b/c/d;p?y", "g?y": "http://a/b/c/g?y", "#s": "http://a/b/c/d;p?q#s", "g#s": "http://a/b/c/g#s",
		"g?y#s": "http://a/b/c/g?y#s", ";x": "http://a/b/c/;x", "g;x": "http://a/b/c/g;x", "": "http://a/b/c/d;p?q",
		".": "http://a/b/c/", "./": "http://a/b/c/", "..": "http://a/b/", "../": "http://a/b/", "../g": "http://a/b/g",
		"../..": "http://a/", "../../": "http://a/", "../../g": "http://a/g", "../../../g": "http://a/g", "/./g": "http://a/g",
		"/../g": "http://a/g", "g.": "http://a/b/c/g.", ".g": "http://a/b/c/.g", "g..": "http://a/b/c/g..", "..g": "http://a/b/c/..g",
		"./../g": "http://a/b/g", "./g/.": "http://a/b/c/g/", "g/./h": "http://a/b/c/g/h", "g/../h": "http://a/b/c/h",
		"g;x=1/./y": "http://a/b/c/g;x=1/y", "g;x=1/../y": "http://a/b/c/y", "g?y/./x": "http://a/b/c/g?y/./x", "g#s/../x": "http://a/b/c/g#s/../x",
	} {
		got, err := read("<"+ref+"> <p:p> <p:o> .", turtle.Options{Base: base})
		if err != nil || got != "<"+want+"> <p:p> <p:o> .\n" {
			t.Errorf("<%s> is %s, %v, want %s", ref, got, err, want)
		}
	}
	if got, err := read("<x> <y> <#z> .", turtle.Options{}); err != nil || got != "<x> <y> <#z> .\n" {
		t.Errorf("without a base: %s, %v", got, err)
	}
}

// FuzzRead checks that a document is read or refused, and that the triples of one that is
// read can be read again.
func FuzzRead(f *testing.F) {
	for name, text := range suite(f, "testdata/w3c-turtle.zip") {
		if strings.HasSuffix(name, ".ttl") {
			f.Add(text)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		out, err := read(text, turtle.Options{Base: "http://a/b"})
		var mistake *turtle.Error
		if err != nil {
			if !errors.As(err, &mistake) {
				t.Fatalf("error is %v, want one with a line", err)
			}
			return
		}
		again, err := read(out, turtle.Options{})
		if err != nil || again != out {
			t.Errorf("%s\nread again: %v\n%s", out, err, again)
		}
	})
}
