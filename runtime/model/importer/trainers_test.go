package importer

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/runtime/model/safetensors"
	"github.com/efoc/efoc/testdata/require"
)

// backwards is an id table of the ring's names, from the last one on.
func backwards(format string, names ...string) string {
	var text strings.Builder
	for i, name := range names {
		fmt.Fprintf(&text, format, len(names)-1-i, name)
	}
	return text.String()
}

// ringNames are the names in a folder of smallRing.
func ringNames() (entities, relations []string) {
	return numberedNames("n", smallRing.n), []string{"by1", "by5"}
}

// copyFile copies a file of testdata.
func copyFile(t *testing.T, dir, name, as string) string {
	t.Helper()
	return writeFile(t, dir, as, readFile(t, "testdata", name))
}

// bare leaves a folder with named triples alone.
func bare(t *testing.T, dir string) string {
	t.Helper()
	smallRing.namedFolder(t, dir)
	for _, name := range []string{"entities.tsv", "relations.tsv"} {
		require.NoError(t, os.Remove(filepath.Join(dir, name)))
	}
	return dir
}

// TestImportTrainers imports what other trainers leave behind, whose rows are in
// another order than the graph's ids.
func TestImportTrainers(t *testing.T) {
	entities, relations := ringNames()
	for _, c := range []struct {
		name, note string
		write      func(dir string) (checkpoint string)
	}{
		{"LibKGE", "inverse rows offset (i, i+|R|)", func(dir string) string {
			writeFile(t, dir, "entity_ids.del", backwards("%d\t%s\n", entities...))
			writeFile(t, dir, "relation_ids.del", backwards("%d\t%s\n", relations...))
			return copyFile(t, dir, "libkge.pt", "checkpoint_best.pt")
		}},
		{"PyKEEN", "interleaved (real, imaginary, real, ...), inverse rows adjacent", func(dir string) string {
			training := filepath.Join(dir, "training_triples")
			require.NoError(t, os.Mkdir(training, 0o700))
			writeFile(t, training, "entity_to_id.tsv.gz", gzipped(t, "id\tlabel\n"+backwards("%d\t%s\n", entities...)))
			writeFile(t, training, "relation_to_id.tsv.gz", gzipped(t, "id\tlabel\n"+backwards("%d\t%s\n", relations...)))
			copyFile(t, dir, "pykeen.pkl", "trained_model.pkl")
			return dir
		}},
		{"unseen entities", "halves (real, then imaginary), no inverse rows", func(dir string) string {
			// There are more entities than the graph has.
			writeFile(t, dir, "entities.tsv", backwards("%d\t%s\n", append([]string{"unseen"}, entities...)...))
			writeFile(t, dir, "relations.tsv", backwards("%d\t%s\n", relations...))
			w := 2 * smallRing.d
			e, r := smallRing.tables()
			forward := slices.Concat(r[2*w:3*w], r[:w])
			e = append(reverseRows(e, w), make([]float32, w)...)
			return writeTables(t, dir, "c.safetensors", e, forward, w)
		}},
		{"directed names", "inverse rows adjacent", func(dir string) string {
			writeFile(t, dir, "entity_ids.del", backwards("%d\t%s\n", entities...))
			writeFile(t, dir, "relation_ids.del", backwards("%d\t%s\n", "+by1", "-by1", "+by5", "-by5"))
			w := 2 * smallRing.d
			e, r := smallRing.tables()
			return writeTables(t, dir, "c.safetensors", reverseRows(e, w), reverseRows(r, w), w)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			checkpoint := c.write(t.TempDir())
			var notes []string
			o := Options{Graph: smallRing.namedFolder(t, t.TempDir()), Checkpoints: []string{checkpoint}, Note: func(text string) { notes = append(notes, text) }}
			m, err := importRing(t, o)
			require.NoError(t, err)
			smallRing.check(t, m)
			if got := strings.Join(notes, "\n"); !strings.Contains(got, c.note) || strings.Contains(got, "too close") {
				t.Errorf("notes are %s", got)
			}
			if unused := strings.Contains(strings.Join(notes, "\n"), "1 entities are not in the graph"); unused != (c.name == "unseen entities") {
				t.Errorf("notes are %q", notes)
			}
			// Without the tables, the rows belong to other ids.
			o.EntityRows = noRows
			if c.name == "unseen entities" {
				return // the number of rows says so
			}
			if _, err := importRing(t, o); err == nil || !strings.Contains(err.Error(), "rows probably belong to other ids") {
				t.Errorf("error is %v", err)
			}
		})
	}
}

