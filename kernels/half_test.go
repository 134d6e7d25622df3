package kernels

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/efoc/efoc/kernels/ref"
)

// halfKernels are the kernels on tables of 16 bits with the conversion to them.
var halfKernels = []struct {
	name        string
	narrow      func(x float32) uint16
	widen       func(dst []float32, x []uint16)
	weightedSum func(dst []float32, table []uint16, w, scratch []float32)
	loopScores  func(dst []float32, table []uint16, r []float32, negated bool)
}{
	{"BF16", ref.ToBF16, WidenBF16, WeightedSumBF16, LoopScoresBF16},
	{"F16", ref.ToF16, WidenF16, WeightedSumF16, LoopScoresF16},
}

// TestWiden converts all numbers of 16 bits, and short lists of them. −0 becomes 0
// whatever the machine.
func TestWiden(t *testing.T) {
	all := make([]uint16, 1<<16)
	for h := range all {
		all[h] = uint16(h)
	}
	for _, k := range halfKernels {
		exact := ref.BF16
		if k.name == "F16" {
			exact = ref.F16
		}
		for _, n := range append(lengths(), len(all)) {
			x := all[len(all)-n:]
			dst, check := guarded(n)
			k.widen(dst, x)
			for i, h := range x {
				want := exact(h) + 0
				if math.Float32bits(dst[i]) != math.Float32bits(want) && want == want || (want != want) != (dst[i] != dst[i]) {
					t.Fatalf("Widen%s of %d: %#04x is %v, want %v", k.name, n, h, dst[i], want)
				}
			}
			check(t)
		}
	}
}

// TestHalfKernels compares the kernels on tables of 16 bits with the float32
// kernels on the same numbers. Scores of loops are equal to the bit.
func TestHalfKernels(t *testing.T) {
	rng := rand.New(rand.NewPCG(10, 1))
	sizes := [][2]int{{255, 3}, {256, 4}, {257, 5}, {513, 17}, {3, 127}, {3, 128}, {4, 129}, {2, 513}}
	for n := range 20 {
		sizes = append(sizes, [2]int{n + 1, 3}, [2]int{5, n + 1})
	}
	for _, k := range halfKernels {
		for _, size := range sizes {
			c := newTableCase(rng, size[0], size[1])
			bits := make([]uint16, len(c.table))
			for i, v := range c.table {
				bits[i] = k.narrow(v)
			}
			k.widen(c.table, bits)
			what := fmt.Sprintf("%s of %d×%d", k.name, c.rows, c.d)
			for _, negated := range []bool{false, true} {
				want := make([]float32, c.rows)
				LoopScores(want, c.table, c.q, negated)
				dst, check := guarded(c.rows)
				run := func() { k.loopScores(dst, bits, c.q, negated) }
				run()
				for e := range want {
					if math.Float32bits(dst[e]) != math.Float32bits(want[e]) {
						t.Fatalf("LoopScores%s: number %d is %v, want %v", what, e, dst[e], want[e])
					}
				}
				check(t)
				if allocs := testing.AllocsPerRun(1, run); allocs != 0 {
					t.Errorf("LoopScores%s allocates %v times", what, allocs)
				}
			}
			want := make([]float64, 2*c.d)
			for j := range want {
				for e, w := range c.w {
					want[j] += float64(w) * float64(c.row(e)[j])
				}
			}
			dst, check := guarded(2 * c.d)
			run := func() { k.weightedSum(dst, bits, c.w, c.scratch) }
			run()
			near(t, "WeightedSum"+what, dst, want, 10)
			check(t)
			if allocs := testing.AllocsPerRun(1, run); allocs != 0 {
				t.Errorf("WeightedSum%s allocates %v times", what, allocs)
			}
		}
	}
}
