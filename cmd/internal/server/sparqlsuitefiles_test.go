package server

import (
	"encoding/json"
	"encoding/xml"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/efoc/efoc/lang/sparql"
	"github.com/efoc/efoc/runtime/model/importer/turtle"
	"github.com/efoc/efoc/testdata/require"
)

// suiteBase is the place that the files of the suite have for their relative IRIs.
const suiteBase = "http://suite.example/"

// suiteCase is a test of the suite; its files are paths in the archive.
type suiteCase struct {
	name, kind          string
	query, data, result string
}

func (c suiteCase) String() string { return c.query + " (" + c.name + ")" }

// statements are those of a Turtle file by subject and predicate.
type statements map[turtle.Term]map[string][]turtle.Term

func (s statements) one(subject turtle.Term, predicate string) turtle.Term {
	if list := s[subject][predicate]; len(list) > 0 {
		return list[0]
	}
	return turtle.Term{}
}

// list returns the items of a collection.
func (s statements) list(at turtle.Term) (items []turtle.Term) {
	for at.Text != "" && at.Text != rdfSyntax+"nil" {
		items = append(items, s.one(at, rdfSyntax+"first"))
		at = s.one(at, rdfSyntax+"rest")
	}
	return items
}

const (
	rdfSyntax = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
	manifest  = "http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#"
	testQuery = "http://www.w3.org/2001/sw/DataAccess/tests/test-query#"
	resultSet = "http://www.w3.org/2001/sw/DataAccess/tests/result-set#"
)

func readFile(t *testing.T, files fs.FS, name string) []byte {
	t.Helper()
	text, err := fs.ReadFile(files, name)
	require.NoError(t, err)
	return text
}

