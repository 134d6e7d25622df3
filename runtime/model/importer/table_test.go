package importer

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/kernels/half"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/table"
	"github.com/efoc/efoc/testdata/require"
)

// TestImportTable imports the ring with tables of every type, with the default ones where nothing is
// asked for. The norms belong to the stored numbers.
func TestImportTable(t *testing.T) {
	r := smallRing
	folder, checkpoint := r.namedFolder(t, t.TempDir()), r.checkpoint(t, t.TempDir())
	entities, _ := r.tables()
	stored := map[table.Type]func(float32) float32{
		table.Float32:  func(x float32) float32 { return x },
		table.BFloat16: func(x float32) float32 { return half.BFloat16(half.ToBFloat16(x)) },
		table.Float16:  func(x float32) float32 { return half.Float16(half.ToFloat16(x)) },
	}
	for _, c := range []struct{ table, exact, wantTable, wantExact table.Type }{
		{table.Float32, "", table.Float32, ""},
		{"", "", table.Int8, table.Float32}, {"", NoExact, table.Int8, ""}, {table.Int8, NoExact, table.Int8, ""},
		{table.Int8, table.Float32, table.Int8, table.Float32}, {"", table.BFloat16, table.Int8, table.BFloat16}, {table.Int8, table.Float16, table.Int8, table.Float16},
	} {
		m, err := importRing(t, Options{Graph: folder, Checkpoints: []string{checkpoint}, Table: c.table, Exact: c.exact})
		require.NoError(t, err)
		p, rows := &m.Predictor, cmp.Or(c.wantExact, c.wantTable)
		if m.Manifest.Table != c.wantTable || m.Manifest.Exact != c.wantExact || p.EntityTable.Type() != rows || (p.EntityTable.Codes() == nil) != c.wantTable.IsFloat() {
			t.Errorf("%+v: manifest says %s and %q, rows are %s", c, m.Manifest.Table, m.Manifest.Exact, p.EntityTable.Type())
		}
		for e, norm := range p.EntityNorms {
			sum := 0.0
			for k, v := range p.EntityTable.Row(graph.EntityID(e), nil) {
				if round := stored[rows]; round != nil && v != round(entities[e*2*r.d+k]) {
					t.Fatalf("%+v: row %d column %d is %v, want %v", c, e, k, v, round(entities[e*2*r.d+k]))
				}
				sum += float64(v) * float64(v)
			}
			if math.Abs(float64(norm)-math.Sqrt(sum)) > 1e-6 {
				t.Errorf("%+v: norm of row %d is %v, want %v", c, e, norm, math.Sqrt(sum))
			}
		}
	}
}

func TestImportTableErrors(t *testing.T) {
	r := smallRing
	folder := r.namedFolder(t, t.TempDir())
	entities, relations := r.tables()
	large := slices.Clone(entities)
	large[8*5+3] = 65520
	good := r.checkpoint(t, t.TempDir())
	checkpoint := writeTables(t, t.TempDir(), "c.safetensors", large, relations, 8)
	for _, c := range []struct {
		want       string
		checkpoint string
		table      table.Type
		exact      table.Type
	}{
		{`c.safetensors: row 5 column 3 is 65520, which is too large for float16`, checkpoint, table.Int8, table.Float16},
		{`import: unknown table type "int3", want float32 or int8`, good, "int3", ""},
		{`import: rows of bfloat16 beside a table of float32: they stand beside int8`, good, table.Float32, table.BFloat16},
		{`import: rows of int8 beside int8, want float32, bfloat16, float16 or drop`, good, table.Int8, table.Int8},
	} {
		if _, err := importRing(t, Options{Graph: folder, Checkpoints: []string{c.checkpoint}, Table: c.table, Exact: c.exact, SkipCheck: true}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error is %v, want %q", err, c.want)
		}
	}
	// bfloat16 has room for it.
	if _, err := importRing(t, Options{Graph: folder, Checkpoints: []string{checkpoint}, Exact: table.BFloat16, SkipCheck: true}); err != nil {
		t.Error(err)
	}
}
