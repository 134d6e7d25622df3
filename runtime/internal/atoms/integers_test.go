package atoms

import (
	"math"
	"slices"
	"testing"

	"github.com/efoc/efoc/kernels/product"
	"github.com/efoc/efoc/runtime/internal/rows"
	"github.com/efoc/efoc/testdata/modeltest"
)

// TestIntegerRows compares the degrees of rows by products of integers with the degrees by float32
// products, for one row and many. They may differ by the estimated error of scores.
func TestIntegerRows(t *testing.T) {
	if !product.HasIntegers() {
		t.Skip("needs a processor with AMX-INT8")
	}
	const n, rank = 300, 40
	plain, with := modeltest.Coded(t, n, rank, 0.4)
	s := scale{threshold: 0.03, temperature: 1}
	exact, fast := newCache(plain, DefaultBudget), newCache(with, 0)
	full, sparse := 0, 0
	for _, count := range []int{1, 9, 70} {
		keys := keysOf(count, 1)
		k := fast.takeMaker(s)
		k.request(keys)
		k.run()
		if _, ok := k.reading.Source().(rows.Wide); !ok {
			t.Fatalf("%d rows are not made of integers", count)
		}
		want := fetch(t, exact, s, keys...)
		for i, got := range fetch(t, fast, s, keys...) {
			if got.Full != nil {
				full++
			} else {
				sparse++
			}
			for e := range int32(n) {
				g, w := float64(got.At(e)), float64(want[i].At(e))
				if max(g, w) > 1.01*float64(s.threshold) && math.Abs(math.Log(g/w)) > 10*rows.MaxWideError {
					t.Errorf("%d rows: that of %d gives %d %v, want %v", count, i, e, g, w)
				}
			}
		}
	}
	if full == 0 || sparse == 0 {
		t.Errorf("%d rows are full and %d sparse, want some of both", full, sparse)
	}
}

// TestWideRows compares the degrees of a few rows by dot products of integers with the degrees by
// float32 products.
func TestWideRows(t *testing.T) {
	const n, rank = 300, 40
	plain, with := modeltest.Coded(t, n, rank, 0.4)
	s := scale{threshold: 0.03, temperature: 1}
	exact, fast := newCache(plain, DefaultBudget), newCache(with, 0)
	for _, count := range []int{1, 2, 3, 5, 8, 23} {
		keys := keysOf(count, 1)
		k := fast.takeMaker(s)
		k.request(keys)
		k.run()
		if _, exact := k.reading.Source().(rows.Float); exact {
			t.Fatalf("%d rows are not made of integers", count)
		}
		scores := slices.Clone(k.scores)
		k.reading.Run(rows.Float{Model: with}, with.Pool())
		square := 0.0
		for i := range count {
			for e, want := range k.score(i) {
				off := float64(scores[i*k.stride+e]) - float64(want)
				square += off * off
			}
		}
		if off := math.Sqrt(square / float64(count*n)); off > rows.MaxWideError || off == 0 {
			t.Errorf("scores of %d rows are off by %.3g, want at most %.3g, and not 0", count, off, rows.MaxWideError)
		}
		want := fetch(t, exact, s, keys...)
		for i, got := range fetch(t, fast, s, keys...) {
			for e := range int32(n) {
				g, w := float64(got.At(e)), float64(want[i].At(e))
				if max(g, w) > 1.01*float64(s.threshold) && math.Abs(math.Log(g/w)) > 10*rows.MaxWideError {
					t.Errorf("%d rows: that of %d gives %d %v, want %v", count, i, e, g, w)
				}
			}
		}
	}
}

// TestIntegersTooFarOff has scores so large that integers would be off by too much: rows are those
// of float32.
func TestIntegersTooFarOff(t *testing.T) {
	const n, rank = 100, 20
	plain, with := modeltest.Coded(t, n, rank, 3)
	s := scale{temperature: 1}
	keys := keysOf(12, 0)
	want, got := fetch(t, newCache(plain, 0), s, keys...), fetch(t, newCache(with, 0), s, keys...)
	for i := range keys {
		for e := range int32(n) {
			if g, w := got[i].At(e), want[i].At(e); g != w {
				t.Errorf("row %d gives %d %v, want %v", i, e, g, w)
			}
		}
	}
}

// TestCoarseSource checks that a few coarse rows read codes alone, on machines with and without products of integers.
func TestCoarseSource(t *testing.T) {
	_, with := modeltest.Coded(t, 300, 40, 0.1)
	keys := keysOf(5, 1)
	for i := range keys {
		keys[i].Detail = CoarseRow
	}
	k := newCache(with, 0).takeMaker(scale{threshold: 0.03, temperature: 1})
	k.request(keys)
	k.run()
	if _, codes := k.reading.Source().(rows.Codes); !codes || slices.Contains(k.offs, 0) {
		t.Errorf("coarse rows are read from %T, their degrees off by %v", k.reading.Source(), k.offs)
	}
}