// TestImportRowsAsIDs takes the ids of a graph without tables from the
// checkpoint's.
func TestImportRowsAsIDs(t *testing.T) {
	entities, relations := ringNames()
	dir := t.TempDir()
	for name, text := range map[string]string{"entity_ids.del": backwards("%d\t%s\n", entities...), "relation_ids.del": backwards("%d\t%s\n", relations...)} {
		writeFile(t, dir, name, text)
	}
	m, err := importRing(t, Options{Graph: bare(t, t.TempDir()), Checkpoints: []string{copyFile(t, dir, "libkge.pt", "c.pt")}})
	require.NoError(t, err)
	if m.EntityName(0) != "n11" || m.RelationName(0) != "by5" || !m.Graph.Has(11, 0, 6) || m.Graph.NumTriples() != 24 {
		t.Errorf("names are %s, %s", m.EntityName(0), m.RelationName(0))
	}
}

// TestImportNumericFolders reads triples of ids beside id tables, as LibKGE and
// PyKEEN leave them.
func TestImportNumericFolders(t *testing.T) {
	entities, relations := ringNames()
	var text strings.Builder
	for _, x := range smallRing.triples() {
		fmt.Fprintf(&text, "%d\t%d\t%d\n", 11-x.Head, 1-x.Relation, 11-x.Tail)
	}
	for _, c := range []struct{ checkpoint, triples, entities, relations, header string }{
		{"libkge.pt", "train.del", "entity_ids.del", "relation_ids.del", ""},
		{"pykeen.pkl", "numeric_triples.tsv.gz", "entity_to_id.tsv", "relation_to_id.tsv", "head\trelation\ttail\n"},
	} {
		dir := t.TempDir()
		writeFile(t, dir, c.entities, backwards("%d\t%s\n", entities...))
		writeFile(t, dir, c.relations, backwards("%d\t%s\n", relations...))
		writeFile(t, dir, c.triples, gzipped(t, c.header+text.String()))
		m, err := importRing(t, Options{Graph: dir, Checkpoints: []string{filepath.Join("testdata", c.checkpoint)}})
		require.NoError(t, err)
		if m.EntityName(0) != "n11" || m.RelationName(0) != "by5" || !m.Graph.Has(11, 0, 6) || m.Graph.NumTriples() != 24 {
			t.Errorf("%s: names are %s, %s", c.triples, m.EntityName(0), m.RelationName(0))
		}
	}
}

