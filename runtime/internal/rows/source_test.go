package rows

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/efoc/efoc/kernels/product"
	"github.com/efoc/efoc/kernels/quant"
	"github.com/efoc/efoc/kernels/simd"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/table"
	"github.com/efoc/efoc/testdata/modeltest"
)

// randomModel is a model without facts, with a table of some type and rows of another beside codes.
func randomModel(t *testing.T, rng *rand.Rand, n, rank int, table, exact table.Type, scale float64) *model.Model {
	t.Helper()
	m := modeltest.New(t, modeltest.Spec{
		Entities: n, Relations: 1, Rank: rank, Rows: normals(rng, n*2*rank, scale), RelationRows: normals(rng, 2*2*rank, scale), Table: table, Exact: exact,
	})
	t.Cleanup(func() { m.Close() })
	return m
}

func normals(rng *rand.Rand, n int, scale float64) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(scale * rng.NormFloat64())
	}
	return x
}

// columns draws queries of some number, the second of them for a cosine.
func columns(rng *rand.Rand, m *model.Model, count int) (list []Column) {
	for i := range count {
		list = append(list, Column{
			Dst: make([]float32, m.NumEntities()), Query: normals(rng, 2*m.Predictor.Rank, 0.4), Cosine: i == 1,
		})
	}
	return list
}

// score is what a column should have for the row of an entity, and the sum of absolute products.
func score(m *model.Model, c *Column, e int) (want, abs float64) {
	row := m.Predictor.EntityTable.Row(graph.EntityID(e), nil)
	row2, query2 := 0.0, 0.0
	for l, v := range row {
		p := float64(v) * float64(c.Query[l])
		want, abs = want+p, abs+math.Abs(p)
		row2, query2 = row2+float64(v)*float64(v), query2+float64(c.Query[l])*float64(c.Query[l])
	}
	if c.Cosine {
		return want / math.Sqrt(row2*query2), abs / math.Sqrt(row2*query2)
	}
	return want, abs
}

// refused reports whether a source refuses all work: without codes, or as it is made for products
// that the machine lacks.
func refused(source Source) bool {
	switch s := source.(type) {
	case Codes:
		return s.Model.Predictor.EntityTable.Codes() == nil
	case Wide:
		return !hasCodes(&s.Model.Predictor.EntityTable) || !product.HasIntegers()
	}
	return false
}

// TestSources compares what each source computes of a range of rows with plain loops in float64: for
// few columns and sums and for many.
func TestSources(t *testing.T) {
	const n, rank, lo, hi = 300, 40, 128, 251
	for _, table := range []struct{ table, exact table.Type }{
		{table.Float32, ""}, {table.Int8, ""}, {table.Int8, table.Float32},
	} {
		for _, of := range []func(m *model.Model) Source{
			func(m *model.Model) Source { return Float{m} },
			func(m *model.Model) Source { return Codes{m} },
			func(m *model.Model) Source { return Wide{m} },
		} {
			for _, count := range []int{1, 2, 3, 4, 7, 9, 17, 33} {
				rng := rand.New(rand.NewPCG(uint64(count), 7))
				m := randomModel(t, rng, n, rank, table.table, table.exact, 0.4)
				source := of(m)
				t.Run(fmt.Sprintf("%T/%s+%s/%d", source, table.table, table.exact, count), func(t *testing.T) {
					w := &Work{Columns: columns(rng, m, count), NumSums: count, Terms: product.Two, Within: 1}
					shape, ok := source.Pack(w)
					if refuses := refused(source); ok == refuses {
						t.Fatalf("refused: %v, want %v", !ok, refuses)
					} else if refuses {
						return
					}
					var room Room
					source.Scores(w, lo, hi, &room)
					within := 2e-6 + 0x1p-15*(1+0x1p-7)
					if _, float := source.(Float); !float {
						within = 1.5e-2 // of the largest number of a row, codes are off by 1/254
					}
					for i := range w.Columns {
						for e := lo; e < hi; e++ {
							if want, abs := score(m, &w.Columns[i], e); !(math.Abs(float64(w.Columns[i].Dst[e])-want) <= within*abs) {
								t.Fatalf("column %d of row %d is %v, want %v", i, e, w.Columns[i].Dst[e], want)
							}
						}
					}
					acc, weights := make([]float32, shape.Stride*max(count, shape.Sums)), make([][]float32, count)
					for i := range weights {
						weights[i] = make([]float32, hi-lo)
						for e := range weights[i] {
							weights[i][e] = rng.Float32()
						}
					}
					source.Add(w, acc, weights, lo, hi, &room)
					ids := []int32{3, 140, 3}
					source.AddAt(acc[:shape.Stride], ids, []float32{1, 2, 3})
					sums := make([][]float64, count)
					for i := range sums {
						sums[i] = make([]float64, 2*rank)
					}
					add := func(i, e int, by float64) {
						for l, v := range m.Predictor.EntityTable.Row(graph.EntityID(e), nil) {
							sums[i][l] += by * float64(v)
						}
					}
					for i, x := range weights {
						for e, v := range x {
							add(i, lo+e, float64(v))
						}
					}
					for i, e := range ids {
						add(0, int(e), float64(i+1))
					}
					for i, sum := range sums {
						for l, want := range sum {
							if got := float64(acc[i*shape.Stride+l]); !(math.Abs(got-want) <= within*40) {
								t.Fatalf("sum %d is %v at %d, want %v", i, got, l, want)
							}
						}
					}
				})
			}
		}
	}
}

