package simd

import "testing"

// TestSweep compares every kernel of every engine with package ref, over lengths and alignments. Operands end
// at unreadable memory and results have guard words on both sides.
func TestSweep(t *testing.T) {
	eachEngine(t, func(t *testing.T) {
		t.Run("DotRows", func(t *testing.T) { prefetches(t, sweepDots) })
		t.Run("AxpyRows", func(t *testing.T) { prefetches(t, sweepAxpy) })
		for name, sweep := range map[string]func(t *testing.T){
			"ExpSum": sweepExp, "ExpMax": sweepExpMax, "Max": sweepMax, "SumAbove": sweepSumAbove,
			"IndexAbove": sweepIndexAbove, "ScaleClip": sweepScaleClip, "GemmNT": sweepGemmNT,
			"DotRowsI8": sweepDot8, "SumRowsI8": sweepAxpy8, "WidenI8": sweepWiden8, "WidenI16": sweepWidenI16,
			"Gemm": sweepGemm, "ExpShifts": sweepExpShifts,
			"AdagradN3": sweepAdagrad,
		} {
			t.Run(name, sweep)
		}
		for _, k := range elementwises {
			t.Run(k.name, func(t *testing.T) { sweepElements(t, k.got, k.want) })
		}
	})
}

// TestAllocs checks that no kernel allocates.
func TestAllocs(t *testing.T) {
	const n, w = 8, 64
	rows, dst, q, index := make([]float32, n*w), make([]float32, n), make([]float32, w), make([]int32, n)
	codes, scales, packed := make([]int8, n*w), make([]float32, n), make([]int16, 8*w)
	for name, call := range map[string]func(){
		"DotRows":    func() { DotRows(dst, rows, q) },
		"DotRows4":   func() { DotRows4(dst, dst, dst, dst, rows, q, q, q, q) },
		"AxpyRows":   func() { AxpyRows(q, rows, dst) },
		"ExpSum":     func() { ExpSum(rows, rows, 1) },
		"Max":        func() { Max(rows) },
		"SumAbove":   func() { SumAbove(rows, 1) },
		"DotRowsI8":  func() { DotRowsI8(dst, codes, scales, packed[:2*w], 1, true) },
		"DotRows2I8": func() { DotRows2I8(dst, dst, codes, scales, packed[:4*w], scales, true) },
		"DotRows4I8": func() { DotRows4I8(dst, dst, dst, dst, codes, scales, packed, scales, true) },
		"AxpyAtI8":   func() { AxpyAtI8(q, codes, scales, index, dst) },
		"SumRowsI8":  func() { SumRowsI8(q, codes, scales, dst) },
		"SumRows2I8": func() { SumRows2I8(q, q, codes, scales, dst, dst) },
		"WidenI8":    func() { WidenI8(q, codes, 1) },
		"WidenI16":   func() { WidenI16(q, codes, codes, 1) },
	} {
		if allocs := testing.AllocsPerRun(10, call); allocs != 0 {
			t.Errorf("%s allocates %v times", name, allocs)
		}
	}
}

