package importer

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/testdata/require"
)

// TestImportGraphs imports the ring from every layout of graph.
func TestImportGraphs(t *testing.T) {
	r := smallRing
	for _, c := range []struct {
		name     string
		numbered bool
		options  func(dir string) Options
	}{
		{"named folder", false, func(dir string) Options { return Options{Graph: r.namedFolder(t, dir)} }},
		{"file with tables", false, func(dir string) Options {
			r.namedFolder(t, dir)
			other := t.TempDir()
			return Options{
				Graph:     filepath.Join(dir, "train.tsv"),
				Entities:  writeFile(t, other, "e", readFile(t, dir, "entities.tsv")),
				Relations: writeFile(t, other, "r", readFile(t, dir, "relations.tsv")),
			}
		}},
		{"spaces, CRLF and byte order mark", false, func(dir string) Options {
			r.namedFolder(t, dir)
			text := strings.NewReplacer("\t", "  ", "\n", "\r\n\r\n").Replace(readFile(t, dir, "train.tsv"))
			writeFile(t, dir, "train.tsv", "\ufeff"+text)
			return Options{Graph: dir, Separator: spaceSeparator}
		}},
		{"integers", true, func(dir string) Options {
			var text strings.Builder
			for _, x := range r.triples() {
				text.WriteString(strings.Join([]string{itoa(int(x.Head)), itoa(int(x.Relation)), itoa(int(x.Tail))}, " ") + "\n")
			}
			return Options{Graph: writeFile(t, dir, "facts.txt", text.String()+text.String()), Separator: spaceSeparator}
		}},
		{"integers in both directions", true, func(dir string) Options {
			writeFile(t, dir, "heldout.tsv", "0\t0\t7\n7\t1\t0\n")
			return Options{Graph: writeFile(t, dir, "facts.txt", r.bothWays())}
		}},
		{"BetaE", true, func(dir string) Options {
			writeFile(t, dir, "stats.txt", "numentity: 12\nnumrelations: 4\n")
			writeFile(t, dir, "train.txt", r.bothWays())
			return Options{Graph: dir}
		}},
		{"BetaE with blanks", true, func(dir string) Options {
			writeFile(t, dir, "stats.txt", "numentity: 12\nnumrelations: 4\n")
			writeFile(t, dir, "train.txt", strings.ReplaceAll(r.bothWays(), "\t", " "))
			return Options{Graph: dir}
		}},
		{"BetaE with names", false, func(dir string) Options {
			writeFile(t, dir, "stats.txt", "numentity: 12\nnumrelations: 4\n")
			writeFile(t, dir, "train.txt", r.bothWays())
			writeFile(t, dir, "id2ent.pkl", pickledNames(append(numberedNames("n", 11), "last")))
			writeFile(t, dir, "id2rel.pkl", pickledNames([]string{"+by1", "-by1", "+by5", "-by5"}))
			return Options{Graph: dir}
		}},
		{"BetaE with placeholders", true, func(dir string) Options {
			writeFile(t, dir, "stats.txt", "numentity: 12\nnumrelations: 4\n")
			writeFile(t, dir, "train.txt", r.bothWays())
			writeFile(t, dir, "id2ent.pkl", pickledNames(numberedNames("entity/", 12)))
			return Options{Graph: dir}
		}},
		{"N-Triples", false, func(dir string) Options { return Options{Graph: r.ntFolder(t, dir)} }},
		{"FIT", false, func(dir string) Options {
			writeFile(t, dir, "kgindex.json", `{"e":{`+entries("n", 12)+`},"r":{"+by1":0,"-by1":1,"+by5":2,"-by5":3}}`)
			writeFile(t, dir, "train_kg.tsv", r.bothWays())
			return Options{Graph: dir}
		}},
	} {
		for _, compressed := range []bool{false, true} {
			dir := t.TempDir()
			o := c.options(dir)
			if compressed && o.Graph != dir {
				continue
			}
			t.Run(fmt.Sprint(c.name, compressed), func(t *testing.T) {
				if compressed {
					compressFolder(t, dir)
				}
				o.Checkpoints = []string{r.checkpoint(t, t.TempDir())}
				m, err := importRing(t, o)
				require.NoError(t, err)
				r.check(t, m)
				if m.Entities.Numbered() != c.numbered {
					t.Errorf("numbered is %v, want %v", m.Entities.Numbered(), c.numbered)
				}
				if !c.numbered && !strings.HasSuffix(m.RelationName(3), "by5^-1") {
					t.Errorf("relation 3 is %q", m.RelationName(3))
				}
				if !m.Manifest.Reciprocal || m.Heldout != nil || len(m.Manifest.Sources) < 2 {
					t.Errorf("manifest is %+v", m.Manifest)
				}
			})
		}
	}
}

