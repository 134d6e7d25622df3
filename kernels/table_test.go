package kernels

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// tableKernels are the kernels that read the entity table, with their loops.
// rows is the number of entities, d the rank.
var tableKernels = []struct {
	name     string
	byEntity bool // whether the result has a number for each entity
	run      func(dst []float32, c tableCase)
	want     func(c tableCase, i int) float64
}{
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
	rows, d  int
	table, q []float32
}

// newTableCase draws a table of rows×2d in which some rows are zero.
func newTableCase(rng *rand.Rand, rows, d int) tableCase {
	c := tableCase{rows: rows, d: d, table: random(rng, rows*2*d), q: random(rng, 2*d)}
	for e := range rows {
		if rng.IntN(10) == 0 {
			clear(c.row(e))
		}
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
