package simd

import (
	"math"
	"slices"
	"testing"
	"unsafe"

	"github.com/efoc/efoc/kernels/internal/ref"
)

// An elementwise is a kernel that must agree with package ref bit by bit.
type elementwise func(dst, x, y []float32, a, b float32)

var elementwises = []struct {
	name      string
	got, want elementwise
}{
	{"ScaleAbove", func(dst, x, _ []float32, a, b float32) { ScaleAbove(dst, x, a, b) }, func(dst, x, _ []float32, a, b float32) { ref.ScaleAbove(dst, x, a, b) }},
	{"Add", func(dst, x, y []float32, _, _ float32) { Add(dst, x, y) }, func(dst, x, y []float32, _, _ float32) { ref.Add(dst, x, y) }},
	{"Mul", func(dst, x, y []float32, _, _ float32) { Mul(dst, x, y) }, func(dst, x, y []float32, _, _ float32) { ref.Mul(dst, x, y) }},
	{"MaxOf", func(dst, x, y []float32, _, _ float32) { MaxOf(dst, x, y) }, func(dst, x, y []float32, _, _ float32) { ref.MaxOf(dst, x, y) }},
	{"Scale", func(dst, x, _ []float32, a, _ float32) { Scale(dst, x, a) }, func(dst, x, _ []float32, a, _ float32) { ref.Scale(dst, x, a) }},
	{"ScaleAdd", func(dst, x, y []float32, a, _ float32) { ScaleAdd(dst, x, a, y) }, func(dst, x, y []float32, a, _ float32) { ref.ScaleAdd(dst, x, a, y) }},
	{"AddConst", func(dst, x, _ []float32, a, _ float32) { AddConst(dst, x, a) }, func(dst, x, _ []float32, a, _ float32) { ref.AddConst(dst, x, a) }},
}

// sweepElements compares two element-wise kernels over all short lengths and all regimes, with a separate
// result and in place.
func sweepElements(t *testing.T, got, want elementwise) {
	m := newMemory(t)
	for _, n := range append(counts, 512, 1001) {
		for r := range regimes {
			x, y := m.numbers(n, int(r)%4, r), m.numbers(n, n%3, r)
			a, b := m.number(r), m.number(r)
			expected := make([]float32, n)
			want(expected, x, y, a, b)
			dst, same := m.result(n, int(r), -1), m.result(n, n%3, 0)
			copy(same, x)
			got(dst, x, y, a, b)
			got(same, same, y, a, b)
			for i, e := range expected {
				for _, g := range []float32{dst[i], same[i]} {
					if math.Float32bits(g) != math.Float32bits(e) && !(g != g && e != e) {
						t.Fatalf("element %d of %d: %v, want %v (x %v, y %v, a %v, b %v)", i, n, g, e, x[i], y[i], a, b)
					}
				}
			}
			m.next("length %d", n)
		}
	}
}

func sweepMax(t *testing.T) {
	m := newMemory(t)
	for _, n := range append(counts, 512, 1001) {
		for r := range regimes {
			x := m.numbers(n, int(r)%4, r)
			if got, want := Max(x), ref.Max(x); got != want {
				t.Fatalf("largest of %v: %v, want %v", x, got, want)
			}
			for i := range x {
				x[i] = -max(x[i], -x[i]) // none above 0
			}
			if got, want := Max(x), ref.Max(x); got != want {
				t.Fatalf("largest of %v: %v, want %v", x, got, want)
			}
			m.next("length %d", n)
		}
		for at := range n {
			x := m.normal(n, at%4)
			x[at] = 100
			if got := Max(x); got != 100 {
				t.Fatalf("largest at %d of %d: %v, want 100", at, n, got)
			}
			m.next("length %d", n)
		}
	}
}

func sweepSumAbove(t *testing.T) {
	m := newMemory(t)
	for _, n := range append(counts, 512, 1001) {
		for r := range regimes {
			bounds := []float32{-infinity, minusZero, 0, leastNormal, infinity, notANumber, m.number(r), m.number(r)}
			for _, eps := range append(bounds, edges[m.rng.IntN(len(edges))]) {
				x := m.numbers(n, n%4, r)
				if n > 0 {
					x[n-1] = eps // the bound itself is included
				}
				size := 0.0
				for _, v := range x {
					if v >= eps {
						size += math.Abs(float64(v))
					}
				}
				got, want := SumAbove(x, eps), ref.SumAbove(x, eps)
				near := math.Abs(float64(got)-float64(want)) <= 0x1p-23*math.Abs(float64(want))+1e-15*size
				if !sameNumber(got, want) && !near {
					t.Fatalf("sum of %d %s numbers above %v: %v, want %v", n, r, eps, got, want)
				}
				m.next("length %d", n)
			}
		}
	}
}

// sweepIndexAbove compares lists of indices, for bounds that few numbers reach and that all do. The kernel must
// not write beyond dst, nor read x beyond the length of dst.
func sweepIndexAbove(t *testing.T) {
	m := newMemory(t)
	for _, n := range append(counts, 512, 1001) {
		for r := range regimes {
			x := m.numbers(n, int(r)%4, r)
			for _, eps := range []float32{-infinity, minusZero, 0, math.SmallestNonzeroFloat32, 1, 2, infinity, notANumber, m.number(r), m.number(r)} {
				room, want := m.result(n, n%3, -1), make([]int32, n)
				got := unsafe.Slice((*int32)(unsafe.Pointer(unsafe.SliceData(room))), n)
				count := IndexAbove(got, x, eps)
				if most := ref.IndexAbove(want, x, eps); count != most || !slices.Equal(got[:count], want[:most]) {
					t.Fatalf("%d %s numbers of %v: %d indices %v, want %v", n, r, eps, count, got[:count], want[:most])
				}
			}
			m.next("length %d", n)
		}
	}
}

// sweepScaleClip compares clipped vectors, bit by bit, and the number of entries at or above the bound. The
// kernel must not write beyond dst, nor read x beyond the length of dst.
func sweepScaleClip(t *testing.T) {
	m := newMemory(t)
	for _, n := range append(counts, 512, 1001) {
		for r := range regimes {
			for _, bounds := range [][2]float32{{-infinity, infinity}, {0, 1}, {0.5, 0.5}, {m.number(r), infinity}, {m.number(r), m.number(r)}, {notANumber, 1}} {
				x, want := m.numbers(n, int(r)%4, r), make([]float32, n)
				dst, scale := m.result(n, n%3, -1), m.number(r)
				count, same := ScaleClip(dst, x, scale, bounds[0], bounds[1]), m.result(n, 0, 0)
				copy(same, x)
				ScaleClip(same, same, scale, bounds[0], bounds[1])
				if most := ref.ScaleClip(want, x, scale, bounds[0], bounds[1]); count != most {
					t.Fatalf("%d %s numbers times %v from %v: %d, want %d", n, r, scale, bounds, count, most)
				}
				for i, w := range want {
					if math.Float32bits(dst[i]) != math.Float32bits(w) || math.Float32bits(same[i]) != math.Float32bits(w) {
						t.Fatalf("element %d of %d: %v times %v within %v is %v and %v, want %v", i, n, x[i], scale, bounds, dst[i], same[i], w)
					}
				}
			}
			m.next("length %d", n)
		}
	}
}
