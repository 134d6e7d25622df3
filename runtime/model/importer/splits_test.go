package importer

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/testdata/require"
	"github.com/efoc/efoc/testdata/shared"
)

// TestSplits reads the same facts, observed ones, a valid and a test one, in every layout. The test
// fact has a relation that no observed one has, and all entities but c are in those.
func TestSplits(t *testing.T) {
	tables := map[string]string{"entities.tsv": "0\ta\n1\tb\n2\tc\n", "relations.tsv": "0\tr\n1\ts\n"}
	index := `{"r":{"+r":0,"-r":1,"+s":2,"-s":3},"e":{"a":0,"b":1,"c":2}}`
	train := []graph.Triple{{Head: 0, Relation: 0, Tail: 1}}
	valid := []graph.Triple{{Head: 1, Relation: 0, Tail: 2}}
	test := []graph.Triple{{Head: 2, Relation: 1, Tail: 0}}
	for _, c := range []struct {
		name              string
		files             map[string]string
		n, relations      int
		valid, test       []graph.Triple
		entity, wantError string
	}{
		{"names", map[string]string{"train.tsv": "a\tr\tb\n", "valid.tsv": "b\tr\tc\na\tr\tb\n", "test.tsv": "c\ts\ta\n"}, 3, 2, valid, test, "b", ""},
		{"held out", map[string]string{"train.tsv": "a\tr\tb\n", "heldout.tsv": "c\ts\ta\n"}, 3, 2, nil, test, "b", ""},
		{"numbers", map[string]string{"train.txt": "0\t0\t1\n", "valid.txt": "1\t0\t2\n", "test.txt": "2\t1\t0\n",
			"entities.tsv": "", "relations.tsv": ""}, 3, 2, valid, test, "1", ""},
		{"BetaE", map[string]string{"stats.txt": "numentity: 4\nnumrelations: 4\n", "train.txt": "0\t0\t1\n1\t1\t0\n",
			"valid.txt": "1\t0\t2\n2\t1\t1\n", "test.txt": "2\t2\t0\n0\t3\t2\n", "entities.tsv": "", "relations.tsv": ""}, 4, 2, valid, test, "1", ""},
		{"FIT, cumulative", map[string]string{"kgindex.json": index, "train_kg.tsv": "0\t0\t1\n1\t1\t0\n",
			"valid_kg.tsv": "0\t0\t1\n1\t1\t0\n1\t0\t2\n2\t1\t1\n",
			"test_kg.tsv":  "0\t0\t1\n1\t1\t0\n1\t0\t2\n2\t1\t1\n2\t2\t0\n0\t3\t2\n"}, 3, 2, valid, test, "b", ""},
		{"nothing to validate with", map[string]string{"train.tsv": "a\tr\tb\n", "valid.tsv": "\n", "test.tsv": "c\ts\ta\n"}, 3, 2, []graph.Triple{}, test, "b", ""},
		{"names without tables", map[string]string{"train.tsv": "head\trelation\ttail\na\tr\tb\n", "valid.tsv": "b\tr\tc\n", "test.tsv": "c\ts\ta\n",
			"entities.tsv": "", "relations.tsv": ""}, 3, 2, valid, test, "b", ""},
		{"unknown name", map[string]string{"train.tsv": "a\tr\tb\n", "test.tsv": "a\tr\tb\na\tr\td\n"}, 0, 0, nil, nil, "", "test.tsv:2:"},
		{"nothing", map[string]string{}, 0, 0, nil, nil, "", "no graph that efoc knows"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range tables {
				if _, own := c.files[name]; !own {
					writeFile(t, dir, name, text)
				}
			}
			for name, text := range c.files {
				if text != "" {
					writeFile(t, dir, name, text)
				}
			}
			s, err := ReadDataset(context.Background(), Options{Graph: dir}, SplitFiles{})
			if c.wantError != "" {
				if err == nil || !strings.Contains(err.Error(), c.wantError) {
					t.Fatalf("error is %v, want %s", err, c.wantError)
				}
				return
			}
			require.NoError(t, err)
			if s.Entities.Len() != c.n || s.Relations.Len() != c.relations || !slices.Equal(s.Train, train) || !slices.Equal(s.Valid, c.valid) || !slices.Equal(s.Test, c.test) {
				t.Errorf("splits are %+v", s)
			}
			if got := s.Entities.Name(1); got != c.entity {
				t.Errorf("entity 1 is %s, want %s", got, c.entity)
			}
			if relations, entities := s.Unseen(); !slices.Equal(relations, []int32{1}) || entities != c.n-2 {
				t.Errorf("no observed fact has relations %v and %d entities, want relation 1 and %d", relations, entities, c.n-2)
			}
		})
	}
}

// TestSharedDatasets compares the sizes of the splits with published ones.
func TestSharedDatasets(t *testing.T) {
	for _, c := range []struct {
		name                              string
		entities, train, valid, test, all int
	}{
		{"fb15k-237", 14505, 272115, 17526, 20438, 310079},
		{"nell995", 63361, 114213, 14324, 14267, 142804},
	} {
		dir := shared.Dir(t, "data", c.name)
		d, err := ReadDataset(t.Context(), Options{Graph: dir}, SplitFiles{})
		require.NoError(t, err)
		if d.Entities.Len() != c.entities || len(d.Train) != c.train || len(d.Valid) != c.valid || len(d.Test) != c.test {
			t.Errorf("%s: %d entities, %d, %d and %d facts, want %+v", c.name, d.Entities.Len(), len(d.Train), len(d.Valid), len(d.Test), c)
		}
		g, err := d.Graph(d.Train, d.Valid, d.Test)
		require.NoError(t, err)
		if g.NumTriples() != c.all {
			t.Errorf("%s: %d facts in all, want %d", c.name, g.NumTriples(), c.all)
		}
	}
}
