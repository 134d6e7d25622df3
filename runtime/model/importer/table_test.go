package importer

import (
	"cmp"
	"math"
	"strings"
	"testing"

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
	for _, c := range []struct{ table, exact, wantTable, wantExact table.Type }{
		{table.Float32, "", table.Float32, ""},
		{"", "", table.Int8, table.Float32}, {"", NoExact, table.Int8, ""}, {table.Int8, NoExact, table.Int8, ""},
		{table.Int8, table.Float32, table.Int8, table.Float32},
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
				if rows == table.Float32 && v != entities[e*2*r.d+k] {
					t.Fatalf("%+v: row %d column %d is %v, want %v", c, e, k, v, entities[e*2*r.d+k])
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
	checkpoint := r.checkpoint(t, t.TempDir())
	for _, c := range []struct {
		want         string
		table, exact table.Type
	}{
		{`import: unknown table type "int3", want float32 or int8`, "int3", ""},
		{`import: rows of float32 beside a table of float32: they stand beside int8`, table.Float32, table.Float32},
		{`import: rows of int8 beside int8, want float32 or drop`, table.Int8, table.Int8},
	} {
		if _, err := importRing(t, Options{Graph: folder, Checkpoints: []string{checkpoint}, Table: c.table, Exact: c.exact, SkipCheck: true}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error is %v, want %q", err, c.want)
		}
	}
}
