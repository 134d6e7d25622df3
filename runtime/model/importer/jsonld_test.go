package importer

import (
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/testdata/require"
)

// towns is a document of JSON-LD, and townFacts its facts.
const towns = `{
	"@context": {"ex": "http://x.org/", "name": "http://www.w3.org/2000/01/rdf-schema#label", "xsd": "http://www.w3.org/2001/XMLSchema#",
		"in": {"@id": "ex:in", "@type": "@id"}, "people": {"@id": "ex:people", "@type": "xsd:integer"}, "founded": {"@id": "ex:founded", "@type": "xsd:date"}},
	"@graph": [
		{"@id": "ex:paris", "@type": "ex:Town", "name": {"@value": "Paris", "@language": "fr"}, "in": "ex:france", "people": 2100000, "ex:mayor": {"ex:of": {"@id": "ex:paris"}}},
		{"@id": "ex:lyon", "@type": "ex:Town", "in": ["ex:france", "ex:europe"], "founded": "1000-01-31", "ex:note": "a city"},
		{"@id": "rome", "in": "italy"}
	]}`

const townFacts = `_:#1 http://x.org/of http://x.org/paris, http://x.org/lyon http://www.w3.org/1999/02/22-rdf-syntax-ns#type http://x.org/Town, ` +
	`http://x.org/lyon http://x.org/in http://x.org/europe, http://x.org/lyon http://x.org/in http://x.org/france, ` +
	`http://x.org/paris http://www.w3.org/1999/02/22-rdf-syntax-ns#type http://x.org/Town, http://x.org/paris http://x.org/in http://x.org/france, ` +
	`http://x.org/paris http://x.org/mayor _:#1, rome http://x.org/in italy`

// TestJSONLD reads facts, labels, prefixes, values and blank nodes, always in the same order. Contexts elsewhere are
// not fetched.
func TestJSONLD(t *testing.T) {
	path := writeFile(t, t.TempDir(), "a.jsonld", towns)
	facts, notes, err := listed(t, path, Options{})
	require.NoError(t, err)
	if got := strings.Join(facts, ", "); got != townFacts {
		t.Errorf("the facts are %s, want %s", got, townFacts)
	}
	if text := strings.Join(notes, "\n"); !strings.Contains(text, "1 labels were read") || !strings.Contains(text, "3 statements about literals were left out: 1 of ex:founded, 1 of ex:note, 1 of ex:people") {
		t.Errorf("the notes are %s", text)
	}
	var before []string
	for range 5 {
		d, err := ReadDataset(t.Context(), Options{Graph: path, Literals: literalValues}, SplitFiles{})
		require.NoError(t, err)
		var names []string
		for id := range int32(d.Entities.Len()) {
			names = append(names, d.Entities.Name(id)+" "+d.Entities.Label(id))
		}
		if before != nil && !slices.Equal(names, before) {
			t.Fatalf("the entities are %q, and %q before", names, before)
		}
		before = names
		var values []string
		for _, a := range d.Values {
			values = append(values, a.Name+" "+a.Kind.Text(a.Values[0].Number))
		}
		slices.Sort(values)
		if got := strings.Join(values, ", "); got != "http://x.org/founded 1000-01-31, http://x.org/people 2100000" {
			t.Errorf("the values are %s", got)
		}
	}
	if !slices.Contains(before, "http://x.org/paris Paris") || !slices.Contains(before, "http://x.org/lyon ex:lyon") {
		t.Errorf("the labels are %q", before)
	}

	for text, want := range map[string]string{
		`{"@context": "https://schema.org/", "@id": "a", "knows": "b"}`: "the @context is at https://schema.org/, which efoc does not fetch: write the context itself into the file",
		`{"@context": {"@import": "https://x.org/c"}, "@id": "a"}`:      "the @context is at https://x.org/c",
		`{"@context": ["c.json", {}], "@id": "a"}`:                      "the @context is at http://base.invalid/c.json",
		`{"@id": "a", `: "a.jsonld:1: unexpected end of JSON input",
		`{"@context": {"a": {"@id": "@nothing:x", "@container": "@nowhere"}}, "a": {"@id": 5}}`: "a.jsonld:1: ",
		strings.Repeat("[", 20_000): "a.jsonld:1: ",
		`"a"`:                       "no triples",
		`null`:                      "no triples",
		`[[{"@id": ["x"]}]]`:        "a.jsonld:1: ",
	} {
		_, _, err := listed(t, writeFile(t, t.TempDir(), "a.jsonld", text), Options{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.90s: error %v, want %q", text, err, want)
		}
	}
}
