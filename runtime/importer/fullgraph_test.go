package importer

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/testdata/shared"
)

// fullModel has three named entities and one relation.
func fullModel(t *testing.T) *runtime.Model {
	t.Helper()
	g, err := runtime.NewGraph(3, 1, []runtime.Triple{{Head: 0, Tail: 1}})
	if err != nil {
		t.Fatal(err)
	}
	table, err := runtime.NewTable(make([]float32, 6), 2, runtime.Float32)
	if err != nil {
		t.Fatal(err)
	}
	entities, err := runtime.NewNames("entity", []string{"a", "b", "c"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	m, err := runtime.NewModel(runtime.Manifest{Settings: runtime.DefaultSettings()}, g, nil,
		runtime.Predictor{Rank: 1, EntityTable: table, RelationTable: make([]float32, 4)}, entities, runtime.NumberedNames("relation", 1))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestFullGraph(t *testing.T) {
	const entities, relations = "0\ta\n1\tb\n2\tc\n", "0\tr\n"
	for _, c := range []struct {
		name  string
		files map[string]string
		path  string
		facts int
		want  string
	}{
		{"names", map[string]string{"entities.tsv": entities, "relations.tsv": relations, "train.tsv": "a\tr\tb\n", "valid.tsv": "b\tr\tc\n", "test.tsv": "a\tr\tb\nc\tr\ta\n"}, "", 3, ""},
		{"no valid", map[string]string{"entities.tsv": entities, "relations.tsv": relations, "train.tsv": "a\tr\tb\n", "test.tsv": "c\tr\ta\n"}, "", 2, ""},
		{"BetaE", map[string]string{"stats.txt": "numentity: 3\nnumrelations: 2\n", "train.txt": "0 0 1\n1 1 0\n", "test.txt": "1 0 2\n2 1 1\n"}, "", 2, ""},
		{"numbers of both directions", map[string]string{"train.txt": "0 0 1\n1 1 0\n", "test.txt": "1 0 2\n2 1 1\n"}, "", 2, ""},
		{"one file", map[string]string{"all.tsv": "0 0 1\n1 0 2\n"}, "all.tsv", 2, ""},
		{"train alone", map[string]string{"train.txt": "0 0 1\n"}, "", 0, "no further splits beside train.txt"},
		{"too large", map[string]string{"train.txt": "0 0 1\n", "test.txt": "0 0 3\n"}, "", 0, "not the graph of the model: triple 1: tail is entity 3"},
		{"more entities", map[string]string{"entities.tsv": entities + "3\td\n", "relations.tsv": relations, "train.tsv": "a\tr\tb\n"}, "", 0, "it has 4 entities, the model has 3"},
		{"other ids", map[string]string{"entities.tsv": "0\tb\n1\ta\n2\tc\n", "relations.tsv": relations, "train.tsv": "a\tr\tb\n"}, "", 0, `entity 0 is "b", in the model "a"`},
		{"bad line", map[string]string{"entities.tsv": entities, "relations.tsv": relations, "train.tsv": "a\tr\tb\n", "test.tsv": "a\tr\tx\n"}, "", 0, "test.tsv:1: "},
	} {
		dir := t.TempDir()
		for name, text := range c.files {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		g, err := FullGraph(context.Background(), filepath.Join(dir, c.path), fullModel(t), nil)
		switch {
		case c.want != "":
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: error is %v, want %s", c.name, err, c.want)
			}
		case err != nil:
			t.Errorf("%s: %v", c.name, err)
		case g.NumTriples() != c.facts || !g.Has(0, 0, 1):
			t.Errorf("%s: %d facts, want %d", c.name, g.NumTriples(), c.facts)
		}
	}
}

// TestFullGraphReal counts the facts of the splits of real graphs.
func TestFullGraphReal(t *testing.T) {
	dir := shared.Dir(t, "data", "fb15k-237")
	// 272,115 + 17,526 + 20,438 facts, none of them twice.
	g, _, err := (&importer{options: Options{Graph: dir, Progress: func(string, int64, int64) {}}}).layoutOf(context.Background(), dir, "")
	if err != nil {
		t.Fatal(err)
	}
	entities, relations, err := g.names()
	if err != nil {
		t.Fatal(err)
	}
	visible, err := runtime.NewGraph(g.n, g.relations, nil)
	if err != nil {
		t.Fatal(err)
	}
	m := &runtime.Model{Graph: visible, Entities: entities, Relations: relations}
	for _, folder := range []string{dir, shared.Dir(t, "data", "fb15k-237-efo1")} {
		full, err := FullGraph(context.Background(), folder, m, nil)
		if err != nil {
			t.Fatal(err)
		}
		if full.NumTriples() != 272115+17526+20438 {
			t.Errorf("%s: %d facts", folder, full.NumTriples())
		}
	}
}