func readTurtle(t *testing.T, files fs.FS, name string, each func(s, p, o turtle.Term)) {
	t.Helper()
	text := string(readFile(t, files, name))
	err := turtle.Read(strings.NewReader(text), turtle.Options{Base: suiteBase + name}, func(_ int, s, p, o turtle.Term) error {
		each(s, p, o)
		return nil
	})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

func readStatements(t *testing.T, files fs.FS, name string) statements {
	t.Helper()
	all := statements{}
	readTurtle(t, files, name, func(s, p, o turtle.Term) {
		if all[s] == nil {
			all[s] = map[string][]turtle.Term{}
		}
		all[s][p.Text] = append(all[s][p.Text], o)
	})
	return all
}

// suiteCases lists the tests of queries in the manifests.
func suiteCases(t *testing.T, files fs.FS) (cases []suiteCase) {
	t.Helper()
	kinds := map[string]string{
		"QueryEvaluationTest": "evaluation", "PositiveSyntaxTest": "positive syntax", "PositiveSyntaxTest11": "positive syntax",
		"NegativeSyntaxTest": "negative syntax", "NegativeSyntaxTest11": "negative syntax", "CSVResultFormatTest": "evaluation",
	}
	err := fs.WalkDir(files, ".", func(name string, _ fs.DirEntry, err error) error {
		if err != nil || path.Base(name) != "manifest.ttl" {
			return err
		}
		all := readStatements(t, files, name)
		for s := range all {
			for _, entry := range all.list(all.one(s, manifest+"entries")) {
				c := suiteCase{name: all.one(entry, manifest+"name").Text}
				c.kind = kinds[strings.TrimPrefix(all.one(entry, rdfSyntax+"type").Text, manifest)]
				action := all.one(entry, manifest+"action")
				file := func(x turtle.Term) string { return strings.TrimPrefix(x.Text, suiteBase) }
				if c.query = file(action); action.Kind == turtle.Blank {
					c.query, c.data = file(all.one(action, testQuery+"query")), file(all.one(action, testQuery+"data"))
				}
				if c.result = file(all.one(entry, manifest+"result")); c.kind != "" && c.query != "" {
					cases = append(cases, c)
				}
			}
		}
		return nil
	})
	require.NoError(t, err)
	slices.SortFunc(cases, func(a, b suiteCase) int { return strings.Compare(a.query+a.name, b.query+b.name) })
	return cases
}

// solutions are what the W3C states: a truth value, or terms of the only variable.
type solutions struct {
	boolean       *bool
	variable      string
	rows, ordered []string
	// several are the solutions of several variables: of each, NAME=TERM in order, and a blank.
	several []string
}

// add adds a solution of several variables.
func (x *solutions) add(bindings []string) {
	slices.Sort(bindings)
	x.several = append(x.several, strings.Join(bindings, " "))
}

// expected reads a result of the suite.
func expected(t *testing.T, files fs.FS, name string) (x solutions) {
	t.Helper()
	text := readFile(t, files, name)
	switch path.Ext(name) {
	case ".srx":
		x = expectedXML(t, name, text)
	case ".srj":
		r := unmarshal[sparqlResult](t, string(text))
		x.boolean = r.Boolean
		var values struct {
			Results struct {
				Bindings []map[string]struct {
					Type, Value, Datatype string
					Language              string `json:"xml:lang"`
				}
			}
		}
		if err := json.Unmarshal(text, &values); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, row := range values.Results.Bindings {
			var bindings []string
			for v, b := range row {
				x.variable = v
				x.rows = append(x.rows, term(b.Type, b.Value, b.Language, b.Datatype))
				bindings = append(bindings, v+"="+x.rows[len(x.rows)-1])
			}
			x.add(bindings)
		}
	case ".rdf":
		x = expectedRDF(t, name, text)
	case ".ttl":
		x = expectedTurtle(readStatements(t, files, name))
	default:
		t.Fatalf("%s: a result of this kind is not read", name)
	}
	x.ordered = slices.Clone(x.rows)
	return x
}

// term writes a term of a result as suiteTerm does.
func term(kind, value, tag, datatype string) string {
	switch kind {
	case "uri":
		return "<" + value + ">"
	case "bnode":
		return "_:"
	}
	return sparql.Literal{Text: value, Language: strings.ToLower(tag), Datatype: datatype}.String()
}

func expectedXML(t *testing.T, name string, text []byte) (x solutions) {
	t.Helper()
	var document struct {
		Boolean *bool `xml:"boolean"`
		Rows    []struct {
			Bindings []struct {
				Name    string  `xml:"name,attr"`
				URI     *string `xml:"uri"`
				Blank   *string `xml:"bnode"`
				Literal *struct {
					Text     string `xml:",chardata"`
					Tag      string `xml:"lang,attr"`
					Datatype string `xml:"datatype,attr"`
				} `xml:"literal"`
			} `xml:"binding"`
		} `xml:"results>result"`
	}
	if err := xml.Unmarshal(text, &document); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	x.boolean = document.Boolean
	for _, row := range document.Rows {
		var bindings []string
		for _, b := range row.Bindings {
			x.variable = b.Name
			switch {
			case b.URI != nil:
				x.rows = append(x.rows, term("uri", *b.URI, "", ""))
			case b.Blank != nil:
				x.rows = append(x.rows, term("bnode", "", "", ""))
			default:
				x.rows = append(x.rows, term("literal", b.Literal.Text, b.Literal.Tag, b.Literal.Datatype))
			}
			bindings = append(bindings, b.Name+"="+x.rows[len(x.rows)-1])
		}
		x.add(bindings)
	}
	return x
}

// expectedRDF reads the vocabulary of result sets in RDF/XML, as the cases write it.
func expectedRDF(t *testing.T, name string, text []byte) (x solutions) {
	t.Helper()
	var document struct {
		Solutions []struct {
			Index    int `xml:"index"`
			Bindings []struct {
				Variable string `xml:"variable"`
				Value    struct {
					Text     string `xml:",chardata"`
					Resource string `xml:"resource,attr"`
					Node     string `xml:"nodeID,attr"`
					Datatype string `xml:"datatype,attr"`
				} `xml:"value"`
			} `xml:"binding"`
		} `xml:"ResultSet>solution"`
	}
	if err := xml.Unmarshal(text, &document); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	for i, solution := range document.Solutions {
		if solution.Index != i+1 {
			t.Fatalf("%s: the solutions are not in order", name)
		}
		var bindings []string
		for _, b := range solution.Bindings {
			x.variable = b.Variable
			switch v := b.Value; {
			case v.Resource != "":
				x.rows = append(x.rows, term("uri", v.Resource, "", ""))
			case v.Node != "":
				x.rows = append(x.rows, term("bnode", "", "", ""))
			default:
				x.rows = append(x.rows, term("literal", v.Text, "", v.Datatype))
			}
			bindings = append(bindings, b.Variable+"="+x.rows[len(x.rows)-1])
		}
		x.add(bindings)
	}
	return x
}

// expectedTurtle reads the vocabulary of result sets.
func expectedTurtle(all statements) (x solutions) {
	type row struct {
		index int
		term  string
	}
	var rows []row
	for _, properties := range all {
		if list := properties[resultSet+"boolean"]; len(list) > 0 {
			x.boolean = new(list[0].Text == "true")
		}
		for _, solution := range properties[resultSet+"solution"] {
			index, _ := strconv.Atoi(all.one(solution, resultSet+"index").Text)
			var bindings []string
			for _, b := range all[solution][resultSet+"binding"] {
				x.variable = all.one(b, resultSet+"variable").Text
				rows = append(rows, row{index, suiteTerm(nameOf(all.one(b, resultSet+"value")))})
				bindings = append(bindings, x.variable+"="+rows[len(rows)-1].term)
			}
			x.add(bindings)
		}
	}
	slices.SortStableFunc(rows, func(a, b row) int { return a.index - b.index })
	for _, r := range rows {
		x.rows = append(x.rows, r.term)
	}
	return x
}
