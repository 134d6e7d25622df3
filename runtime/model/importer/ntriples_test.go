package importer

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/efoc/efoc/testdata/require"
)

// gzipped compresses text with gzip.
func gzipped(t testing.TB, text string) string {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	require.NoError(t, w.Close())
	return out.String()
}

// zstandard compresses text with zstd.
func zstandard(t testing.TB, text string) string {
	t.Helper()
	w, err := zstd.NewWriter(nil)
	require.NoError(t, err)
	return string(w.EncodeAll([]byte(text), nil))
}

// ntFolder writes the ring as N-Triples with id tables of IRIs.
func (r ring) ntFolder(t *testing.T, dir string) string {
	t.Helper()
	text := strings.NewReplacer("\tn", "\thttp://x.org/n", "\tby", "\thttp://x.org/by")
	r.namedFolder(t, dir)
	var train strings.Builder
	train.WriteString("# the ring\n\n")
	for _, x := range r.triples() {
		fmt.Fprintf(&train, "<http://x.org/n%d> <http://x.org/by%d> <http://x.org/n%d> .\n", x.Head, r.shifts[x.Relation], x.Tail)
	}
	train.WriteString("<http://x.org/n0> <http://x.org/label> \"a \\\"name\\\"\"@en . # a literal\n")
	for _, name := range []string{"entities.tsv", "relations.tsv"} {
		writeFile(t, dir, name, text.Replace(readFile(t, dir, name)))
	}
	require.NoError(t, os.Remove(filepath.Join(dir, "train.tsv")))
	writeFile(t, dir, "train.nt", train.String())
	return dir
}

// TestImportNTriples reads N-Triples, with and without compression.
func TestImportNTriples(t *testing.T) {
	for end, compress := range map[string]func(testing.TB, string) string{"": nil, ".gz": gzipped, ".zst": zstandard} {
		dir := smallRing.ntFolder(t, t.TempDir())
		if compress != nil {
			for _, name := range []string{"train.nt", "entities.tsv", "relations.tsv"} {
				writeFile(t, dir, name+end, compress(t, readFile(t, dir, name)))
				require.NoError(t, os.Remove(filepath.Join(dir, name)))
			}
		}
		var notes []string
		m, err := importRing(t, Options{Graph: dir, Checkpoint: smallRing.checkpoint(t, t.TempDir()), Note: func(text string) { notes = append(notes, text) }})
		require.NoError(t, err)
		smallRing.check(t, m)
		if m.EntityName(3) != "http://x.org/n3" || m.RelationName(0) != "http://x.org/by1" || m.EntityLabel(3) != "stop 3" {
			t.Errorf("names are %s, %s", m.EntityName(3), m.RelationName(0))
		}
		if !strings.Contains(strings.Join(notes, "\n"), "1 statements about literals were left out") {
			t.Errorf("notes are %q", notes)
		}
	}
}

// TestImportCompressed reads the folders of BetaE and FIT with every file
// compressed.
func TestImportCompressed(t *testing.T) {
	for name, files := range map[string]map[string]string{
		"BetaE": {"stats.txt": "numentity: 12\nnumrelations: 4\n", "train.txt": smallRing.bothWays()},
		"FIT":   {"kgindex.json": `{"e":{` + entries("n", 12) + `},"r":{"+by1":0,"-by1":1,"+by5":2,"-by5":3}}`, "train_kg.tsv": smallRing.bothWays()},
	} {
		dir := t.TempDir()
		for file, text := range files {
			writeFile(t, dir, file+".zst", zstandard(t, text))
		}
		m, err := importRing(t, Options{Graph: dir, Checkpoint: smallRing.checkpoint(t, t.TempDir())})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		smallRing.check(t, m)
	}
}

func TestNTriplesErrors(t *testing.T) {
	for text, want := range map[string]string{
		"<http://x.org/n0> <http://x.org/by1> .\n": "train.nt:1: not a statement of N-Triples",
		"# x\nn0 by1 n1\n":                         "train.nt:2: not a statement of N-Triples",
		"<http://x.org/n0> <http://x.org/by1> <http://x.org/n1> <http://x.org/g> .\n":          "train.nt:1: a statement of N-Quads",
		"_:b0 <http://x.org/by1> <http://x.org/n1> .\n":                                        `train.nt:1: unknown entity "_:b0"`,
		"<http://x.org/n0> <http://x.org/by2> <http://x.org/n1> .\n":                           `unknown relation "http://x.org/by2"`,
		"<http://x.org/n0> <http://x.org/by1> \"1\" .\n":                                       "train.nt: no triples",
		"\x28\xb5\x2f\xfd\x00\x88\x00\x00":                                                     "train.nt:1: ",
		"\x28\xb5\x2f\xfd\x04\xff\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00": "train.nt:1: ",
	} {
		dir := smallRing.ntFolder(t, t.TempDir())
		writeFile(t, dir, "train.nt", text)
		_, err := importRing(t, Options{Graph: dir, Checkpoint: smallRing.checkpoint(t, t.TempDir())})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.70q: error is %v, want %q", text, err, want)
		}
	}
}

// FuzzNTriples reads any line as a statement.
func FuzzNTriples(f *testing.F) {
	f.Add([]byte("<http://x.org/a> <http://x.org/r> <http://x.org/b> .\n"))
	f.Add([]byte("_:a <http://x.org/r> \"x\\u0041\"^^<http://x.org/t> . # c"))
	f.Add([]byte("<http://x.org/a> <http://x.org/r> _:b <http://x.org/g> ."))
	f.Fuzz(func(t *testing.T, line []byte) {
		table, err := newIDTable("entity", []idRow{{0, "http://x.org/a", ""}, {1, "http://x.org/b", ""}, {2, "http://x.org/r", ""}, {3, "_:a", ""}})
		require.NoError(t, err)
		r := &tripleReader{entities: table, relations: table}
		if err := r.statement(line, false); err == nil && len(r.triples)+r.literals > 1 {
			t.Fatalf("%d triples and %d literals of one line", len(r.triples), r.literals)
		}
	})
}
