package simd

import (
	"testing"

	"github.com/efoc/efoc/kernels/ref"
)

// An int8Engine is an implementation of the kernels over tables of 8 and 4 bits.
type int8Engine struct {
	name    string
	present bool
	kernels int8Kernels
}

// int8Engines adds the portable kernels and the dispatched ones to those in assembly.
func int8Engines() []int8Engine {
	return append(assembledInt8(),
		int8Engine{"portable", true, int8Kernels{
			DotRowsI8:  ref.DotRowsI8,
			DotRows2I8: ref.DotRows2I8,
			DotRows4I8: ref.DotRows4I8,
			AxpyRowsI8: ref.AxpyRowsI8,
			AxpyAtI8:   ref.AxpyAtI8,
			SumRowsI8:  ref.SumRowsI8,
			SumRows2I8: ref.SumRows2I8,
			WidenI8:    ref.WidenI8,
			UnpackI4:   ref.UnpackI4,
		}},
		int8Engine{"simd", true, int8Kernels{
			DotRowsI8:  DotRowsI8,
			DotRows2I8: DotRows2I8,
			DotRows4I8: DotRows4I8,
			AxpyRowsI8: AxpyRowsI8,
			AxpyAtI8:   AxpyAtI8,
			SumRowsI8:  SumRowsI8,
			SumRows2I8: SumRows2I8,
			WidenI8:    WidenI8,
			UnpackI4:   UnpackI4,
		}})
}

// TestInt8 compares the kernels of every engine with plain sums.
func TestInt8(t *testing.T) {
	for _, e := range int8Engines() {
		t.Run(e.name, func(t *testing.T) {
			if !e.present {
				t.Skip("this machine lacks " + e.name)
			}
			sweepInt8(t, e.kernels)
		})
	}
}

// TestInt8Allocs checks that no kernel allocates.
func TestInt8Allocs(t *testing.T) {
	const n, w = 8, 128
	rows, packed, multipliers := make([]int8, n*w), make([]uint8, n*w/2), make([]uint8, n*w/32)
	scales, dst, x, q := make([]float32, n), make([]float32, n), make([]float32, w), make([]int16, 8*w)
	index := make([]int32, n)
	for name, call := range map[string]func(){
		"DotRowsI8":  func() { DotRowsI8(dst, rows, scales, q[:2*w], 1, true) },
		"DotRows2I8": func() { DotRows2I8(dst, dst, rows, scales, q[:4*w], scales, true) },
		"DotRows4I8": func() { DotRows4I8(dst, dst, dst, dst, rows, scales, q, scales, true) },
		"AxpyRowsI8": func() { AxpyRowsI8(x, rows, scales, dst) },
		"AxpyAtI8":   func() { AxpyAtI8(x, rows, scales, index, dst) },
		"SumRowsI8":  func() { SumRowsI8(x, rows, scales, dst) },
		"SumRows2I8": func() { SumRows2I8(x, x, rows, scales, dst, dst) },
		"WidenI8":    func() { WidenI8(x, rows, 1) },
		"UnpackI4":   func() { UnpackI4(rows, packed, multipliers) },
	} {
		if allocs := testing.AllocsPerRun(10, call); allocs != 0 {
			t.Errorf("%s allocates %v times", name, allocs)
		}
	}
}

// TestInt8Checks checks that slices which are too short, and widths that are not
// multiples of 64, panic before the assembly sees them.
func TestInt8Checks(t *testing.T) {
	rows, bytes := make([]int8, 256), make([]uint8, 128)
	s, q := make([]float32, 128), make([]int16, 512)
	for name, call := range map[string]func(){
		"DotRowsI8 rows":       func() { DotRowsI8(s[:5], rows, s, q[:128], 1, true) },
		"DotRowsI8 scales":     func() { DotRowsI8(s[:4], rows, s[:3], q[:128], 1, true) },
		"DotRowsI8 width":      func() { DotRowsI8(s[:1], rows, s, q[:64], 1, true) },
		"DotRows2I8 rows":      func() { DotRows2I8(s[:5], s, rows, s, q[:256], s, true) },
		"DotRows2I8 dst1":      func() { DotRows2I8(s[:4], s[:3], rows, s, q[:256], s, true) },
		"DotRows2I8 by":        func() { DotRows2I8(s[:4], s, rows, s, q[:256], s[:1], true) },
		"DotRows2I8 width":     func() { DotRows2I8(s[:1], s, rows, s, q[:128], s, true) },
		"DotRows4I8 rows":      func() { DotRows4I8(s[:5], s, s, s, rows, s, q, s, true) },
		"DotRows4I8 dst3":      func() { DotRows4I8(s[:4], s, s, s[:3], rows, s, q, s, true) },
		"DotRows4I8 by":        func() { DotRows4I8(s[:4], s, s, s, rows, s, q, s[:3], true) },
		"DotRows4I8 width":     func() { DotRows4I8(s[:1], s, s, s, rows, s, q[:256], s, true) },
		"AxpyRowsI8 rows":      func() { AxpyRowsI8(s[:64], rows, s, s[:5]) },
		"AxpyRowsI8 scales":    func() { AxpyRowsI8(s[:64], rows, s[:2], s[:3]) },
		"AxpyRowsI8 width":     func() { AxpyRowsI8(s[:65], rows, s, s[:1]) },
		"AxpyAtI8 row":         func() { AxpyAtI8(s[:64], rows, s, []int32{4}, s[:1]) },
		"AxpyAtI8 scale":       func() { AxpyAtI8(s[:64], rows, s[:3], []int32{3}, s[:1]) },
		"AxpyAtI8 negative":    func() { AxpyAtI8(s[:64], rows, s, []int32{-1}, s[:1]) },
		"AxpyAtI8 index":       func() { AxpyAtI8(s[:64], rows, s, []int32{1}, s[:2]) },
		"SumRowsI8 rows":       func() { SumRowsI8(s[:64], rows, s, s[:5]) },
		"SumRowsI8 scales":     func() { SumRowsI8(s[:64], rows, s[:2], s[:3]) },
		"SumRows2I8 rows":      func() { SumRows2I8(s[:64], s, rows, s, s[:5], s) },
		"SumRows2I8 scales":    func() { SumRows2I8(s[:64], s, rows, s[:2], s[:3], s) },
		"SumRows2I8 acc1":      func() { SumRows2I8(s[:64], s[:63], rows, s, s[:3], s) },
		"SumRows2I8 weights1":  func() { SumRows2I8(s[:64], s, rows, s, s[:3], s[:2]) },
		"SumRows2I8 width":     func() { SumRows2I8(s[:65], s, rows, s, s[:1], s) },
		"SumRowsI8 width":      func() { SumRowsI8(s[:65], rows, s, s[:1]) },
		"WidenI8 row":          func() { WidenI8(s, rows[:127], 1) },
		"UnpackI4 rows":        func() { UnpackI4(rows, bytes[:127], bytes) },
		"UnpackI4 multipliers": func() { UnpackI4(rows, bytes, bytes[:7]) },
		"UnpackI4 width":       func() { UnpackI4(rows[:32], bytes, bytes) },
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
