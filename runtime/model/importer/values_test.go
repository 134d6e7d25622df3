package importer

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/runtime/model/values"
	"github.com/efoc/efoc/testdata/require"
)

// stated lists the values of a dataset.
func stated(d *Dataset) (list []string) {
	for _, a := range d.Values {
		for _, v := range a.Values {
			list = append(list, fmt.Sprintf("%s %s %s", d.Entities.Name(int32(v.Entity)), a.Name, a.Kind.Text(v.Number)))
		}
	}
	slices.Sort(list)
	return list
}

// TestLiteralValues reads the numbers and dates of RDF as values, and counts what is none.
func TestLiteralValues(t *testing.T) {
	const text = `@prefix : <http://x.org/> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:a :near :b ; :size 5, 5.0, 1e3 ; :born "1950-06-01"^^xsd:date ; :note "tall" ; :opened "1889"^^xsd:gYear .
:b :size "12"^^xsd:unsignedByte, "many"^^xsd:integer, "INF"^^xsd:double ; :born "1970-01-01T00:00:01Z"^^xsd:dateTime, 7 ; :seen true .
:alone :size 3 .
`
	var notes []string
	path := writeFile(t, t.TempDir(), "train.ttl", text)
	d, err := ReadDataset(t.Context(), Options{Graph: path, Literals: literalValues, Note: func(text string) { notes = append(notes, text) }}, SplitFiles{})
	require.NoError(t, err)
	// 5 and 5.0 are one number, which counts once when a model is made.
	want := []string{"http://x.org/a http://x.org/born 1950-06-01", "http://x.org/a http://x.org/opened 1889-01-01", "http://x.org/a http://x.org/size 1000",
		"http://x.org/a http://x.org/size 5", "http://x.org/a http://x.org/size 5", "http://x.org/b http://x.org/born 1970-01-01T00:00:01Z", "http://x.org/b http://x.org/size 12"}
	if got := stated(d); !slices.Equal(got, want) {
		t.Errorf("values are %q, want %q", got, want)
	}
	if d.Entities.Len() != 2 || d.Relations.Len() != 1 {
		t.Errorf("there are %d entities and %d relations, want 2 and 1", d.Entities.Len(), d.Relations.Len())
	}
	wantCounts := map[string]int{"http://x.org/note": 1, "http://x.org/size": 2, "http://x.org/born": 1, "http://x.org/seen": 1}
	if fmt.Sprint(d.Literals) != fmt.Sprint(wantCounts) {
		t.Errorf("literals are %v, want %v", d.Literals, wantCounts)
	}
	all := strings.Join(notes, "\n")
	for _, note := range []string{"8 values were read", "5 statements about literals were left out", "1 values are of entities without facts and were left out"} {
		if !strings.Contains(all, note) {
			t.Errorf("the notes lack %q:\n%s", note, all)
		}
	}
}

// TestTableValues reads columns of numbers and dates.
func TestTableValues(t *testing.T) {
	edges := []Edge{{Head: "city", Relation: "in", Tail: "land"}, {Head: "city", Relation: "population", Tail: "people", Value: values.NumberKind},
		{Head: "city", Relation: "founded", Tail: "year", Value: values.DateKind}}
	path := writeFile(t, t.TempDir(), "train.tsv", "city\tland\tpeople\tyear\nParis\tFrance\t2100000\t\nBerlin\tGermany\t 3.5e6 \t1237-10-28\n")
	d, err := ReadDataset(t.Context(), Options{Graph: path, Edges: edges}, SplitFiles{})
	require.NoError(t, err)
	if want := []string{"Berlin founded 1237-10-28", "Berlin population 3500000", "Paris population 2100000"}; !slices.Equal(stated(d), want) {
		t.Errorf("values are %q, want %q", stated(d), want)
	}
	path = writeFile(t, t.TempDir(), "train.tsv", "city\tland\tpeople\tyear\nParis\tFrance\tmany\t\n")
	if _, err := ReadDataset(t.Context(), Options{Graph: path, Edges: edges}, SplitFiles{}); err == nil || !strings.Contains(err.Error(), `train.tsv:2: column people: "many" is not a number`) {
		t.Errorf("the error is %v", err)
	}
}