// TestRefused checks which columns sources leave to the exact rows.
func TestRefused(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	m := randomModel(t, rng, 100, 20, table.Int8, table.Float32, 3)
	for _, c := range []struct {
		name   string
		within float32
		query  float32
	}{{"not finite", 1e30, float32(math.NaN())}, {"too far off", 1e-9, 1}} {
		for _, source := range []Source{Codes{m}, Wide{m}} {
			w := &Work{Columns: columns(rng, m, 1), Within: c.within}
			w.Columns[0].Query[5] = c.query
			if _, ok := source.Pack(w); ok {
				t.Errorf("%T takes a query that is %s", source, c.name)
			}
		}
	}
	if (Codes{m}).Exact() != Source(Float{m}) || (Wide{m}).Exact() != Source(Codes{m}) || (Float{m}).Exact() != nil {
		t.Error("the exact source is not that of the rows")
	}
	if alone := randomModel(t, rng, 10, 2, table.Int8, "", 1); (Codes{alone}).Off() || !(Codes{m}).Off() {
		t.Error("codes are off from rows that there are not, or not from those that there are")
	}
}

// TestProductRows checks which rows products of matrices read: float32 rows only if codes with low bytes
// are too coarse for a query.
func TestProductRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, c := range []struct {
		table, exact table.Type
		query        float32
		codes        bool
	}{
		{table.Int8, table.Float32, 1, true}, {table.Int8, table.Float32, 1e4, false},
		{table.Float32, "", 1, false}, {table.Int8, "", 1, false},
	} {
		m := randomModel(t, rng, 100, 20, c.table, c.exact, 0.4)
		w := &Work{Columns: columns(rng, m, minProduct), Terms: product.Two}
		w.Columns[3].Query[5] = c.query
		if (Float{m}).Pack(w); (w.lows != nil) != c.codes {
			t.Errorf("a table of %s with rows %q and a query of %v: codes are read: %t", c.table, c.exact, c.query, w.lows != nil)
		}
	}
}

// TestWideOff measures the error of wide columns, beside one that is not wide: it is not much below
// its estimate and not above it.
func TestWideOff(t *testing.T) {
	const n, rank, narrow = 400, 64, 2
	rng := rand.New(rand.NewPCG(n, rank))
	m := randomModel(t, rng, n, rank, table.Int8, table.Float32, 0.4)
	for _, source := range []Source{Codes{m}, Wide{m}} {
		if refused(source) {
			continue
		}
		w := &Work{Columns: columns(rng, m, 9), Within: 1}
		for i := range w.Columns {
			w.Columns[i].Cosine, w.Columns[i].Wide = false, i != narrow
		}
		shape, ok := source.Pack(w)
		if !ok {
			t.Fatalf("%T refuses wide columns", source)
		}
		var room Room
		for lo := 0; lo < n; lo += shape.Tile {
			source.Scores(w, lo, min(lo+shape.Tile, n), &room)
		}
		table := &m.Predictor.EntityTable
		_, longest := table.CodesOff()
		for i, c := range w.Columns {
			square, largest := 0.0, float32(0)
			for e, got := range c.Dst {
				want, _ := score(m, &c, e)
				square += math.Pow(float64(got)-want, 2)
			}
			for _, v := range c.Query {
				largest = max(largest, v, -v)
			}
			unit := largest / float32(quant.Limit(2*rank))
			measured, estimate := math.Sqrt(square/n), float64(off(Length(c.Query), unit, simd.Max(table.Codes().Scales), longest, 2*rank))
			if coarse := i == narrow && source == Source(Codes{m}); !coarse && (measured > estimate || measured < estimate/8) || coarse && measured < 8*estimate {
				t.Errorf("%T: column %d is off by %.3g, estimated as %.3g", source, i, measured, estimate)
			}
		}
	}
}
