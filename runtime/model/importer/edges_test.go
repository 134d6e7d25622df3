package importer

import (
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/runtime/model/values"
)

// TestEdges makes facts of two columns each, in every format of tables; empty cells make none.
func TestEdges(t *testing.T) {
	edges := []Edge{{Head: "gene", Relation: "causes", Tail: "phenotype"}, {Head: "gene", Relation: "lies on", Tail: "place"}}
	want := []string{"g1 causes fever", "g1 lies on 7q", "g2 lies on 9p"}
	for file, text := range map[string]string{
		"a.tsv": "place\tgene\tweight\tphenotype\n7q\tg1\t1\tfever\n9p\tg2\t2\t\n",
		"a.csv": "place,gene,weight,phenotype\n7q,g1,1,fever\n9p,g2,2,\n",
	} {
		path := writeFile(t, t.TempDir(), file, text)
		got, _, err := listed(t, path, Options{Edges: edges})
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v, want %q", file, got, err, want)
		}
		_, _, err = listed(t, path, Options{Edges: []Edge{{Head: "gene", Relation: "causes", Tail: "disease"}}})
		if err == nil || !strings.Contains(err.Error(), `there is no column "disease" among `) {
			t.Errorf("%s: error is %v", file, err)
		}
		d, err := ReadDataset(t.Context(), Options{Graph: path, Edges: edges}, SplitFiles{})
		if err != nil || d.Entities.Len() != 5 || d.Relations.Len() != 2 {
			t.Errorf("%s: %+v, %v", file, d, err)
		}
	}
	for text, want := range map[string]Edge{
		"gene -associated_with-> phenotype": {"gene", "associated_with", "phenotype", ""}, "a-b -is-a-> c d": {"a-b", "is-a", "c d", ""},
		"city -population-> inhabitants:number": {"city", "population", "inhabitants", values.NumberKind}, "a -b-> c:d:date": {"a", "b", "c:d", values.DateKind},
	} {
		if got, err := ParseEdge(text); err != nil || got != want {
			t.Errorf("%s: %q, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "a -> b", "a -r-> ", "-r-> b", "a r b", "a -r- b"} {
		if _, err := ParseEdge(text); err == nil {
			t.Errorf("%q is an edge", text)
		}
	}
}

// TestWideTSV reads text of more than three columns by a first line that names them, as KGX writes edges,
// and says what to do where it cannot.
func TestWideTSV(t *testing.T) {
	kgx := "id\tsubject\tpredicate\tobject\tsource\n1\tG:1\tbiolink:causes\tD:2\tx\n2\tG:2\tbiolink:causes\tD:2\ty\n"
	got, _, err := listed(t, writeFile(t, t.TempDir(), "edges.tsv", strings.Replace(kgx, "source", "origin", 1)), Options{})
	if want := []string{"G:1 biolink:causes D:2", "G:2 biolink:causes D:2"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
	stix := "id,source_ref,relationship_type,target_ref\nr--1,malware--1,uses,tool--2\n"
	got, _, err = listed(t, writeFile(t, t.TempDir(), "stix.csv", stix), Options{})
	if want := []string{"malware--1 uses tool--2"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
	for text, want := range map[string]string{
		"# a comment\na\tr\tb\n":       "remove the lines that begin with #",
		"a\tr\tb\tc\td\te\n":           "set columns=HEAD,RELATION,TAIL",
		"gene\tphenotype\ng1\tfever\n": "set edge=COLUMN -RELATION-> COLUMN",
		"a;r;b\n":                      "set separator=;",
		kgx:                            `column "subject" and column "source" may both hold the heads`,
		"a\tr\tb\nb\tr\n":              "set edge=",
	} {
		_, _, err := listed(t, writeFile(t, t.TempDir(), "a.tsv", text), Options{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error is %v, want %s", text, err, want)
		}
	}
}
