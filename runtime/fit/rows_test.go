package fit

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/efoc/efoc/kernels/product"
	"github.com/efoc/efoc/runtime/model"
)

// TestRowsOfCodes compares the degrees of rows that 16-bit integers give with those of exact
// rows in float64. A score is off by the rounding of the row and of the query, and by low bytes
// that are left out; large degrees are only by what that makes of the small ones in their sum.
func TestRowsOfCodes(t *testing.T) {
	const n, rank = 900, 16
	rng := rand.New(rand.NewPCG(1, 1))
	normals := func(count int) []float32 {
		x := make([]float32, count)
		for i := range x {
			x[i] = float32(rng.NormFloat64())
		}
		return x
	}
	var facts []model.Triple
	for range 3000 {
		facts = append(facts, model.Triple{Head: model.EntityID(rng.IntN(n)), Relation: int32(rng.IntN(3)), Tail: model.EntityID(rng.IntN(n))})
	}
	g, err := model.NewGraph(n, 3, facts)
	if err != nil {
		t.Fatal(err)
	}
	table, err := model.MakeTable(normals(n*2*rank), 2*rank, model.Int8, model.Float32)
	if err != nil {
		t.Fatal(err)
	}
	p := model.Predictor{Rank: rank, EntityTable: table, RelationTable: normals(6 * 2 * rank)}
	manifest := model.Manifest{Name: "random", Settings: model.DefaultSettings(), Visible: "all", Table: model.Int8, Exact: model.Float32}
	m, err := model.New(manifest, g, nil, p, model.NumberedNames("entity", n), model.NumberedNames("relation", 3))
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	k := newMaker(m)
	k.scale = scale{threshold: 1e-4}
	for _, count := range []int{1, 7, 40} {
		var keys []key
		for range count {
			keys = append(keys, key{int32(rng.IntN(n)), model.RelationID(rng.IntN(6))})
		}
		k.pass(keys)
		if k.rough != product.HasIntegers() {
			t.Fatalf("%d rows are made by integers: %t", count, k.rough)
		}
		large := 0
		for i, x := range keys {
			want, sum, off, size := make([]float64, n), 0.0, 0.0, 0.0
			query := k.queries[i*2*p.Rank : (i+1)*2*p.Rank]
			for _, v := range query {
				size = max(size, math.Abs(float64(v)))
			}
			for e := range want {
				score, slack, step := 0.0, 0.0, float64(table.Codes().Scales[e])
				for l, v := range m.Predictor.EntityTable.Row(model.EntityID(e), nil) {
					score += float64(v) * float64(query[l])
					slack += math.Abs(float64(query[l]))*step/256 + math.Abs(float64(v))*size/65024 + 65*step*size/32512
				}
				want[e], off = math.Exp(score), max(off, slack)
				sum += want[e]
			}
			rest := 0.0 // what the small ones make up of the sum
			for _, v := range want {
				if v < 1.01*share*sum {
					rest += v / sum
				}
			}
			tails := m.Graph.Tails(model.EntityID(x.h), x.r)
			for e := range want {
				want[e] = min(limit, want[e]/sum*float64(max(1, len(tails))))
			}
			for _, tail := range tails {
				want[tail] = 1
			}
			y := k.row(x, i)
			got := make([]float64, n)
			for j, e := range y.ids {
				got[e] = float64(y.deg[j])
			}
			for e, w := range want {
				if w >= 0.5 {
					large++
				}
				slack := w * (1e-5 + 1.1*off*(1+rest))
				if w >= 0.51 {
					slack = w * (1e-5 + 1.1*off*rest)
				}
				if w < 1.1e-4 {
					slack = 1.1e-4 // about the threshold
				}
				if !(math.Abs(got[e]-w) <= slack) {
					t.Errorf("%d rows: degree of %d in row %d is %v, want %v", count, e, i, got[e], w)
				}
			}
		}
		if large == 0 {
			t.Error("no degree is large")
		}
	}
}
