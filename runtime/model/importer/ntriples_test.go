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
