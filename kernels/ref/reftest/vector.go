package reftest

import (
	"math"
	"testing"

	"github.com/efoc/efoc/kernels/ref"
)

// elements returns n numbers: normally distributed, with some special ones.
func (m *memory) elements(n, ahead int) []float32 {
	inf := float32(math.Inf(1))
	special := []float32{0, float32(math.Copysign(0, -1)), inf, -inf, float32(math.NaN()), 1e-40, math.MaxFloat32}
	s := m.normal(n, ahead)
	for i := range s {
		if r := m.rng.IntN(40); r < len(special) {
			s[i] = special[r]
		}
	}
	return s
}

// sweepVectors tests the element-wise kernels, which must agree with package
// ref to the bit, and the reductions.
func sweepVectors(t *testing.T, run func(name string, present bool, test func(t *testing.T)), k Kernels) {
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

// sweepElements compares two element-wise kernels over all short lengths, with
// a result of its own and with one that is the first operand.
func sweepElements(t *testing.T, got, want func(dst, x, y, z []float32, a, b float32)) {
	m := newMemory(t)
	for _, n := range append(counts, 512, 1001) {
		for round := range 4 {
			x, y, z := m.elements(n, round), m.elements(n, n%3), m.elements(n, n%5)
			a, b := float32(m.rng.NormFloat64()), float32(m.rng.NormFloat64())
			expected := make([]float32, n)
			want(expected, x, y, z, a, b)
			dst, same := m.result(n, round, -1), m.result(n, n%3, 0)
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
		for round := range 4 {
			x := m.normal(n, round)
			switch {
			case round == 1:
				for i := range x {
					x[i] = -1 - x[i]*x[i] // all negative
				}
			case round == 2:
				x = m.elements(n, n%4)
			}
			if got, want := maxOf(x), ref.Max(x); got != want {
				t.Fatalf("largest of %v: %v, want %v", x, got, want)
			}
		}
		for at := range n {
			x := m.normal(n, at%4)
			x[at] = 100
			if got := maxOf(x); got != 100 {
				t.Fatalf("largest at %d of %d: %v, want 100", at, n, got)
			}
			m.next("length %d", n)
		}
		m.next("length %d", n)
	}
}

func sweepSumAbove(t *testing.T, sumAbove func(x []float32, eps float32) float32) {
	m := newMemory(t)
	for _, n := range append(counts, 512, 1001) {
		for _, eps := range []float32{float32(math.Inf(-1)), -1, 0, 1e-7, 0.5, 1, 100} {
			x := m.normal(n, n%4)
			if n > 0 {
				x[n-1] = eps // the bound itself counts
				x[n/2] = float32(math.NaN())
			}
			if eps < -10 && n > 0 {
				x[n-1] = 3
			}
			size := 0.0
			for _, v := range x {
				if v >= eps {
					size += math.Abs(float64(v))
				}
			}
			got, want := float64(sumAbove(x, eps)), float64(ref.SumAbove(x, eps))
			if !(math.Abs(got-want) <= 0x1p-23*math.Abs(want)+1e-15*size) {
				t.Fatalf("sum of %d above %v: %v, want %v", n, eps, got, want)
			}
			m.next("length %d", n)
		}
	}
}
