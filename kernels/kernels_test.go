package kernels

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// guard surrounds destinations: no kernel may write to it, and none may read the previous content of a
// destination.
var guard = float32(math.NaN())

// guarded returns a destination of n numbers within guard words, at an odd
// offset, and a function that checks the words.
func guarded(n int) (dst []float32, check func(t *testing.T)) {
	const margin = 5
	block := make([]float32, n+2*margin)
	for i := range block {
		block[i] = guard
	}
	return block[margin : margin+n : margin+n], func(t *testing.T) {
		t.Helper()
		for i, v := range block {
			if (i < margin || i >= margin+n) && v == v {
				t.Errorf("word %d of a destination of %d was written", i-margin, n)
			}
		}
	}
}

// random returns n numbers, some of them 0.
func random(rng *rand.Rand, n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		if rng.IntN(5) > 0 {
			x[i] = float32(rng.NormFloat64())
		}
	}
	return x
}

// near compares a result with float64 numbers, up to float32 rounding relative
// to the given size.
func near(t *testing.T, what string, got []float32, want []float64, size float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d numbers, want %d", what, len(got), len(want))
	}
	for i, w := range want {
		if !(math.Abs(float64(got[i])-w) <= 2e-6*math.Max(size, math.Abs(w))) {
			t.Errorf("%s: number %d is %g, want %g", what, i, got[i], w)
		}
	}
}

// lengths are all short lengths, and some odd ones around block sizes.
func lengths() []int {
	var out []int
	for n := range 71 {
		out = append(out, n)
	}
	return append(out, 127, 255, 256, 257, 511, 513, 1000)
}

// vectorKernels are the kernels on fuzzy vectors with the loops they compute. dst may be an operand of all of
// them.
var vectorKernels = []struct {
	name     string
	operands int
	run      func(dst []float32, x [][]float32)
	want     func(x [][]float32, e int) float64
}{
	{"Complement", 1, func(dst []float32, x [][]float32) { Complement(dst, x[0], 1.25) }, func(x [][]float32, e int) float64 { return 1.25 - float64(x[0][e]) }},
	{"Mul", 2, func(dst []float32, x [][]float32) { Mul(dst, x[0], x[1]) }, func(x [][]float32, e int) float64 { return float64(x[0][e]) * float64(x[1][e]) }},
	{"Max", 2, func(dst []float32, x [][]float32) { Max(dst, x[0], x[1]) }, func(x [][]float32, e int) float64 { return math.Max(float64(x[0][e]), float64(x[1][e])) }},
	{"Mix", 2, func(dst []float32, x [][]float32) { Mix(dst, x[0], x[1], 0.3) }, func(x [][]float32, e int) float64 { return 0.3*float64(x[0][e]) + 0.7*float64(x[1][e]) }},
	{"ScaleMax", 1, func(dst []float32, x [][]float32) { ScaleMax(dst, x[0]) }, func(x [][]float32, e int) float64 {
		return ratio(float64(x[0][e]), float64(slices.Max(x[0])))
	}},
}

func ratio(x, by float64) float64 {
	if by > 0 {
		return x / by
	}
	return 0
}

// TestVectorKernels tests the kernels on fuzzy vectors over lengths, and with destinations that are operands.
func TestVectorKernels(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, k := range vectorKernels {
		for _, n := range lengths() {
			for alias := -1; alias < k.operands; alias++ {
				dst, check := guarded(n)
				var args [][]float32
				for range k.operands {
					args = append(args, random(rng, n))
				}
				want := make([]float64, n)
				for e := range want {
					want[e] = k.want(args, e)
				}
				if alias >= 0 {
					copy(dst, args[alias])
					args[alias] = dst
				}
				k.run(dst, args)
				near(t, fmt.Sprintf("%s of %d, destination is operand %d", k.name, n, alias), dst, want, 1)
				check(t)
			}
		}
		x := [][]float32{random(rng, 100), random(rng, 100)}
		dst := make([]float32, 100)
		if allocs := testing.AllocsPerRun(10, func() { k.run(dst, x) }); allocs != 0 {
			t.Errorf("%s allocates %v times", k.name, allocs)
		}
	}
}

// TestVectorKernelsEdges checks vectors without a positive number and numbers that could overflow.
func TestVectorKernelsEdges(t *testing.T) {
	type x = []float32
	for _, c := range []struct {
		name string
		run  func(dst x)
		want []float64
	}{
		{"ScaleMax of zeros", func(d x) { ScaleMax(d, x{0, 0}) }, []float64{0, 0}},
		{"ScaleMax of negatives", func(d x) { ScaleMax(d, x{-1, -2}) }, []float64{0, 0}},
		{"ScaleMax of tiny numbers", func(d x) { ScaleMax(d, x{1e-44, 0}) }, []float64{1, 0}},
	} {
		dst, check := guarded(2)
		c.run(dst)
		near(t, c.name, dst, c.want, 1)
		check(t)
	}
}

// TestSparseKernels checks the products with an adjacency.
func TestSparseKernels(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	for _, n := range lengths() {
		var heads, tails []int32
		for h := range n {
			for tail := range n {
				if rng.IntN(n) < 3 {
					heads, tails = append(heads, int32(h)), append(tails, int32(tail))
				}
			}
		}
		x := random(rng, n)
		traversed, row, loops := make([]float64, n), make([]float64, n), make([]float64, n)
		var list []int32
		for i, h := range heads {
			traversed[tails[i]] += float64(x[h])
			if h == tails[i] {
				loops[h] = 1
			}
			if h == 0 {
				row[tails[i]] = 1
				list = append(list, tails[i])
			}
		}
		for _, k := range []struct {
			name string
			run  func(dst []float32)
			want []float64
		}{
			{"Traverse", func(dst []float32) { Traverse(dst, x, heads, tails) }, traversed},
			{"Neighbors", func(dst []float32) { Neighbors(dst, list) }, row},
			{"Loops", func(dst []float32) { Loops(dst, heads, tails, 0) }, loops},
		} {
			dst, check := guarded(n)
			k.run(dst)
			near(t, fmt.Sprintf("%s of %d", k.name, n), dst, k.want, 4)
			check(t)
			if allocs := testing.AllocsPerRun(2, func() { k.run(dst) }); allocs != 0 {
				t.Errorf("%s allocates %v times", k.name, allocs)
			}
		}
	}
}
