package importer

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/runtime/model"
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
	d, err := ReadDataset(t.Context(), Options{Graph: path, Literals: LiteralValues, Note: func(text string) { notes = append(notes, text) }}, SplitFiles{})
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
	edges := []Edge{{Head: "city", Relation: "in", Tail: "land"}, {Head: "city", Relation: "population", Tail: "people", Value: model.NumberKind},
		{Head: "city", Relation: "founded", Tail: "year", Value: model.DateKind}}
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