// TestInexactValues refuses, in every format, numbers and dates that would be printed as others.
func TestInexactValues(t *testing.T) {
	const people = "9007199254740993 would be read as 9007199254740992"
	edges := []Edge{{Head: "City", Relation: "in", Tail: "Land"}, {Head: "City", Relation: "population", Tail: "People", Value: values.NumberKind}}
	for name, c := range map[string]struct {
		text, want string
		options    Options
	}{
		"a.tsv": {"City\tLand\tPeople\nParis\tFrance\t9007199254740993\n", "a.tsv:2: column People: " + people, Options{Edges: edges}},
		"a.csv": {"City,Land,People\nRome,Italy,1\nParis,France,9007199254740993\n", "a.csv:3: column People: " + people, Options{Edges: edges}},
		"b.tsv": {"a\tnear\tb\na\tsize\t\"9007199254740993\"^^xsd:integer\n", "b.tsv:2: " + people, Options{Literals: literalValues}},
		"a.ttl": {"@prefix : <http://x.org/> .\n:a :near :b ; :born \"2020-12-31T23:59:59.9999999Z\"^^<http://www.w3.org/2001/XMLSchema#dateTime> .\n",
			"a.ttl:2: 2020-12-31T23:59:59.9999999Z would be read as 2021-01-01", Options{Literals: literalValues}},
	} {
		c.options.Graph = writeFile(t, t.TempDir(), name, c.text)
		_, err := ReadDataset(t.Context(), c.options, SplitFiles{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %s", name, err, c.want)
		}
		if name == "b.tsv" { // the tail may be the name of an entity: package facts decides
			continue
		}
		err = ReadFacts(t.Context(), c.options, nil, func(int, [3]string) error { return nil })
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error of facts %v, want %s", name, err, c.want)
		}
	}
}

// TestReadFactValues reads the values of files of facts as typed literals, in order with the facts.
func TestReadFactValues(t *testing.T) {
	const number = `"5"^^<http://www.w3.org/2001/XMLSchema#decimal>`
	for name, c := range map[string]struct {
		text    string
		options Options
		want    []string
	}{
		"f.ttl": {"@prefix : <http://x.org/> . :a :near :b ; :size 5.0, 1e3 ; :note \"tall\" .\n", Options{Literals: literalValues}, []string{
			"http://x.org/a http://x.org/near http://x.org/b", `http://x.org/a http://x.org/size "5.0"^^<http://www.w3.org/2001/XMLSchema#decimal>`,
			`http://x.org/a http://x.org/size "1e3"^^<http://www.w3.org/2001/XMLSchema#double>`}},
		"f.csv": {"city,land,people,year\nParis,France,5,\nRome,Italy,,-0752\n", Options{Edges: []Edge{
			{Head: "city", Relation: "size", Tail: "people", Value: values.NumberKind}, {Head: "city", Relation: "in", Tail: "land"},
			{Head: "city", Relation: "founded", Tail: "year", Value: values.DateKind}}}, []string{
			"Paris size " + number, "Paris in France", "Rome in Italy", `Rome founded "-0752"^^<http://www.w3.org/2001/XMLSchema#gYear>`}},
		"f.tsv": {"Paris\tsize\t" + number + "\nParis\tsize\t5\n", Options{}, []string{"Paris size " + number, "Paris size 5"}},
	} {
		var got []string
		c.options.Graph = writeFile(t, t.TempDir(), name, c.text)
		err := ReadFacts(t.Context(), c.options, nil, func(_ int, names [3]string) error {
			got = append(got, strings.Join(names[:], " "))
			return nil
		})
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, %v, want %q", name, got, err, c.want)
		}
	}
}

// TestTypedTails reads typed literals in place of tails as values if values are wanted, and else as entities.
func TestTypedTails(t *testing.T) {
	const text = "a\tnear\tb\na\tsize\t\"5\"^^<http://www.w3.org/2001/XMLSchema#decimal>\nb\tborn\t\"1950-06\"^^xsd:gYearMonth\n"
	for literals, want := range map[Literals][]string{literalValues: {"a size 5", "b born 1950-06-01"}, skipLiterals: nil} {
		path := writeFile(t, t.TempDir(), "train.tsv", text)
		notes := ""
		d, err := ReadDataset(t.Context(), Options{Graph: path, Literals: literals, Note: func(text string) { notes += text }}, SplitFiles{})
		require.NoError(t, err)
		if strings.Contains(notes, "2 facts lead to typed literals") != (want == nil) {
			t.Errorf("%s: the notes are %q", literals, notes)
		}
		if got := stated(d); !slices.Equal(got, want) || d.Entities.Len()-2 != 2-len(want) {
			t.Errorf("%s: values are %q of %d entities, want %q", literals, got, d.Entities.Len(), want)
		}
	}
	path := writeFile(t, t.TempDir(), "train.tsv", "a\tnear\tb\na\tsize\t\"tall\"^^xsd:decimal\n")
	if _, err := ReadDataset(t.Context(), Options{Graph: path, Literals: literalValues}, SplitFiles{}); err == nil || !strings.Contains(err.Error(), `train.tsv:2: "tall" is not a number`) {
		t.Errorf("the error is %v", err)
	}
}
