package importer

import (
	"bytes"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/kernels/ref"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/safetensors"
	"github.com/efoc/efoc/testdata/require"
)

// writeHalves writes a safetensors checkpoint of 16-bit numbers and returns the
// bits of the entities.
func writeHalves(t *testing.T, dtype safetensors.DType, entities, relations []float32, width int) (path string, bits []uint16) {
	t.Helper()
	narrow := ref.ToF16
	if dtype == safetensors.BF16 {
		narrow = ref.ToBF16
	}
	var tables [2][]uint16
	for i, values := range [][]float32{entities, relations} {
		for _, v := range values {
			tables[i] = append(tables[i], narrow(v))
		}
	}
	var out bytes.Buffer
	err := safetensors.Write(&out, nil, []safetensors.Tensor{
		safetensors.FromHalves("embeddings.0.weight", dtype, tables[0], len(entities)/width, width),
		safetensors.FromHalves("embeddings.1.weight", dtype, tables[1], len(relations)/width, width),
	})
	require.NoError(t, err)
	return writeFile(t, t.TempDir(), "c.safetensors", out.String()), tables[0]
}

// tableBits returns the bits of a table as they are stored in a bundle.
func tableBits(t *testing.T, bundle []byte) []uint16 {
	t.Helper()
	f, err := safetensors.Parse(bundle)
	require.NoError(t, err)
	tensor, _ := f.Tensor("entity.embedding")
	bits, err := tensor.Halves()
	require.NoError(t, err)
	return bits
}

// TestImportTable imports the ring with exact rows of every type, alone and beside codes. The norms
// are those of the stored numbers.
func TestImportTable(t *testing.T) {
	r := smallRing
	graph, checkpoint := r.namedFolder(t, t.TempDir()), r.checkpoint(t, t.TempDir())
	entities, _ := r.tables()
	for _, kind := range [][2]model.TableType{{model.Float32}, {model.Int8, model.Float32}, {model.Int8, model.BFloat16}, {model.Int8, model.Float16}} {
		m, err := importRing(t, Options{Graph: graph, Checkpoint: checkpoint, Table: kind[0], Exact: kind[1]})
		require.NoError(t, err)
		p, table := &m.Predictor, kind[1]
		if table == "" {
			table = kind[0]
		}
		if m.Manifest.Table != kind[0] || m.Manifest.Exact != kind[1] || p.EntityTable.Type() != table || p.EntityTable.RowBytes() != table.Size()*len(entities) {
			t.Errorf("%v: manifest says %s and %q, rows are %s of %d bytes", kind, m.Manifest.Table, m.Manifest.Exact, p.EntityTable.Type(), p.EntityTable.RowBytes())
		}
		for e, norm := range p.EntityNorms {
			sum := 0.0
			for k, v := range p.EntityTable.Row(model.EntityID(e), nil) {
				want := entities[e*2*r.d+k]
				switch table {
				case model.BFloat16:
					want = ref.BF16(ref.ToBF16(want))
				case model.Float16:
					want = ref.F16(ref.ToF16(want))
				}
				if v != want {
					t.Fatalf("%s: row %d column %d is %v, want %v", table, e, k, v, want)
				}
				sum += float64(v) * float64(v)
			}
			if norm != float32(math.Sqrt(sum)) {
				t.Errorf("%s: norm of row %d is %v, want %v", table, e, norm, math.Sqrt(sum))
			}
		}
	}
}

// TestImportCodes imports the ring with codes, beside rows of every type and alone. Codes beside
// float32 are what it makes if nothing is asked for.
func TestImportCodes(t *testing.T) {
	r := smallRing
	graph, checkpoint := r.namedFolder(t, t.TempDir()), r.checkpoint(t, t.TempDir())
	entities, _ := r.tables()
	for _, table := range []model.TableType{"", model.Int8} {
		for _, exact := range []model.TableType{"", model.Float32, model.BFloat16, model.Float16, NoExact} {
			m, err := importRing(t, Options{Graph: graph, Checkpoint: checkpoint, Table: table, Exact: exact})
			require.NoError(t, err)
			table := table
			if table == "" {
				table = model.Int8
			}
			wantExact, rows := exact, exact
			switch exact {
			case "":
				wantExact, rows = model.Float32, model.Float32
			case NoExact:
				wantExact, rows = "", table
			}
			p := &m.Predictor
			if m.Manifest.Table != table || m.Manifest.Exact != wantExact || p.EntityTable.Type() != rows || p.EntityTable.Codes() == nil {
				t.Errorf("%s, %q: manifest says %s and %q, rows are %s", table, exact, m.Manifest.Table, m.Manifest.Exact, p.EntityTable.Type())
			}
			if wantExact == model.Float32 && !slices.Equal(p.EntityTable.Float32s(), entities) {
				t.Errorf("%s: rows beside codes are not the checkpoint's", table)
			}
		}
	}
}

// TestImportHalvesLossless keeps the bits of a checkpoint of the type of the exact rows.
func TestImportHalvesLossless(t *testing.T) {
	r := smallRing
	graph := r.namedFolder(t, t.TempDir())
	for dtype, table := range map[safetensors.DType]model.TableType{safetensors.F16: model.Float16, safetensors.BF16: model.BFloat16} {
		entities, relations := r.tables()
		entities[5], entities[6] = 0x1p-24, -0x1p-20 // subnormal in float16
		checkpoint, bits := writeHalves(t, dtype, entities, relations, 2*r.d)
		out := filepath.Join(t.TempDir(), "out.efoc")
		if _, err := importRing(t, Options{Graph: graph, Checkpoint: checkpoint, Exact: table, Output: out}); err != nil {
			t.Fatal(err)
		}
		if got := tableBits(t, []byte(readFile(t, out))); !slices.Equal(got, bits) {
			t.Errorf("%s: bits are %x, want %x", table, got, bits)
		}
	}
}

func TestImportTableErrors(t *testing.T) {
	r := smallRing
	graph := r.namedFolder(t, t.TempDir())
	entities, relations := r.tables()
	large := slices.Clone(entities)
	large[8*5+3] = 65520
	good := r.checkpoint(t, t.TempDir())
	checkpoint := writeTables(t, t.TempDir(), "c.safetensors", large, relations, 8)
	for _, c := range []struct {
		want       string
		checkpoint string
		table      model.TableType
		exact      model.TableType
	}{
		{`c.safetensors: tensor "embeddings.0.weight": row 5 column 3 is 65520, which is too large for float16`, checkpoint, model.Int8, model.Float16},
		{`import: unknown table type "int3", want float32 or int8`, good, "int3", ""},
		{`import: rows of bfloat16 beside a table of float32: they stand beside int8`, good, model.Float32, model.BFloat16},
		{`import: rows of int8 beside int8, want float32, bfloat16, float16 or drop`, good, model.Int8, model.Int8},
	} {
		if _, err := importRing(t, Options{Graph: graph, Checkpoint: c.checkpoint, Table: c.table, Exact: c.exact, SkipCheck: true}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error is %v, want %q", err, c.want)
		}
	}
	// bfloat16 has room for it.
	if _, err := importRing(t, Options{Graph: graph, Checkpoint: checkpoint, Exact: model.BFloat16, SkipCheck: true}); err != nil {
		t.Error(err)
	}
}
