package importer

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/safetensors"
	"github.com/efoc/efoc/testdata/require"
)

// ring is a graph on which ComplEx is exact: n entities in a circle, and
// relation i leads shifts[i] steps on. Entity e has the numbers exp(2πi·k·e/n),
// k = 1 to d, relation i exp(2πi·k·shifts[i]/n).
type ring struct {
	n, d   int
	shifts []int
}

// smallRing is the ring of testdata/make.py.
var smallRing = ring{n: 12, d: 4, shifts: []int{1, 5}}

// row is the embedding of a step, or of its inverse, real half first.
func (r ring) row(step int, sign float64) []float32 {
	row := make([]float32, 2*r.d)
	for k := 1; k <= r.d; k++ {
		sin, cos := math.Sincos(2 * math.Pi * float64(k*step) / float64(r.n))
		row[k-1], row[r.d+k-1] = float32(cos), float32(sign*sin)
	}
	return row
}

// tables returns the two tables with rows for inverses, adjacent.
func (r ring) tables() (entities, relations []float32) {
	for e := range r.n {
		entities = append(entities, r.row(e, 1)...)
	}
	for _, s := range r.shifts {
		relations = append(append(relations, r.row(s, 1)...), r.row(s, -1)...)
	}
	return entities, relations
}

// triples lists the facts.
func (r ring) triples() []graph.Triple {
	var list []graph.Triple
	for e := range r.n {
		for i, s := range r.shifts {
			list = append(list, graph.Triple{Head: graph.EntityID(e), Relation: int32(i), Tail: graph.EntityID((e + s) % r.n)})
		}
	}
	return list
}

// interleave makes rows of alternating parts.
func interleave(table []float32, width int) []float32 {
	out := make([]float32, len(table))
	for i := 0; i < len(table); i += width {
		for k := range width / 2 {
			out[i+2*k], out[i+2*k+1] = table[i+k], table[i+width/2+k]
		}
	}
	return out
}

// offsetInverses moves the rows of inverses behind the others.
func offsetInverses(table []float32, width int) []float32 {
	var front, back []float32
	for i := 0; i < len(table); i += 2 * width {
		front, back = append(front, table[i:i+width]...), append(back, table[i+width:i+2*width]...)
	}
	return append(front, back...)
}

// writeFile writes a file and returns its path.
func writeFile(t testing.TB, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// writeTables writes a safetensors checkpoint of the given width.
func writeTables(t testing.TB, dir, name string, entities, relations []float32, width int) string {
	t.Helper()
	var out strings.Builder
	err := safetensors.Write(&out, nil, []safetensors.Tensor{
		safetensors.From("embeddings.0.weight", entities, len(entities)/width, width),
		safetensors.From("embeddings.1.weight", relations, len(relations)/width, width),
	})
	require.NoError(t, err)
	return writeFile(t, dir, name, out.String())
}

// checkpoint writes the ring's tables.
func (r ring) checkpoint(t testing.TB, dir string) string {
	t.Helper()
	entities, relations := r.tables()
	return writeTables(t, dir, "ring.safetensors", entities, relations, 2*r.d)
}

// namedFolder writes the ring as named triples with tables.
func (r ring) namedFolder(t testing.TB, dir string) string {
	t.Helper()
	var entities, relations, train strings.Builder
	for e := range r.n {
		fmt.Fprintf(&entities, "%d\tn%d\tstop %d\n", e, e, e)
	}
	for i := range r.shifts {
		fmt.Fprintf(&relations, "%d\tby%d\n", i, r.shifts[i])
	}
	for _, x := range r.triples() {
		fmt.Fprintf(&train, "n%d\tby%d\tn%d\n", x.Head, r.shifts[x.Relation], x.Tail)
	}
	writeFile(t, dir, "entities.tsv", entities.String())
	writeFile(t, dir, "relations.tsv", relations.String())
	writeFile(t, dir, "train.tsv", train.String())
	return dir
}

// bothWays formats the facts as integers in both directions.
func (r ring) bothWays() string {
	var text strings.Builder
	for _, x := range r.triples() {
		fmt.Fprintf(&text, "%d\t%d\t%d\n%d\t%d\t%d\n", x.Head, 2*x.Relation, x.Tail, x.Tail, 2*x.Relation+1, x.Head)
	}
	return text.String()
}

// importRing imports with an output in its own folder, and opens it.
func importRing(t testing.TB, o Options) (*model.Model, error) {
	t.Helper()
	if o.Output == "" {
		o.Output = filepath.Join(t.TempDir(), "out.efoc")
	}
	if _, err := Import(context.Background(), o); err != nil {
		if left, _ := os.ReadDir(filepath.Dir(o.Output)); len(left) > 0 {
			t.Errorf("a failed import left %v", left)
		}
		return nil, err
	}
	m, err := model.Open(o.Output)
	require.NoError(t, err)
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return m, nil
}

// check compares a model with the ring.
func (r ring) check(t *testing.T, m *model.Model) {
	t.Helper()
	if m.NumEntities() != r.n || m.NumRelations() != 2*len(r.shifts) || m.Manifest.Triples != r.n*len(r.shifts) {
		t.Fatalf("manifest is %+v", m.Manifest)
	}
	for _, x := range r.triples() {
		if !m.Graph.Has(x.Head, graph.RelationID(2*x.Relation), x.Tail) {
			t.Fatalf("%v is missing", x)
		}
	}
	entities, relations := r.tables()
	near := func(what string, got, want []float32) {
		t.Helper()
		for i, v := range want {
			// Some fixtures hold float16.
			if math.Abs(float64(got[i]-v)) > 1e-3 {
				t.Fatalf("%s: number %d is %v, want %v", what, i, got[i], v)
			}
		}
	}
	near("entities", m.Predictor.EntityTable.Float32s(), entities)
	near("relations", m.Predictor.RelationTable, relations)
}