// compressFolder compresses the files of text in a folder, in turn with gzip and zstd.
func compressFolder(t *testing.T, dir string) {
	t.Helper()
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	for i, f := range files {
		if filepath.Ext(f.Name()) == ".pkl" {
			continue
		}
		end, pack := ".gz", gzipped
		if i%2 == 0 {
			end, pack = ".zst", zstandard
		}
		writeFile(t, dir, f.Name()+end, pack(t, readFile(t, dir, f.Name())))
		require.NoError(t, os.Remove(filepath.Join(dir, f.Name())))
	}
}

func readFile(t testing.TB, elem ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(elem...))
	require.NoError(t, err)
	return string(text)
}

// TestImportHeldout keeps facts back; those that are visible are not held back.
func TestImportHeldout(t *testing.T) {
	r := smallRing
	dir := r.namedFolder(t, t.TempDir())
	writeFile(t, dir, "heldout.tsv", "n0\tby1\tn7\nn0\tby1\tn1\nn0\tby1\tn7\n")
	settings := model.Settings{Lambda: 0.1, Alpha: 1000, Weight: 0.5, Epsilon: 1e-14}
	var stages []string
	m, err := importRing(t, Options{
		Graph: dir, Checkpoints: []string{r.checkpoint(t, t.TempDir())}, Name: "ring", Description: "a circle", Settings: settings,
		Progress: func(stage string, done, total int64) {
			if len(stages) == 0 || stages[len(stages)-1] != stage {
				stages = append(stages, stage)
			}
		},
	})
	require.NoError(t, err)
	if m.Heldout == nil || m.Heldout.NumTriples() != 1 || !m.Heldout.Has(7, 1, 0) || m.Graph.Has(0, 0, 7) {
		t.Errorf("heldout is %+v", m.Heldout)
	}
	if f := m.Manifest; f.Name != "ring" || f.Description != "a circle" || f.Settings != settings || f.Visible != "train" || f.Heldout != 1 {
		t.Errorf("manifest is %+v", f)
	}
	if got := strings.Join(stages, ", "); got != "read graph, check layout, read checkpoint, write bundle" {
		t.Errorf("stages are %s", got)
	}
	if e, err := m.Entity("stop 3"); err != nil || e.ID() != 3 {
		t.Errorf("stop 3 is %d, %v", e, err)
	}
}

