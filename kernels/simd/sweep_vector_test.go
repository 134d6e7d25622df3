package simd

import (
	"math"
	"testing"

	"github.com/efoc/efoc/kernels/ref"
)

// sweepVectors tests the element-wise kernels, which must agree with package
// ref to the bit, and the reductions.
func sweepVectors(t *testing.T, run func(name string, present bool, test func(t *testing.T)), k kernelSet) {
	run("Max", k.Max != nil, func(t *testing.T) { sweepMax(t, k.Max) })
	run("SumAbove", k.SumAbove != nil, func(t *testing.T) { sweepSumAbove(t, k.SumAbove) })

	type operands = func(dst, x, y, z []float32, a, b float32)
	element := func(name string, present bool, got, want operands) {
		run(name, present, func(t *testing.T) { sweepElements(t, got, want) })
	}
	element("ScaleAbove", k.ScaleAbove != nil,
		func(dst, x, _, _ []float32, a, b float32) { k.ScaleAbove(dst, x, a, b) },
		func(dst, x, _, _ []float32, a, b float32) { ref.ScaleAbove(dst, x, a, b) })
	element("Add", k.Add != nil,
		func(dst, x, y, _ []float32, _, _ float32) { k.Add(dst, x, y) },
		func(dst, x, y, _ []float32, _, _ float32) { ref.Add(dst, x, y) })
	element("Mul", k.Mul != nil,
		func(dst, x, y, _ []float32, _, _ float32) { k.Mul(dst, x, y) },
		func(dst, x, y, _ []float32, _, _ float32) { ref.Mul(dst, x, y) })
	element("MulAdd", k.MulAdd != nil,
		func(dst, x, y, z []float32, _, _ float32) { k.MulAdd(dst, x, y, z) },
		func(dst, x, y, z []float32, _, _ float32) { ref.MulAdd(dst, x, y, z) })
	element("MaxOf", k.MaxOf != nil,
		func(dst, x, y, _ []float32, _, _ float32) { k.MaxOf(dst, x, y) },
		func(dst, x, y, _ []float32, _, _ float32) { ref.MaxOf(dst, x, y) })
	element("Lerp", k.Lerp != nil,
		func(dst, x, y, _ []float32, a, _ float32) { k.Lerp(dst, x, y, a) },
		func(dst, x, y, _ []float32, a, _ float32) { ref.Lerp(dst, x, y, a) })
	element("Scale", k.Scale != nil,
		func(dst, x, _, _ []float32, a, _ float32) { k.Scale(dst, x, a) },
		func(dst, x, _, _ []float32, a, _ float32) { ref.Scale(dst, x, a) })
	element("ScaleAdd", k.ScaleAdd != nil,
		func(dst, x, y, _ []float32, a, _ float32) { k.ScaleAdd(dst, x, a, y) },
		func(dst, x, y, _ []float32, a, _ float32) { ref.ScaleAdd(dst, x, a, y) })
	element("AddConst", k.AddConst != nil,
		func(dst, x, _, _ []float32, a, _ float32) { k.AddConst(dst, x, a) },
		func(dst, x, _, _ []float32, a, _ float32) { ref.AddConst(dst, x, a) })
}

// sweepElements compares two element-wise kernels over all short lengths and all
// regimes, with a result of its own and with one that is the first operand.
func sweepElements(t *testing.T, got, want func(dst, x, y, z []float32, a, b float32)) {
	m := newMemory(t)
	for _, n := range append(counts, 512, 1001) {
		for r := range regimes {
			x, y, z := m.numbers(n, int(r)%4, r), m.numbers(n, n%3, r), m.numbers(n, n%5, r)
			a, b := m.number(r), m.number(r)
			expected := make([]float32, n)
			want(expected, x, y, z, a, b)
			dst, same := m.result(n, int(r), -1), m.result(n, n%3, 0)
			copy(same, x)
			got(dst, x, y, z, a, b)
			got(same, same, y, z, a, b)
			for i, e := range expected {
				for _, g := range []float32{dst[i], same[i]} {
					if math.Float32bits(g) != math.Float32bits(e) && !(g != g && e != e) {
						t.Fatalf("element %d of %d: %v, want %v (x %v, y %v, z %v, a %v, b %v)", i, n, g, e, x[i], y[i], z[i], a, b)
					}
				}
			}
			m.next("length %d", n)
		}
	}
}

func sweepMax(t *testing.T, maxOf func(x []float32) float32) {
	m := newMemory(t)
	for _, n := range append(counts, 512, 1001) {
		for r := range regimes {
			x := m.numbers(n, int(r)%4, r)
			if got, want := maxOf(x), ref.Max(x); got != want {
				t.Fatalf("largest of %v: %v, want %v", x, got, want)
			}
			for i := range x {
				x[i] = -max(x[i], -x[i]) // nothing above 0
			}
			if got, want := maxOf(x), ref.Max(x); got != want {
				t.Fatalf("largest of %v: %v, want %v", x, got, want)
			}
			m.next("length %d", n)
		}
		for at := range n {
			x := m.normal(n, at%4)
			x[at] = 100
			if got := maxOf(x); got != 100 {
				t.Fatalf("largest at %d of %d: %v, want 100", at, n, got)
			}
			m.next("length %d", n)
		}
	}
}

func sweepSumAbove(t *testing.T, sumAbove func(x []float32, eps float32) float32) {
	m := newMemory(t)
	for _, n := range append(counts, 512, 1001) {
		for r := range regimes {
			bounds := []float32{-infinity, minusZero, 0, leastNormal, infinity, notANumber, m.number(r), m.number(r)}
			for _, eps := range append(bounds, edges[m.rng.IntN(len(edges))]) {
				x := m.numbers(n, n%4, r)
				if n > 0 {
					x[n-1] = eps // the bound itself counts
				}
				size := 0.0
				for _, v := range x {
					if v >= eps {
						size += math.Abs(float64(v))
					}
				}
				got, want := sumAbove(x, eps), ref.SumAbove(x, eps)
				near := math.Abs(float64(got)-float64(want)) <= 0x1p-23*math.Abs(float64(want))+1e-15*size
				if !sameNumber(got, want) && !near {
					t.Fatalf("sum of %d %s numbers above %v: %v, want %v", n, r, eps, got, want)
				}
				m.next("length %d", n)
			}
		}
	}
}
