package importer

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/efoc/efoc/kernels"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/safetensors"
	"github.com/efoc/efoc/runtime/model/table"
	"github.com/efoc/efoc/testdata/require"
)

// scoreOf returns the score of a link by a model.
func scoreOf(m *model.Model, h, r, t int) (sum float64) {
	p := &m.Predictor
	query := make([]float32, 2*p.Rank)
	kernels.Project(query, p.EntityTable.Row(graph.EntityID(h), nil), p.Relation(graph.RelationID(r)), false, false)
	for k, x := range p.EntityTable.Row(graph.EntityID(t), nil) {
		sum += float64(query[k]) * float64(x)
	}
	return sum
}

// TestImportSeveral imports two checkpoints as one model, and compares every score, from both ends, with the weighted
// mean of the scores of both by their own definitions. The tables differ in scorer.
func TestImportSeveral(t *testing.T) {
	cases := map[string]scorerCase{}
	for _, c := range scorerCases() {
		cases[c.name] = c
	}
	for _, x := range []struct{ first, second string }{
		{"OpenKE ComplEx", "OpenKE ComplEx"},
		{"LibKGE DistMult", "OpenKE DistMult"},
		{"OpenKE ComplEx", "OpenKE DistMult"},
	} {
		t.Run(x.first+" and "+x.second, func(t *testing.T) {
			a := cases[x.first]
			b := cases[x.second]
			score := func(h, r, tail int) float64 { return 0.75*a.score(h, r, tail) + 0.25*b.score(h, r, tail) }
			folder := scored{scoredEntities, scoredRelations, score}.folder(t)
			o := Options{Graph: folder, Layout: Layout{Inverse: inverseNone}, Table: table.Float32, SkipCheck: true, Weights: []float64{3, 1}}
			for _, c := range []scorerCase{a, b} {
				o.Checkpoints = append(o.Checkpoints, tensorsFile(t, t.TempDir(), "c.safetensors", c.tensors...))
			}
			o.Layout.Parts = a.layout.Parts
			m, err := importRing(t, o)
			require.NoError(t, err)
			for h := range scoredEntities {
				for r := range scoredRelations {
					for tail := range scoredEntities {
						want := score(h, r, tail)
						for _, got := range []float64{scoreOf(m, h, 2*r, tail), scoreOf(m, tail, 2*r+1, h)} {
							if !(math.Abs(got-want) <= 2e-5*max(10, math.Abs(want))) {
								t.Fatalf("the score of %d %d %d is %v, want %v", h, r, tail, got, want)
							}
						}
					}
				}
			}
		})
	}
}

// TestImportSeveralOrders imports two tables of complex numbers of different rank and layout, each with its rows in an
// order of its own, and compares the scores with plain arithmetic over the tables.
func TestImportSeveralOrders(t *testing.T) {
	r := smallRing
	graphFolder := r.namedFolder(t, t.TempDir())
	entities, relations := r.tables()
	reversed := func(numbers []float32, width, block int) []float32 {
		var list []float32
		for i := len(numbers) - block*width; i >= 0; i -= block * width {
			list = append(list, numbers[i:i+block*width]...)
		}
		return list
	}
	names := func(prefix string, values []int) string {
		var lines strings.Builder
		for i := range values {
			fmt.Fprintf(&lines, "%d\t%s%d\n", i, prefix, values[len(values)-1-i])
		}
		return lines.String()
	}
	// The second checkpoint doubles each complex number of the first, so that its scores are twice as high, and
	// alternates real and imaginary parts.
	twice := func(numbers []float32) (list []float32) {
		d := r.d
		for i := 0; i < len(numbers); i += 2 * d {
			for k := range 2 * d {
				list = append(list, numbers[i+k%d], numbers[i+d+k%d])
			}
		}
		return list
	}
	dir := t.TempDir()
	second := tensorsFile(t, dir, "c.safetensors",
		matrixOf("entity_representations.0._embeddings.weight", reversed(twice(entities), 4*r.d, 1), r.n),
		matrixOf("relation_representations.0._embeddings.weight", reversed(twice(relations), 4*r.d, 2), 2*len(r.shifts)))
	var ids []int
	for i := range r.n {
		ids = append(ids, i)
	}
	writeFile(t, dir, "entities.tsv", names("n", ids))
	writeFile(t, dir, "relations.tsv", names("by", r.shifts))

	first := r.checkpoint(t, t.TempDir())
	m, err := importRing(t, Options{Graph: graphFolder, Checkpoints: []string{first, second}, Table: table.Float32})
	require.NoError(t, err)
	if m.Predictor.Rank != 3*r.d {
		t.Errorf("the rank is %d, want %d", m.Predictor.Rank, 3*r.d)
	}
	row := func(table []float32, i, k int) complex128 {
		return complex(float64(table[2*r.d*i+k]), float64(table[2*r.d*i+r.d+k]))
	}
	for h := range r.n {
		for relation := range 2 * len(r.shifts) {
			for tail := range r.n {
				sum := 0.0
				for k := range r.d {
					x := row(entities, h, k) * row(relations, relation, k)
					y := row(entities, tail, k)
					sum += real(x)*real(y) + imag(x)*imag(y)
				}
				want := (sum + 2*sum) / 2
				if got := scoreOf(m, h, relation, tail); !(math.Abs(got-want) <= 1e-5) {
					t.Fatalf("the score of %d %d %d is %v, want %v", h, relation, tail, got, want)
				}
			}
		}
	}
}

// TestImportSeveralErrors refuses checkpoints that cannot stand side by side, and names the one that does not match.
func TestImportSeveralErrors(t *testing.T) {
	cases := map[string]scorerCase{}
	for _, c := range scorerCases() {
		cases[c.name] = c
	}
	folder := scored{scoredEntities, scoredRelations, cases["OpenKE ComplEx"].score}.folder(t)
	file := func(name string, tensors ...safetensors.Tensor) string {
		return tensorsFile(t, t.TempDir(), name, tensors...)
	}
	complEx := file("a.safetensors", cases["OpenKE ComplEx"].tensors...)
	dry := file("b.safetensors", matrixOf("ent_embeddings.weight", make([]float32, 29*8), 29), matrixOf("rel_embeddings.weight", make([]float32, 4*8), 4))
	for _, x := range []struct {
		want, second string
		weights      []float64
	}{
		{`b.safetensors: tensor "ent_embeddings.weight" has 29 rows, but the graph has 30 entities`, dry, nil},
		{"1 weights for 2 checkpoints", complEx, []float64{1}},
		{"weights are [1 0], want numbers above 0", complEx, []float64{1, 0}},
		{"weights are [1 NaN], want", complEx, []float64{1, math.NaN()}},
		{"weights are [1 +Inf], want", complEx, []float64{1, math.Inf(1)}},
	} {
		_, err := importRing(t, Options{Graph: folder, Checkpoints: []string{complEx, x.second}, Weights: x.weights, SkipCheck: true})
		if err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("error is %v, want %q", err, x.want)
		}
	}
}