func TestImportErrors(t *testing.T) {
	r := smallRing
	good := r.namedFolder(t, t.TempDir())
	checkpoint := r.checkpoint(t, t.TempDir())
	empty := t.TempDir()
	with := func(name, text string) string {
		dir := r.namedFolder(t, t.TempDir())
		writeFile(t, dir, name, text)
		return dir
	}
	beta := func(train, stats string) string {
		dir := t.TempDir()
		writeFile(t, dir, "train.txt", train)
		writeFile(t, dir, "stats.txt", stats)
		return dir
	}
	const stats = "numentity: 12\nnumrelations: 4\n"
	single := func(text string) string { return writeFile(t, t.TempDir(), "facts.tsv", text) }
	small, tiny := ring{n: 11, d: 4, shifts: []int{1, 5}}, ring{n: 12, d: 4, shifts: []int{1, 5, 2}}
	for _, c := range []struct {
		want    string
		options Options
	}{
		{"no graph", Options{Checkpoints: []string{checkpoint}}},
		{"no checkpoint", Options{Graph: good}},
		{"does not exist: make it", Options{Graph: good, Checkpoints: []string{checkpoint}, Output: filepath.Join(empty, "none", "x.efoc")}},
		{"it is a folder: name a file", Options{Graph: good, Checkpoints: []string{checkpoint}, Output: empty}},
		{"settings: alpha", Options{Graph: good, Checkpoints: []string{checkpoint}, Settings: model.Settings{Lambda: 0.5}}},
		{"or neither", Options{Graph: good, Checkpoints: []string{checkpoint}, EntityTensor: "x"}},
		{"no such file", Options{Graph: filepath.Join(empty, "none"), Checkpoints: []string{checkpoint}}},
		{"no graph that efoc knows", Options{Graph: empty, Checkpoints: []string{checkpoint}}},
		{"no such file", Options{Graph: good, Checkpoints: []string{filepath.Join(empty, "none")}}},
		{"train.tsv:2: 2 fields", Options{Graph: with("train.tsv", "n0\tby1\tn1\nn0\tby1\n"), Checkpoints: []string{checkpoint}}},
		{"train.tsv:1: 4 fields", Options{Graph: with("train.tsv", "n0\tby1\tn1\t\n"), Checkpoints: []string{checkpoint}}},
		{`train.tsv:1: unknown entity "x": it is not in the table of 12`, Options{Graph: with("train.tsv", "x\tby1\tn1\n"), Checkpoints: []string{checkpoint}}},
		{`unknown relation "x"`, Options{Graph: with("train.tsv", "n0\tx\tn1\n"), Checkpoints: []string{checkpoint}}},
		{"train.tsv: no triples", Options{Graph: with("train.tsv", "\n"), Checkpoints: []string{checkpoint}}},
		{"train.tsv:1: not valid UTF-8", Options{Graph: with("train.tsv", "n\xff\tby1\tn1\n"), Checkpoints: []string{checkpoint}}},
		{"train.tsv:2: line is longer", Options{Graph: with("train.tsv", "n0\tby1\tn1\n"+strings.Repeat("x", maxLine+1)), Checkpoints: []string{checkpoint}}},
		{"train.tsv: gzip", Options{Graph: with("train.tsv", "\x1f\x8bxxxx"), Checkpoints: []string{checkpoint}}},
		{"entities.tsv:2: 1 field in", Options{Graph: with("entities.tsv", "0\ta\n1\n"), Checkpoints: []string{checkpoint}}},
		{`id "x" is not a number`, Options{Graph: with("entities.tsv", "x\ta\n"), Checkpoints: []string{checkpoint}}},
		{"the name of id 0 is empty", Options{Graph: with("entities.tsv", "0\t\n"), Checkpoints: []string{checkpoint}}},
		{"entities.tsv: id 2 of \"b\" in a table of 2", Options{Graph: with("entities.tsv", "0\ta\n2\tb\n"), Checkpoints: []string{checkpoint}}},
		{"id 0 is given to", Options{Graph: with("entities.tsv", "0\ta\n0\tb\n"), Checkpoints: []string{checkpoint}}},
		{"both named", Options{Graph: with("entities.tsv", "0\ta\n1\ta\n"), Checkpoints: []string{checkpoint}}},
		{"no entity", Options{Graph: with("entities.tsv", ""), Checkpoints: []string{checkpoint}}},
		{"heldout.tsv:1: unknown entity", Options{Graph: with("heldout.tsv", "a\tb\tc\n"), Checkpoints: []string{checkpoint}}},
		{"only one of the two", Options{Graph: single("a\tb\tc\n"), Entities: filepath.Join(good, "entities.tsv"), Checkpoints: []string{checkpoint}}},
		{`facts.tsv:1: entity "a" is not a number: give tables`, Options{Graph: single("a\tb\tc\n"), Checkpoints: []string{checkpoint}}},
		{"facts.tsv:2: entity 12 is out of range: tensor", Options{Graph: single("0\t0\t1\n12\t0\t1\n1\t1\t1\n"), Checkpoints: []string{checkpoint}}},
		{"facts.tsv:2: relation 4 is out of range: tensor", Options{Graph: single("0\t0\t1\n1\t4\t1\n1\t1\t1\n"), Checkpoints: []string{checkpoint}}},
		{"facts.tsv:4: entity 12 is out of range: tensor", Options{Graph: single("0\t0\t1\n\n \n12\t0\t1\n1\t1\t1\n"), Checkpoints: []string{checkpoint}}},
		{"facts.csv:4: relation 4 is out of range: tensor", Options{Graph: writeFile(t, t.TempDir(), "facts.csv", "head,relation,tail\n0,0,1\n\n1,4,1\n"), Checkpoints: []string{checkpoint}}},
		{"more than 2147483647", Options{Graph: single("99999999999999\t0\t1\n"), Checkpoints: []string{checkpoint}}},
		{"entity \"-1\" is not a number", Options{Graph: single("-1\t0\t1\n"), Checkpoints: []string{checkpoint}}},
		{"train.txt:1: entity 12 is out of range, want 0 to 11", Options{Graph: beta("12 0 1\n1 1 12\n", stats), Checkpoints: []string{checkpoint}}},
		{"relation 4 is out of range, want 0 to 3", Options{Graph: beta("0 4 1\n", stats), Checkpoints: []string{checkpoint}}},
		{"train.txt: 0 0 1 has no inverse 1 1 0", Options{Graph: beta("0 0 1\n", stats), Checkpoints: []string{checkpoint}}},
		{"train.txt: 1 1 0 has no inverse 0 0 1", Options{Graph: beta("2 0 3\n3 1 2\n1 1 0\n", stats), Checkpoints: []string{checkpoint}}},
		{"even numrelations", Options{Graph: beta(r.bothWays(), "numentity: 12\nnumrelations: 3\n"), Checkpoints: []string{checkpoint}}},
		{"stats.txt:1: \"many\" is not a count", Options{Graph: beta(r.bothWays(), "numentity: many\n"), Checkpoints: []string{checkpoint}}},
		{"train.txt: 0 0 7 has no inverse", Options{Graph: single(r.bothWays()), Heldout: writeFile(t, t.TempDir(), "train.txt", "0\t0\t7\n"), Checkpoints: []string{checkpoint}}},
		{"has 11 rows, but the graph has 12 entities", Options{Graph: good, Checkpoints: []string{small.checkpoint(t, t.TempDir())}}},
		{"has 6 rows, but the graph has 2 relations: want 2 rows, or 4", Options{Graph: good, Checkpoints: []string{tiny.checkpoint(t, t.TempDir())}}},
		{"rows probably belong to other ids", Options{Graph: with("train.tsv", "n0\tby1\tn6\nn1\tby1\tn9\nn2\tby1\tn2\nn3\tby5\tn3\n"), Checkpoints: []string{checkpoint}}},
	} {
		if c.options.Output == "" {
			c.options.Output = filepath.Join(t.TempDir(), "out.efoc")
		}
		if _, err := Import(context.Background(), c.options); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error is %v, want %q", err, c.want)
		}
		if _, err := os.Stat(c.options.Output); c.options.Output != empty && !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: left a bundle", c.want)
		}
	}
}

