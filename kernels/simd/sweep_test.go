package simd

import (
	"slices"
	"testing"
)

// TestSweep compares every kernel of every engine with package ref.
func TestSweep(t *testing.T) {
	for _, e := range append(slices.Concat(engines, prefetching), dispatched) {
		t.Run(e.name, func(t *testing.T) {
			if !e.present {
				t.Skip("this machine lacks " + e.name)
			}
			sweep(t, e.kernels)
		})
	}
}

// TestAllocs checks that no kernel allocates.
func TestAllocs(t *testing.T) {
	const n, w = 8, 32
	k := dispatched.kernels
	rows, dst, q := make([]float32, n*w), make([]float32, n), make([]float32, w)
	halves := make([]uint16, n*w)
	for name, call := range map[string]func(){
		"DotRows":      func() { k.DotRows(dst, rows, q) },
		"DotRows4":     func() { k.DotRows4(dst, dst, dst, dst, rows, q, q, q, q) },
		"DotRowsBF16":  func() { k.DotRowsBF16(dst, halves, q) },
		"DotRows4F16":  func() { k.DotRows4F16(dst, dst, dst, dst, halves, q, q, q, q) },
		"AxpyRows":     func() { k.AxpyRows(q, rows, dst) },
		"AxpyRowsBF16": func() { k.AxpyRowsBF16(q, halves, dst) },
		"ExpSum":       func() { k.ExpSum(rows, rows, 1) },
		"Max":          func() { k.Max(rows) },
		"SumAbove":     func() { k.SumAbove(rows, 1) },
		"Lerp":         func() { k.Lerp(q, q, rows, 0.5) },
	} {
		if allocs := testing.AllocsPerRun(10, call); allocs != 0 {
			t.Errorf("%s allocates %v times", name, allocs)
		}
	}
}

// TestChecks checks that slices which are too short panic before the assembly
// sees them.
func TestChecks(t *testing.T) {
	s := make([]float32, 64)
	h := make([]uint16, 64)
	for name, call := range map[string]func(){
		"DotRows rows":     func() { DotRows(s[:3], s, s[:22]) },
		"DotRows2 dst1":    func() { DotRows2(s[:3], s[:2], s, s[:4], s[:4]) },
		"DotRows2 q1":      func() { DotRows2(s[:3], s[:3], s, s[:4], s[:3]) },
		"DotRows4 q3":      func() { DotRows4(s[:3], s[:3], s[:3], s[:3], s, s[:4], s[:4], s[:4], s[:2]) },
		"DotRowsF16 odd":   func() { DotRowsF16(s[:3], h, s[:5]) },
		"AxpyRows rows":    func() { AxpyRows(s[:22], s, s[:3]) },
		"AxpyRows2 acc1":   func() { AxpyRows2(s[:4], s[:3], s, s[:3], s[:3]) },
		"AxpyRows2 second": func() { AxpyRows2(s[:4], s[:4], s, s[:3], s[:2]) },
		"AxpyAt index":     func() { AxpyAt(s[:4], s, []int32{0, 1}, s[:3]) },
		"AxpyAt row":       func() { AxpyAt(s[:4], s, []int32{0, 16}, s[:2]) },
		"AxpyAt negative":  func() { AxpyAt(s[:4], s, []int32{0, -1}, s[:2]) },
		"AxpyRowsBF16 odd": func() { AxpyRowsBF16(s[:5], h, s[:3]) },
		"ExpSum x":         func() { ExpSum(s, s[:63], 0) },
		"ExpMax x":         func() { ExpMax(s, s[:63], 0) },
		"Lerp y":           func() { Lerp(s, s, s[:63], 0) },
		"ScaleClip x":      func() { ScaleClip(s, s[:63], 1, 0, 1) },
		"IndexAbove x":     func() { IndexAbove(make([]int32, 64), s[:63], 0) },
		"MulAdd z":         func() { MulAdd(s, s, s, s[:63]) },
		"GemmNT a":         func() { GemmNT(s, s[:11], s, 3, 4, 4) },
		"GemmNT size":      func() { GemmNT(s, s, s, 3, -1, 4) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			call()
		}()
	}
}
