package importer

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/testdata/shared"
)

// folder writes files by name.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestDataset reads the same two facts, a valid and a test one, in every layout.
func TestDataset(t *testing.T) {
	names := map[string]string{"entities.tsv": "0\ta\n1\tb\n2\tc\n", "relations.tsv": "0\tr\n1\ts\n"}
	with := func(files map[string]string) map[string]string {
		for name, text := range names {
			files[name] = text
		}
		return files
	}
	both := "0\t0\t1\n1\t1\t0\n1\t0\t2\n2\t1\t1\n"
	valid, test := "2\t0\t0\n0\t1\t2\n", "2\t2\t1\n1\t3\t2\n"
	for name, files := range map[string]map[string]string{
		"names": with(map[string]string{"train.tsv": "a\tr\tb\nb\tr\tc\n", "valid.tsv": "c\tr\ta\n", "test.tsv": "c\ts\tb\n"}),
		"BetaE": {"stats.txt": "numentity: 3\nnumrelations: 4\n", "train.txt": both, "valid.txt": valid, "test.txt": test},
		"FIT": {
			"kgindex.json": `{"e": {"a": 0, "b": 1, "c": 2}, "r": {"+r": 0, "-r": 1, "+s": 2, "-s": 3}}`,
			"train_kg.tsv": both, "valid_kg.tsv": both + valid, "test_kg.tsv": both + valid + test,
		},
		"numbers": {"train.txt": "0\t0\t1\n1\t0\t2\n", "valid.txt": "2\t0\t0\n", "test.txt": "2\t1\t1\n"},
	} {
		d, err := ReadDataset(t.Context(), Options{Graph: folder(t, files)}, SplitFiles{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, part := range []struct {
			name      string
			got, want []model.Triple
		}{
			{"train", d.Train, []model.Triple{{Head: 0, Relation: 0, Tail: 1}, {Head: 1, Relation: 0, Tail: 2}}},
			{"valid", d.Valid, []model.Triple{{Head: 2, Relation: 0, Tail: 0}}},
			{"test", d.Test, []model.Triple{{Head: 2, Relation: 1, Tail: 1}}},
		} {
			if !reflect.DeepEqual(part.got, part.want) {
				t.Errorf("%s: %s is %v, want %v", name, part.name, part.got, part.want)
			}
		}
		if d.Entities.Len() != 3 || d.Relations.Len() != 2 {
			t.Errorf("%s: %d entities and %d relations, want 3 and 2", name, d.Entities.Len(), d.Relations.Len())
		}
		if relations, entities := d.Unseen(); len(relations) != 1 || relations[0] != 1 || entities != 0 {
			t.Errorf("%s: unseen are %v and %d entities", name, relations, entities)
		}
	}
}

// TestDatasetErrors expects the place of a fault in a split.
func TestDatasetErrors(t *testing.T) {
	dir := folder(t, map[string]string{
		"entities.tsv": "0\ta\n", "relations.tsv": "0\tr\n", "train.tsv": "a\tr\ta\n", "valid.tsv": "a\tr\tz\n",
	})
	if _, err := ReadDataset(t.Context(), Options{Graph: dir}, SplitFiles{}); err == nil || !strings.Contains(err.Error(), `valid.tsv:1: unknown entity "z"`) {
		t.Errorf("error is %v", err)
	}
	if _, err := ReadDataset(t.Context(), Options{}, SplitFiles{}); err == nil || !strings.Contains(err.Error(), "no graph given") {
		t.Errorf("error is %v", err)
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
		if err != nil {
			t.Fatal(err)
		}
		if d.Entities.Len() != c.entities || len(d.Train) != c.train || len(d.Valid) != c.valid || len(d.Test) != c.test {
			t.Errorf("%s: %d entities, %d, %d and %d facts, want %+v", c.name, d.Entities.Len(), len(d.Train), len(d.Valid), len(d.Test), c)
		}
		g, err := d.Graph(d.Train, d.Valid, d.Test)
		if err != nil {
			t.Fatal(err)
		}
		if g.NumTriples() != c.all {
			t.Errorf("%s: %d facts in all, want %d", c.name, g.NumTriples(), c.all)
		}
	}
}
