package kernels

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/efoc/efoc/kernels/simd"
)

// tableKernels are the kernels that read the entity table, with their loops.
// rows is the number of entities, d the rank.
var tableKernels = []struct {
	name     string
	byEntity bool // whether the result has a number for each entity
	run      func(dst []float32, c tableCase)
	want     func(c tableCase, i int) float64
}{
	{"Cosines", true, func(dst []float32, c tableCase) { cosines(dst, c.table, c.norms, c.q) }, func(c tableCase, e int) float64 {
		size := math.Sqrt(inner(c.row(e), c.row(e)) * inner(c.q, c.q))
		if size == 0 {
			return 0
		}
		return inner(c.row(e), c.q) / size
	}},
	{"LoopScores", true, func(dst []float32, c tableCase) { LoopScores(dst, c.table, c.q, false) }, func(c tableCase, e int) float64 {
		image := make([]float32, 2*c.d)
		for k := range image {
			image[k] = float32(product(c.row(e), c.q, k, false))
		}
		return inner(image, c.row(e))
	}},
	{"LoopScores negated", true, func(dst []float32, c tableCase) { LoopScores(dst, c.table, c.q, true) }, func(c tableCase, e int) float64 {
		image := make([]float32, 2*c.d)
		for k := range image {
			image[k] = -float32(product(c.row(e), c.q, k, false))
		}
		return inner(image, c.row(e))
	}},
	{"WeightedSum", false, func(dst []float32, c tableCase) { WeightedSum(dst, c.table, c.w, c.scratch) }, func(c tableCase, k int) float64 {
		sum := 0.0
		for e, w := range c.w {
			sum += float64(w) * float64(c.row(e)[k])
		}
		return sum
	}},
	{"Project", false, func(dst []float32, c tableCase) { Project(dst, c.row(0), c.q, false, false) }, func(c tableCase, k int) float64 {
		return product(c.row(0), c.q, k, false)
	}},
	{"Project backward", false, func(dst []float32, c tableCase) { Project(dst, c.row(0), c.q, true, false) }, func(c tableCase, k int) float64 {
		return product(c.row(0), c.q, k, true)
	}},
	{"Project negated", false, func(dst []float32, c tableCase) { Project(dst, c.row(0), c.q, false, true) }, func(c tableCase, k int) float64 {
		return -product(c.row(0), c.q, k, false)
	}},
	{"Project backward negated", false, func(dst []float32, c tableCase) { Project(dst, c.row(0), c.q, true, true) }, func(c tableCase, k int) float64 {
		return -product(c.row(0), c.q, k, true)
	}},
}

// tableCase holds what the kernels read.
type tableCase struct {
	rows, d                     int
	table, norms, q, w, scratch []float32
}

// newTableCase draws a table of rows×2d in which some rows are zero.
func newTableCase(rng *rand.Rand, rows, d int) tableCase {
	c := tableCase{rows: rows, d: d, table: random(rng, rows*2*d), q: random(rng, 2*d), w: random(rng, rows)}
	c.scratch = make([]float32, 2*d)
	for i := range c.scratch {
		c.scratch[i] = guard
	}
	for e := range rows {
		if rng.IntN(10) == 0 {
			clear(c.row(e))
		}
		c.norms = append(c.norms, float32(math.Sqrt(inner(c.row(e), c.row(e)))))
	}
	return c
}

func (c tableCase) row(e int) []float32 { return c.table[e*2*c.d : (e+1)*2*c.d] }

func inner(x, y []float32) float64 {
	sum := 0.0
	for i := range x {
		sum += float64(x[i]) * float64(y[i])
	}
	return sum
}

// product returns coordinate k of the complex product of x with r, or with its
// conjugate.
func product(x, r []float32, k int, conjugate bool) float64 {
	d := len(x) / 2
	a := complex(float64(x[k%d]), float64(x[d+k%d]))
	b := complex(float64(r[k%d]), float64(r[d+k%d]))
	if conjugate {
		b = complex(real(b), -imag(b))
	}
	if k < d {
		return real(a * b)
	}
	return imag(a * b)
}

