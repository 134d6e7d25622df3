package turtle_test

import (
	"archive/zip"
	"crypto/sha256"
	"errors"
	"io"
	"path"
	"regexp"
	"strings"
	"testing"

	"gonum.org/v1/gonum/graph/formats/rdf"

	"github.com/efoc/efoc/runtime/model/importer/turtle"
	"github.com/efoc/efoc/testdata/require"
)

// suiteBase is the IRI below which the W3C's tests are.
const suiteBase = "https://w3c.github.io/rdf-tests/rdf/rdf11/rdf-"

// suite returns the files of an archive of the W3C's tests.
func suite(t testing.TB, file string) map[string]string {
	t.Helper()
	archive, err := zip.OpenReader(file)
	require.NoError(t, err)
	defer archive.Close()
	files := map[string]string{}
	for _, f := range archive.File {
		r, err := f.Open()
		require.NoError(t, err)
		text, err := io.ReadAll(r)
		require.NoError(t, err)
		files[path.Base(f.Name)] = string(text)
	}
	return files
}

// read returns the triples of a document in N-Triples.
func read(text string, o turtle.Options) (string, error) {
	var out strings.Builder
	err := turtle.Read(strings.NewReader(text), o, func(_ int, s, p, o turtle.Term) error {
		for _, t := range []turtle.Term{s, p, o} {
			// No label that N-Triples allows begins with #.
			out.WriteString(strings.Replace(t.String(), "_:#", "_:anonymous", 1) + " ")
		}
		out.WriteString(".\n")
		return nil
	})
	return out.String(), err
}

// statements reads N-Triples by another implementation.
func statements(t *testing.T, text string) (list []*rdf.Statement) {
	t.Helper()
	d := rdf.NewDecoder(strings.NewReader(text))
	for {
		s, err := d.Unmarshal()
		if errors.Is(err, io.EOF) {
			return rdf.Deduplicate(list)
		}
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		s.Label = rdf.Term{}
		for _, term := range []*rdf.Term{&s.Subject, &s.Predicate, &s.Object} {
			*term = unescaped(t, *term)
		}
		list = append(list, s)
	}
}

// unescaped writes a term in one way of several.
func unescaped(t *testing.T, term rdf.Term) rdf.Term {
	t.Helper()
	text, qualifier, kind, err := term.Parts()
	switch {
	case err != nil:
	case kind == rdf.IRI:
		term, err = rdf.NewIRITerm(text)
	case kind == rdf.Literal:
		term, err = rdf.NewLiteralTerm(text, qualifier)
	}
	require.NoError(t, err)
	return term
}

// TestSuite runs the tests of the W3C: documents that must be read, those whose triples
// are given, up to the names of blank nodes, and those that must be refused. The names of graphs in TriG are
// dropped on both sides.
func TestSuite(t *testing.T) {
	for _, c := range []struct {
		name   string
		graphs *int
		counts map[string]int
	}{
		{"turtle", nil, map[string]int{"Eval": 145, "PositiveSyntax": 74, "NegativeSyntax": 94}},
		{"trig", new(int), map[string]int{"Eval": 143, "PositiveSyntax": 97, "NegativeSyntax": 115}},
	} {
		t.Run(c.name, func(t *testing.T) { runSuite(t, c.name, c.graphs, c.counts) })
	}
}

func runSuite(t *testing.T, suiteName string, graphs *int, want map[string]int) {
	files := suite(t, "testdata/w3c-"+suiteName+".zip")
	base := suiteBase + suiteName + "/"
	entry := regexp.MustCompile(`^([^>]+)>\s+rdf:type\s+rdft:Test(?:Turtle|Trig)(\w+)`)
	action := regexp.MustCompile(`mf:action\s+<([^>]+)>`)
	result := regexp.MustCompile(`mf:result\s+<([^>]+)>`)
	counts := map[string]int{}
	for text := range strings.SplitSeq(files["manifest.ttl"], "\n<#") {
		m := entry.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		name, kind := m[1], m[2]
		file := action.FindStringSubmatch(text)[1]
		counts[kind]++
		t.Run(name, func(t *testing.T) {
			got, err := read(files[file], turtle.Options{Base: base + file, Graphs: graphs, Braces: graphs != nil})
			var mistake *turtle.Error
			switch {
			case strings.HasPrefix(kind, "Negative"):
				if !errors.As(err, &mistake) {
					t.Errorf("error is %v, want a mistake\n%s\n%s", err, files[file], got)
				}
			case err != nil:
				t.Errorf("%v\n%s", err, files[file])
			case kind == "Eval":
				want := files[result.FindStringSubmatch(text)[1]]
				if !rdf.Isomorphic(statements(t, got), statements(t, want), false, sha256.New()) {
					t.Errorf("triples\n%s\nwant\n%s", got, want)
				}
			}
		})
	}
	for kind, want := range want {
		if counts[kind] < want {
			t.Errorf("%d tests of kind %s, want %d", counts[kind], kind, want)
		}
	}
}
