package runtime_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/importer"
	"github.com/efoc/efoc/testdata/long"
	"github.com/efoc/efoc/testdata/require"
	"github.com/efoc/efoc/testdata/shared"
)

// importReal imports one of the real knowledge graphs, with its validation
// facts held out, and returns the path of the bundle.
func importReal(tb testing.TB, kg, checkpoint, heldout string) string {
	tb.Helper()
	dir := shared.Dir(tb, "data", kg)
	out := filepath.Join(tb.TempDir(), kg+".efoc")
	_, err := importer.Import(context.Background(), importer.Options{
		Graph: dir, Checkpoints: []string{filepath.Join(dir, checkpoint)}, Heldout: filepath.Join(dir, heldout), Output: out,
	})
	require.NoError(tb, err)
	return out
}

// openReal opens a bundle for the time of the test.
func openReal(tb testing.TB, path string) *runtime.Model {
	tb.Helper()
	m, err := runtime.Open(path)
	require.NoError(tb, err)
	tb.Cleanup(func() {
		if err := m.Close(); err != nil {
			tb.Error(err)
		}
	})
	return m
}

// TestFB15k237 checks the import of a PyTorch file and named triples.
func TestFB15k237(t *testing.T) {
	m := openReal(t, importReal(t, "fb15k-237", "complex256.pt", "valid.tsv"))
	mf := m.Bundle().Manifest
	if mf.Entities != 14505 || mf.Relations != 237 || mf.Rank != 256 || mf.Triples != 272115 || mf.Heldout != 17526 || !mf.Reciprocal || mf.Visible != "train" || len(mf.Sources) != 5 {
		t.Errorf("manifest is %+v", mf)
	}
	// The storages lie in the archive as they are: look for the first row of
	// each, and compare others by their distance from it.
	raw, err := os.ReadFile(shared.Dir(t, "data", "fb15k-237", "complex256.pt"))
	require.NoError(t, err)
	checkRows(t, raw, m.Bundle().Predictor.EntityTable.Float32s(), 512)
	checkRows(t, raw, m.Bundle().Predictor.RelationTable, 512)

	if e, err := m.Entity("Dominican Republic"); err != nil || m.EntityName(e.ID()) != "/m/027rn" {
		t.Errorf("Dominican Republic is %d, %v", e, err)
	}
	if _, err := m.Entity("Domincan Republic"); err == nil || !strings.Contains(err.Error(), `"Dominican Republic"`) {
		t.Errorf("error is %v", err)
	}
	r, err := m.Relation("/location/country/form_of_government")
	if err != nil || r.ID() != 0 || !m.Bundle().Graph.Has(0, r.ID(), 1) || !m.Bundle().Graph.Has(1, r.ID().Inverse(), 0) {
		t.Errorf("relation is %d, %v", r, err)
	}
	ambiguous := map[string]bool{}
	for e := range graph.EntityID(m.NumEntities()) {
		if _, err := m.Entity(m.EntityName(e)); err != nil {
			t.Fatal(err)
		}
		if _, err := m.Entity(m.EntityLabel(e)); err != nil {
			ambiguous[m.EntityLabel(e)] = true
		}
	}
	if len(ambiguous) != 216 {
		t.Errorf("%d labels are ambiguous, want 216", len(ambiguous))
	}
}

// checkRows looks for the first row of a float32 table in the raw bytes and
// compares the others with what follows it there.
func checkRows(t *testing.T, raw []byte, table []float32, width int) {
	t.Helper()
	var first []byte
	for _, v := range table[:width] {
		first = binary.LittleEndian.AppendUint32(first, math.Float32bits(v))
	}
	at := bytes.Index(raw, first)
	if at < 0 {
		t.Fatal("first row is not in the file")
	}
	for i, v := range table {
		if got := math.Float32frombits(binary.LittleEndian.Uint32(raw[at+4*i:])); got != v {
			t.Fatalf("number %d is %v, the file has %v", i, v, got)
		}
	}
}

// TestNELL995 checks the import of a float16 safetensors file and of a BetaE
// folder.
func TestNELL995(t *testing.T) {
	long.Need(t, "it imports a large model")
	m := openReal(t, importReal(t, "nell995", "complex256.safetensors", "valid.txt"))
	mf := m.Bundle().Manifest
	if mf.Entities != 63361 || mf.Relations != 200 || mf.Rank != 256 || mf.Triples != 114213 || mf.Heldout != 14324 || !m.Bundle().Entities.Numbered() {
		t.Errorf("manifest is %+v", mf)
	}
	raw, err := os.ReadFile(shared.Dir(t, "data", "nell995", "complex256.safetensors"))
	require.NoError(t, err)
	start := 8 + int(binary.LittleEndian.Uint64(raw))
	for _, row := range []int{0, 1, 63360, 63361, 63361 + 399} {
		got := m.Bundle().Predictor.EntityTable.Float32s()
		at := row
		if row >= 63361 {
			got, at = m.Bundle().Predictor.RelationTable, row-63361
		}
		for k := range 512 {
			want := halfValue(binary.LittleEndian.Uint16(raw[start+2*(512*row+k):]))
			if v := got[512*at+k]; float64(v) != want {
				t.Fatalf("row %d column %d is %v, want %v", row, k, v, want)
			}
		}
	}
	if e, err := m.Entity("63360"); err != nil || e.ID() != 63360 {
		t.Errorf("got %d, %v", e, err)
	}
}

// halfValue is an IEEE 754 binary16 by its definition.
func halfValue(h uint16) float64 {
	v := float64(h & 1023)
	if e := int(h>>10) & 31; e == 0 {
		v = math.Ldexp(v, -24)
	} else {
		v = math.Ldexp(v+1024, e-25)
	}
	if h>>15 == 1 {
		return -v
	}
	return v
}

// BenchmarkOpen opens and closes a bundle, all checks included.
func BenchmarkOpen(b *testing.B) {
	for _, kg := range []struct{ name, checkpoint, heldout string }{
		{"fb15k-237", "complex256.pt", "valid.tsv"},
		{"nell995", "complex256.safetensors", "valid.txt"},
	} {
		b.Run(kg.name, func(b *testing.B) {
			path := importReal(b, kg.name, kg.checkpoint, kg.heldout)
			info, err := os.Stat(path)
			require.NoError(b, err)
			b.SetBytes(info.Size())
			b.ResetTimer()
			for range b.N {
				m, err := runtime.Open(path)
				require.NoError(b, err)
				require.NoError(b, m.Close())
			}
		})
	}
}