func TestRowErrors(t *testing.T) {
	entities, relations := ringNames()
	graph := smallRing.namedFolder(t, t.TempDir())
	with := func(entityIDs, relationIDs string) string {
		dir := t.TempDir()
		writeFile(t, dir, "entity_ids.del", entityIDs)
		writeFile(t, dir, "relation_ids.del", relationIDs)
		return copyFile(t, dir, "libkge.pt", "c.pt")
	}
	goodE, goodR := backwards("%d\t%s\n", entities...), backwards("%d\t%s\n", relations...)
	other := backwards("%d\t%s\n", append([]string{"x"}, entities[1:]...)...)
	for _, c := range []struct {
		want string
		o    Options
	}{
		{`entity_ids.del: 1 of the graph's 12 names, such as entity "n0", are not in this table of the checkpoint's 12 rows`, Options{Checkpoints: []string{with(other, goodR)}}},
		{`relation_ids.del: 1 of the graph's 2 names, such as relation "by5"`, Options{Checkpoints: []string{with(goodE, "0\tby1\n1\tby7\n")}}},
		{`has 12 rows, but`, Options{Checkpoints: []string{with(goodE+"12\tunseen\n", goodR)}}},
		{`relation_ids.del has 3 relations: want 3 rows, or 6`, Options{Checkpoints: []string{with(goodE, goodR+"2\tunseen\n")}}},
		{`entity_ids.del: ids 0 and 1 are both named`, Options{Checkpoints: []string{with("0\ta\n1\ta\n", goodR)}}},
		{`no such file`, Options{Checkpoints: []string{with(goodE, goodR)}, EntityRows: "missing"}},
		{`unknown layout "x"`, Options{Checkpoints: []string{with(goodE, goodR)}, Layout: Layout{Parts: "x"}}},
		{`unknown place of inverse relations "x"`, Options{Checkpoints: []string{with(goodE, goodR)}, Layout: Layout{Inverse: "x"}}},
		{`the relation table has 4 rows for 2 relations, which cannot be read as halves (real, then imaginary), no inverse rows`, Options{Checkpoints: []string{with(goodE, goodR)}, Layout: Layout{Inverse: inverseNone}}},
		{`read as halves (real, then imaginary), inverse rows adjacent`, Options{Checkpoints: []string{with(goodE, goodR)}, Layout: Layout{Inverse: inverseXOR}}},
		{`a folder without trained_model.pkl and checkpoint_best.pt: name the checkpoint in it`, Options{Checkpoints: []string{t.TempDir()}}},
	} {
		c.o.Graph = graph
		if _, err := importRing(t, c.o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error is %v, want %q", err, c.want)
		}
	}
	numbers := writeFile(t, t.TempDir(), "facts.tsv", "0\t0\t1\n1\t1\t6\n")
	if _, err := importRing(t, Options{Graph: numbers, Checkpoints: []string{with(goodE, goodR)}, EntityRows: filepath.Join(graph, "entities.tsv")}); err == nil || !strings.Contains(err.Error(), "the graph has no names to look up") {
		t.Errorf("error is %v", err)
	}
	// A table of names says nothing about a graph of numbers.
	dir := t.TempDir()
	writeFile(t, dir, "stats.txt", "numentity: 12\nnumrelations: 4\n")
	writeFile(t, dir, "train.txt", smallRing.bothWays())
	checkpoints := t.TempDir()
	writeFile(t, checkpoints, "entities.tsv", goodE)
	var notes []string
	m, err := importRing(t, Options{Graph: dir, Checkpoints: []string{smallRing.checkpoint(t, checkpoints)}, Note: func(text string) { notes = append(notes, text) }})
	if err != nil || !strings.Contains(strings.Join(notes, "\n"), "entities.tsv was left aside") {
		t.Fatalf("error is %v, notes are %q", err, notes)
	}
	smallRing.check(t, m)
}

// TestImportRealTorch imports what a real PyTorch writes.
func TestImportRealTorch(t *testing.T) {
	const python = "/usr/bin/python3"
	dir := t.TempDir()
	out, err := exec.Command(python, filepath.Join("testdata", "torch_files.py"), dir).CombinedOutput()
	if errors.Is(err, os.ErrNotExist) || strings.Contains(string(out), "ModuleNotFoundError") {
		t.Skipf("needs %s with PyTorch and NumPy", python)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	graph := smallRing.namedFolder(t, t.TempDir())
	files, err := os.ReadDir(dir)
	if err != nil || len(files) < 12 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, f := range files {
		m, err := importRing(t, Options{Graph: graph, Checkpoints: []string{filepath.Join(dir, f.Name())}})
		if err != nil {
			t.Errorf("%s: %v", f.Name(), err)
			continue
		}
		smallRing.check(t, m)
	}
}

// TestStrides reads tensors whose elements lie in order, and refuses others.
func TestStrides(t *testing.T) {
	const six = "\x01\x02\x03\x04\x05\x06"
	s := &storage{key: "0", dtype: safetensors.U8, count: 6, read: func() ([]byte, error) { return []byte(six), nil }}
	for _, c := range []struct {
		offset         int
		shape, strides []int
		want           string
		ordered        bool
	}{
		{0, []int{3, 2}, []int{2, 1}, six, true},
		{2, []int{2, 2}, []int{2, 1}, "\x03\x04\x05\x06", true},
		{5, []int{1, 1}, []int{99, 0}, "\x06", true},
		{6, []int{0, 2}, []int{1, 1}, "", true},
		{0, []int{3, 2}, []int{1, 3}, "", false},
		{1, []int{2, 2}, []int{3, 1}, "", false},
		{1, []int{3}, []int{2}, "", false},
	} {
		got, err := (&torchTensor{storage: s, offset: c.offset, shape: c.shape, strides: c.strides}).resolve("x")
		if (err == nil) != c.ordered || !bytes.Equal(got.Data, []byte(c.want)) {
			t.Errorf("shape %v, strides %v at %d: got %v, %v", c.shape, c.strides, c.offset, got.Data, err)
		}
	}
}

// reverseRows returns a table from the last row to the first.
func reverseRows(table []float32, width int) []float32 {
	var out []float32
	for at := len(table) - width; at >= 0; at -= width {
		out = append(out, table[at:at+width]...)
	}
	return out
}
