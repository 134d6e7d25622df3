package importer

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/runtime/model"
)

func TestSplits(t *testing.T) {
	tables := map[string]string{"entities.tsv": "0\ta\n1\tb\n2\tc\n", "relations.tsv": "0\tr\n1\ts\n"}
	index := `{"r":{"+r":0,"-r":1,"+s":2,"-s":3},"e":{"a":0,"b":1,"c":2}}`
	train := []model.Triple{{Head: 0, Relation: 0, Tail: 1}}
	valid := []model.Triple{{Head: 1, Relation: 0, Tail: 2}}
	test := []model.Triple{{Head: 2, Relation: 1, Tail: 0}}
	for _, c := range []struct {
		name              string
		files             map[string]string
		n, relations      int
		valid, test       []model.Triple
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
		{"nothing to validate with", map[string]string{"train.tsv": "a\tr\tb\n", "valid.tsv": "\n", "test.tsv": "c\ts\ta\n"}, 3, 2, []model.Triple{}, test, "b", ""},
		{"names without tables", map[string]string{"train.tsv": "head\trelation\ttail\na\tr\tb\n", "valid.tsv": "b\tr\tc\n", "test.tsv": "c\ts\ta\n",
			"entities.tsv": "", "relations.tsv": ""}, 3, 2, valid, test, "b", ""},
		{"unknown name", map[string]string{"train.tsv": "a\tr\tb\n", "test.tsv": "a\tr\tb\na\tr\td\n"}, 0, 0, nil, nil, "", "test.tsv:2:"},
		{"nothing", map[string]string{}, 0, 0, nil, nil, "", "no graph that efoc knows"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range tables {
				if _, own := c.files[name]; !own {
					writeText(t, filepath.Join(dir, name), text)
				}
			}
			for name, text := range c.files {
				if text != "" {
					writeText(t, filepath.Join(dir, name), text)
				}
			}
			s, err := ReadDataset(context.Background(), Options{Graph: dir}, SplitFiles{})
			if c.wantError != "" {
				if err == nil || !strings.Contains(err.Error(), c.wantError) {
					t.Fatalf("error is %v, want %s", err, c.wantError)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if s.Entities.Len() != c.n || s.Relations.Len() != c.relations || !slices.Equal(s.Train, train) || !slices.Equal(s.Valid, c.valid) || !slices.Equal(s.Test, c.test) {
				t.Errorf("splits are %+v", s)
			}
			if got := s.Entities.Name(1); got != c.entity {
				t.Errorf("entity 1 is %s, want %s", got, c.entity)
			}
		})
	}
}

func writeText(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
