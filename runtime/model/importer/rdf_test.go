package importer

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/table"
	"github.com/efoc/efoc/testdata/require"
)

// TestRDFLabels has literals name entities and relations: the language first, then the property, then the
// shorter one, in any order of the statements.
func TestRDFLabels(t *testing.T) {
	statements := []string{
		`ex:1 rdfs:label "dog"@en .`, `ex:1 rdfs:label "Hund"@de .`, `ex:1 rdfs:label "hound and dog"@en .`,
		`ex:2 skos:prefLabel "cat" .`, `ex:2 rdfs:label "Katze"@de .`, `ex:2 rdfs:label "kat"@nl .`,
		`ex:3 <https://schema.org/name> "bird" .`, `ex:3 rdfs:label "feathered biped" .`,
		`ex:4 rdfs:label "chien"@fr .`, `ex:4 rdfs:label 7 .`, `ex:4 rdfs:label "two\nlines" .`,
		`ex:hypernym rdfs:label "is a kind of" .`, `ex:1 ex:age 7 .`,
		`ex:1 ex:hypernym ex:2 .`, `ex:3 ex:hypernym ex:4 .`, `ex:5 ex:hypernym ex:1 .`,
	}
	const head = "@prefix ex: <http://x/> .\n@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n@prefix skos: <http://www.w3.org/2004/02/skos/core#> .\n"
	for _, c := range []struct{ language, want string }{
		{"", "dog cat feathered biped chien ex:5"},
		{"de", "Hund Katze feathered biped chien ex:5"},
	} {
		for range 2 {
			slices.Reverse(statements)
			path := writeFile(t, t.TempDir(), "g.ttl", head+strings.Join(statements, "\n"))
			var notes []string
			d, err := ReadDataset(t.Context(), Options{Graph: path, Language: c.language, Note: func(text string) { notes = append(notes, text) }}, SplitFiles{})
			require.NoError(t, err)
			var labels []string
			for _, name := range []string{"1", "2", "3", "4", "5"} {
				id, err := d.Entities.Find("http://x/" + name)
				require.NoError(t, err)
				labels = append(labels, d.Entities.Label(id))
			}
			if got := strings.Join(labels, " "); got != c.want || d.Relations.Len() != 1 || d.Relations.Label(0) != "is a kind of" {
				t.Errorf("language %q: labels %q, relation %q, want %q", c.language, got, d.Relations.Label(0), c.want)
			}
			left := "3 statements about literals were left out: 2 of rdfs:label, 1 of ex:age"
			if text := strings.Join(notes, "\n"); !strings.Contains(text, "10 labels were read") || !strings.Contains(text, left) {
				t.Errorf("the notes are %s", text)
			}
		}
	}
}

// TestPrefixedNames finds what has a label by its prefixed name, too.
func TestPrefixedNames(t *testing.T) {
	d, err := ReadDataset(t.Context(), Options{Graph: writeFile(t, t.TempDir(), "g.ttl",
		"@prefix ex: <http://x/> .\n@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\nex:a rdfs:label 'Ada' .\nex:a ex:knows ex:b .\nex:b ex:knows ex:a .\n")}, SplitFiles{})
	require.NoError(t, err)
	table, err := table.Make([]float32{1, 1, 1, 1}, 2, table.Float32, "")
	require.NoError(t, err)
	p := model.Predictor{Rank: 1, EntityTable: table, EntityNorms: []float32{math.Sqrt2, math.Sqrt2}, RelationTable: []float32{1, 1, 1, 1}}
	m, err := d.Model(p, model.Manifest{Settings: model.DefaultSettings()})
	require.NoError(t, err)
	a, err := m.FindEntity("http://x/a")
	require.NoError(t, err)
	for _, name := range []string{"Ada", "ex:a", "http://x/a"} {
		if id, err := m.FindEntity(name); err != nil || id != a {
			t.Errorf("%s: %d, %v, want %d", name, id, err, a)
		}
	}
	if _, err := m.FindRelation("ex:knows"); err != nil {
		t.Error(err)
	}
	for _, name := range []string{"ex", "ex:", "ex:c", "no:a"} {
		if _, err := m.FindEntity(name); err == nil {
			t.Errorf("%s is found", name)
		}
	}
}

// TestBlank leaves statements out that lead to a blank node from which no fact leads on, in any order.
func TestBlank(t *testing.T) {
	lines := []string{
		"<a> <p> _:leads .", "_:leads <q> <b> .", // leads on
		"<a> <p> _:far .", "_:far <q> _:near .", "_:near <q> <c> .", // by another one
		"<a> <p> _:end .", "_:end <q> 'literal' .", // only to a literal
		"<a> <p> _:x .", "_:x <q> _:y .", "_:y <q> _:x .", // in a circle
		"_:first <p> <a> .", // nothing leads there, but it leads on
		"<a> <p> <b> .",
	}
	for range 2 {
		slices.Reverse(lines)
		path := writeFile(t, t.TempDir(), "g.ttl", strings.Join(lines, "\n"))
		got, notes, err := listed(t, path, Options{})
		require.NoError(t, err)
		if len(got) != 7 || !slices.Contains(notes, ": 4 statements that lead to a blank node without facts of its own were left out") {
			t.Errorf("%d facts, want 7: %q %q", len(got), got, notes)
		}
	}
}