// TestImportLayouts imports tables in every arrangement, with the right layout
// and with the wrong ones.
func TestImportLayouts(t *testing.T) {
	r := ring{n: 40, d: 8, shifts: []int{1, 7, 11}}
	graph := r.namedFolder(t, t.TempDir())
	w := 2 * r.d
	all := []Layout{{partsHalves, inverseXOR}, {partsInterleaved, inverseXOR}, {partsHalves, inverseOffset}, {partsInterleaved, inverseOffset}}
	for _, is := range all {
		entities, relations := r.tables()
		if is.Parts == partsInterleaved {
			entities, relations = interleave(entities, w), interleave(relations, w)
		}
		if is.Inverse == inverseOffset {
			relations = offsetInverses(relations, w)
		}
		checkpoint := writeTables(t, t.TempDir(), "c.safetensors", entities, relations, w)
		for _, stated := range append([]Layout{{}}, all...) {
			m, err := importRing(t, Options{Graph: graph, Checkpoints: []string{checkpoint}, Layout: stated})
			if is.allows(stated) {
				require.NoError(t, err)
				r.check(t, m)
			} else if err == nil || !strings.Contains(err.Error(), "read as "+is.String()+", in 100.0%") {
				t.Errorf("is %v, stated %v: error is %v", is, stated, err)
			}
		}
	}
	// The check can be left out.
	entities, relations := r.tables()
	checkpoint := writeTables(t, t.TempDir(), "c.safetensors", interleave(entities, w), interleave(relations, w), w)
	if _, err := importRing(t, Options{Graph: graph, Checkpoints: []string{checkpoint}, SkipCheck: true}); err != nil {
		t.Error(err)
	}
}

// TestImportDerived has no rows for inverse relations.
func TestImportDerived(t *testing.T) {
	r := smallRing
	entities, relations := r.tables()
	forward := offsetInverses(relations, 2*r.d)[:len(relations)/2]
	m, err := importRing(t, Options{
		Graph:       r.namedFolder(t, t.TempDir()),
		Checkpoints: []string{writeTables(t, t.TempDir(), "c.safetensors", entities, forward, 2*r.d)},
	})
	require.NoError(t, err)
	r.check(t, m)
	if m.Manifest.Reciprocal {
		t.Error("manifest says reciprocal")
	}
}

// TestImportCancel ends the context at every report of progress in turn.
func TestImportCancel(t *testing.T) {
	r := smallRing
	o := Options{Graph: r.namedFolder(t, t.TempDir()), Checkpoints: []string{r.checkpoint(t, t.TempDir())}}
	for stop := 0; ; stop++ {
		dir := t.TempDir()
		o.Output = filepath.Join(dir, "out.efoc")
		ctx, cancel := context.WithCancel(context.Background())
		calls := 0
		o.Progress = func(string, int64, int64) {
			if calls++; calls > stop {
				cancel()
			}
		}
		_, err := Import(ctx, o)
		cancel()
		left, _ := os.ReadDir(dir)
		if err == nil {
			if stop == 0 || calls > stop || len(left) != 1 {
				t.Errorf("cancelled at report %d, and went on", stop)
			}
			return
		}
		if !errors.Is(err, context.Canceled) || len(left) != 0 {
			t.Errorf("cancelled at report %d: error is %v, left %v", stop, err, left)
		}
	}
}