// TestChecks checks that inconsistent operands panic before they reach the assembly: slices that are too short,
// widths of codes that are not multiples of 64.
func TestChecks(t *testing.T) {
	s, index := make([]float32, 128), make([]int32, 64)
	rows, q := make([]int8, 256), make([]int16, 512)
	short := s[:64]
	for name, call := range map[string]func(){
		"DotRows rows":        func() { DotRows(s[:3], short, s[:22]) },
		"DotRows2 dst1":       func() { DotRows2(s[:3], s[:2], s, s[:4], s[:4]) },
		"DotRows2 q1":         func() { DotRows2(s[:3], s[:3], s, s[:4], s[:3]) },
		"DotRows4 q3":         func() { DotRows4(s[:3], s[:3], s[:3], s[:3], s, s[:4], s[:4], s[:4], s[:2]) },
		"AxpyRows rows":       func() { AxpyRows(s[:22], short, s[:3]) },
		"AxpyRows2 acc1":      func() { AxpyRows2(s[:4], s[:3], s, s[:3], s[:3]) },
		"AxpyRows2 second":    func() { AxpyRows2(s[:4], s[:4], s, s[:3], s[:2]) },
		"AxpyAt index":        func() { AxpyAt(s[:4], short, []int32{0, 1}, s[:3]) },
		"AxpyAt row":          func() { AxpyAt(s[:4], short, []int32{0, 16}, s[:2]) },
		"AxpyAt negative":     func() { AxpyAt(s[:4], short, []int32{0, -1}, s[:2]) },
		"ExpSum x":            func() { ExpSum(short, s[:63], 0) },
		"ExpMax x":            func() { ExpMax(short, s[:63], 0) },
		"ScaleClip x":         func() { ScaleClip(short, s[:63], 1, 0, 1) },
		"IndexAbove x":        func() { IndexAbove(index, s[:63], 0) },
		"GemmNT a":            func() { GemmNT(s, s[:11], s, 3, 4, 4) },
		"GemmNT size":         func() { GemmNT(s, s, s, 3, -1, 4) },
		"Gemm c":              func() { Gemm(s[:47], s, s, 3, 16, 2, 16, 2, 1, 16) },
		"Gemm a":              func() { Gemm(s, s[:5], s, 3, 16, 2, 16, 2, 1, 16) },
		"Gemm b":              func() { Gemm(s, s, s[:31], 3, 16, 2, 16, 2, 1, 16) },
		"Gemm columns":        func() { Gemm(s, s, s, 3, 15, 2, 16, 2, 1, 16) },
		"Gemm stride":         func() { Gemm(s, s, s, 3, 16, 2, -16, 2, 1, 16) },
		"AdagradN3 odd":       func() { AdagradN3(s[:3], s, s, 1, 1) },
		"AdagradN3 squares":   func() { AdagradN3(short, s[:63], s, 1, 1) },
		"ExpShifts sums":      func() { ExpShifts(short, s, s, s[:63]) },
		"DotRowsI8 rows":      func() { DotRowsI8(s[:5], rows, s, q[:128], 1, true) },
		"DotRowsI8 scales":    func() { DotRowsI8(s[:4], rows, s[:3], q[:128], 1, true) },
		"DotRowsI8 width":     func() { DotRowsI8(s[:1], rows, s, q[:64], 1, true) },
		"DotRows2I8 rows":     func() { DotRows2I8(s[:5], s, rows, s, q[:256], s, true) },
		"DotRows2I8 dst1":     func() { DotRows2I8(s[:4], s[:3], rows, s, q[:256], s, true) },
		"DotRows2I8 by":       func() { DotRows2I8(s[:4], s, rows, s, q[:256], s[:1], true) },
		"DotRows2I8 width":    func() { DotRows2I8(s[:1], s, rows, s, q[:128], s, true) },
		"DotRows4I8 rows":     func() { DotRows4I8(s[:5], s, s, s, rows, s, q, s, true) },
		"DotRows4I8 dst3":     func() { DotRows4I8(s[:4], s, s, s[:3], rows, s, q, s, true) },
		"DotRows4I8 by":       func() { DotRows4I8(s[:4], s, s, s, rows, s, q, s[:3], true) },
		"DotRows4I8 width":    func() { DotRows4I8(s[:1], s, s, s, rows, s, q[:256], s, true) },
		"AxpyAtI8 row":        func() { AxpyAtI8(s[:64], rows, s, []int32{4}, s[:1]) },
		"AxpyAtI8 scale":      func() { AxpyAtI8(s[:64], rows, s[:3], []int32{3}, s[:1]) },
		"AxpyAtI8 negative":   func() { AxpyAtI8(s[:64], rows, s, []int32{-1}, s[:1]) },
		"AxpyAtI8 index":      func() { AxpyAtI8(s[:64], rows, s, []int32{1}, s[:2]) },
		"SumRowsI8 rows":      func() { SumRowsI8(s[:64], rows, s, s[:5]) },
		"SumRowsI8 scales":    func() { SumRowsI8(s[:64], rows, s[:2], s[:3]) },
		"SumRowsI8 width":     func() { SumRowsI8(s[:65], rows, s, s[:1]) },
		"SumRows2I8 rows":     func() { SumRows2I8(s[:64], s, rows, s, s[:5], s) },
		"SumRows2I8 scales":   func() { SumRows2I8(s[:64], s, rows, s[:2], s[:3], s) },
		"SumRows2I8 acc1":     func() { SumRows2I8(s[:64], s[:63], rows, s, s[:3], s) },
		"SumRows2I8 weights1": func() { SumRows2I8(s[:64], s, rows, s, s[:3], s[:2]) },
		"SumRows2I8 width":    func() { SumRows2I8(s[:65], s, rows, s, s[:1], s) },
		"WidenI8 row":         func() { WidenI8(s, rows[:127], 1) },
		"WidenI16 low":        func() { WidenI16(s, rows, rows[:127], 1) },
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
