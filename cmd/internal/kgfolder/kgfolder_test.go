package kgfolder_test

import (
	"bytes"
	"context"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/efoc/efoc/cmd/internal/kgfolder"
	"github.com/efoc/efoc/testdata/shared"
)

func silent(string, int64, int64) {}

// folder makes a folder of files.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// betae and fit are the same graph, written by hand.
var (
	betae = map[string]string{
		"stats.txt":  "numentity: 3\nnumrelations: 2\n",
		"id2ent.pkl": "\x80\x03}(K\x00\x8c\x01aK\x01\x8c\x01bK\x02\x8c\x02\xc3\xa9u.",
		"id2rel.pkl": "\x80\x03}(K\x00\x8c\x02+rK\x01\x8c\x02-ru.",
		"train.txt":  "0\t0\t1\n1\t1\t0\n", "valid.txt": "1\t0\t2\n2\t1\t1\n", "test.txt": "2\t0\t0\n0\t1\t2\n",
	}
	fit = map[string]string{
		"kgindex.json": `{"e": {"a": 0, "b": 1, "é": 2}, "r": {"+r": 0, "-r": 1}}` + "\n",
		"train_kg.tsv": "0\t0\t1\n1\t1\t0\n",
		"valid_kg.tsv": "0\t0\t1\n1\t1\t0\n1\t0\t2\n2\t1\t1\n",
		"test_kg.tsv":  "0\t0\t1\n1\t1\t0\n1\t0\t2\n2\t1\t1\n2\t0\t0\n0\t1\t2\n",
	}
)

// convert reads a folder and writes it in a layout.
func convert(t *testing.T, dir string, to kgfolder.Kind) string {
	t.Helper()
	g, err := kgfolder.Read(context.Background(), dir, silent)
	if err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	if err := g.Write(context.Background(), out, to, silent); err != nil {
		t.Fatal(err)
	}
	return out
}

// sameFiles compares files with texts.
func sameFiles(t *testing.T, dir string, want map[string]string) {
	t.Helper()
	for name, text := range want {
		got, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || string(got) != text {
			t.Errorf("%s is %q, %v, want %q", name, got, err, text)
		}
	}
}

func TestConvert(t *testing.T) {
	sameFiles(t, convert(t, folder(t, betae), kgfolder.FIT), fit)
	out := convert(t, folder(t, fit), kgfolder.BetaE)
	for _, name := range []string{"stats.txt", "train.txt", "valid.txt", "test.txt"} {
		sameFiles(t, out, map[string]string{name: betae[name]})
	}
	sameFiles(t, convert(t, out, kgfolder.FIT), fit) // the pickled names too
}

// TestRepeated counts a triple that is listed twice once, as the importer does, and
// reads blanks in a folder that has nothing but ids.
func TestRepeated(t *testing.T) {
	files := maps.Clone(betae)
	files["train.txt"] = "0 0 1\n1 1 0\n0 0  1\n\n1 1 0\n"
	sameFiles(t, convert(t, folder(t, files), kgfolder.FIT), fit)
}

func TestReadErrors(t *testing.T) {
	for _, c := range []struct {
		kind       map[string]string
		file, text string
		want       string
	}{
		{betae, "stats.txt", "numentity: x", `stats.txt:1: "x" is not a count`},
		{betae, "stats.txt", "numentity: 4000000000", "is not a count up to"},
		{betae, "stats.txt", "numentity: 99999999\nnumrelations: 2", "do not name the 99999999 that stats.txt says"},
		{betae, "stats.txt", "numentity: 3\nnumrelations: 3", "2 names, but stats.txt says 3"},
		{betae, "id2ent.pkl", "\x80\x03}(K\x00\x8c\x01aK\x00\x8c\x01bu.", `entity 0 is named "a" and "b"`},
		{betae, "id2ent.pkl", "\x80\x03}(K\x07\x8c\x01au.", `entity "a" has id 7`},
		{betae, "id2ent.pkl", "\x80\x03cos\nsystem\n.", "id2ent.pkl: pickle, byte 2"},
		{betae, "train.txt", "0\t0\t1\n0\t2\t1\n", "train.txt:2: relation 2 is out of range, want 0 to 1"},
		{betae, "valid.txt", "0\t0\n", "valid.txt:1: 2 fields"},
		{fit, "kgindex.json", `{"e": {"a": 1}, "r": {}}`, `entity "a" has id 1`},
		{fit, "kgindex.json", `{"e": {"a": 0}, "r": {"r": 0}}`, "1 directed relations"},
		{fit, "kgindex.json", `{"e": 7}`, "kgindex.json: json"},
		{betae, "train.txt", "0\t0\t1\n1\t1\t0\n\n1\t0\t2\n", "train.txt:4: 1 0 2 has no inverse 2 1 1"},
		{betae, "train.txt", "0\t0\t1\n1\t1\t0\n2\t1\t1\n", "train.txt:3: 2 1 1 has no inverse 1 0 2"},
		{betae, "train.txt", "a b c\n", `train.txt:1: entity "a" is not a number`},
		{betae, "train.txt", "# a note\n", `train.txt:1: entity "#" is not a number`},
		{fit, "valid_kg.tsv", "1\t0\t2\n2\t1\t1\n", "train_kg.tsv:1: 0 0 1 is not in "},
	} {
		dir := folder(t, c.kind)
		if err := os.WriteFile(filepath.Join(dir, c.file), []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := kgfolder.Read(context.Background(), dir, silent); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %q: error is %v, want %s", c.file, c.text, err, c.want)
		}
	}
	if _, err := kgfolder.Read(context.Background(), t.TempDir(), silent); err == nil || !strings.Contains(err.Error(), "no graph") {
		t.Errorf("an empty folder: error is %v", err)
	}
}

// TestReadNumbered reads folders without names, in which the triples bound the counts.
func TestReadNumbered(t *testing.T) {
	files := maps.Clone(betae)
	delete(files, "id2ent.pkl")
	delete(files, "id2rel.pkl")
	for _, c := range []struct{ stats, want string }{
		{"numentity: 3\nnumrelations: 2\n", ""},
		{"numentity: 7\nnumrelations: 2\n", ""}, // no fact of some
		{"numentity: 100000000\nnumrelations: 2\n", "stats.txt: count of entity ids is 100000000, but the triples take only 36 bytes"},
		{"numentity: 3\nnumrelations: 100000000\n", "stats.txt: count of relation ids is 100000000, but"},
	} {
		files["stats.txt"] = c.stats
		g, err := kgfolder.Read(context.Background(), folder(t, files), silent)
		switch {
		case c.want == "" && (err != nil || g.Entities[2] != "entity/2" || g.Relations[1] != "-relation/0"):
			t.Errorf("%q: %v, %v", c.stats, g, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%q: error is %v, want %s", c.stats, err, c.want)
		}
	}
}

// TestReal converts FB15k-237 to BetaE's layout and back, byte for byte.
func TestReal(t *testing.T) {
	if testing.Short() {
		t.Skip("reads 22 MB of triples twice")
	}
	dir := shared.Dir(t, "data", "fb15k-237-efo1")
	out := convert(t, convert(t, dir, kgfolder.BetaE), kgfolder.FIT)
	for _, name := range []string{"train_kg.tsv", "valid_kg.tsv", "test_kg.tsv"} {
		want, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join(out, name))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s differs, %v", name, err)
		}
	}
}