// TestTableKernels sweeps the kernels over numbers of entities and ranks.
func TestTableKernels(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	sizes := [][2]int{{255, 3}, {256, 4}, {257, 5}, {513, 17}, {1000, 2}, {3, 255}, {2, 513}}
	for n := 1; n <= 70; n++ {
		sizes = append(sizes, [2]int{n, 3}, [2]int{5, n}, [2]int{n, n})
	}
	for _, size := range sizes {
		c := newTableCase(rng, size[0], size[1])
		for _, k := range tableKernels {
			n := 2 * c.d
			if k.byEntity {
				n = c.rows
			}
			want := make([]float64, n)
			for i := range want {
				want[i] = k.want(c, i)
			}
			dst, check := guarded(n)
			k.run(dst, c)
			near(t, fmt.Sprintf("%s of %d×%d", k.name, c.rows, c.d), dst, want, 10)
			check(t)
			if allocs := testing.AllocsPerRun(1, func() { k.run(dst, c) }); allocs != 0 {
				t.Errorf("%s allocates %v times", k.name, allocs)
			}
		}
	}
}

// cosines makes cosines as a sweep does: inner products, then DivideNorms.
func cosines(dst, table, norms, q []float32) {
	simd.DotRows(dst, table, q)
	DivideNorms(dst, norms, q)
}

// TestCosinesZero checks that the cosine with a zero vector is 0.
func TestCosinesZero(t *testing.T) {
	dst := []float32{guard, guard}
	cosines(dst, []float32{1, 2, 0, 0}, []float32{float32(math.Sqrt(5)), 0}, []float32{0, 0})
	near(t, "cosine with zero", dst, []float64{0, 0}, 1)
}

// TestWeightedSumSkips checks that a block of rows whose weights are all zero is
// not read: not even NaN matters there.
func TestWeightedSumSkips(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 1))
	for _, rows := range []int{256, 511, 512, 700, 1024} {
		c := newTableCase(rng, rows, 4)
		want := make([]float64, 8)
		for e := range rows {
			if block := e / 256; block%2 == 0 {
				c.w[e] = 0
				for k := range c.row(e) {
					c.row(e)[k] = guard
				}
				continue
			}
			for k, v := range c.row(e) {
				want[k] += float64(c.w[e]) * float64(v)
			}
		}
		dst := make([]float32, 8)
		WeightedSum(dst, c.table, c.w, c.scratch)
		near(t, fmt.Sprintf("sum over %d rows", rows), dst, want, 10)
	}
}

// TestWeightedSumAccurate checks the rounding of a sum over as many rows as a
// real graph has.
func TestWeightedSumAccurate(t *testing.T) {
	const rows, d = 14505, 4
	rng := rand.New(rand.NewPCG(5, 1))
	c := newTableCase(rng, rows, d)
	for i := range c.table {
		c.table[i] = float32(math.Abs(float64(c.table[i])))
	}
	for i := range c.w {
		c.w[i] = 1.0 / rows
	}
	want := make([]float64, 2*d)
	for k := range want {
		for e, w := range c.w {
			want[k] += float64(w) * float64(c.row(e)[k])
		}
	}
	dst := make([]float32, 2*d)
	WeightedSum(dst, c.table, c.w, c.scratch)
	near(t, "sum", dst, want, 0)
}

// benchmarkTable is as large as the one of FB15k-237 at rank 256.
func benchmarkTable() tableCase { return newTableCase(rand.New(rand.NewPCG(6, 1)), 14505, 256) }

func BenchmarkWeightedSum(b *testing.B) {
	c := benchmarkTable()
	dst := make([]float32, 2*c.d)
	b.SetBytes(int64(4 * len(c.table)))
	for b.Loop() {
		WeightedSum(dst, c.table, c.w, c.scratch)
	}
}
