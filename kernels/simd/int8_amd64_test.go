//go:build amd64 && !noasm

package simd

import (
	"golang.org/x/sys/cpu"

	"github.com/efoc/efoc/kernels/avx2"
	"github.com/efoc/efoc/kernels/avx512"
)

// assembledInt8 are the engines in assembly, whatever the environment switches off.
// AVX-512 comes with VNNI and without.
func assembledInt8() []int8Engine {
	list := []int8Engine{
		{"avx2", false, int8Kernels{
			DotRowsI8:  avx2.DotRowsI8,
			DotRows2I8: avx2.DotRows2I8,
			DotRows4I8: avx2.DotRows4I8,
			AxpyRowsI8: avx2.AxpyRowsI8,
			AxpyAtI8:   avx2.AxpyAtI8,
			SumRowsI8:  avx2.SumRowsI8,
			SumRows2I8: avx2.SumRows2I8,
			WidenI8:    avx2.WidenI8,
			UnpackI4:   avx2.UnpackI4,
		}},
		{"avx512", false, int8Kernels{
			DotRowsI8:  avx512.DotRowsI8,
			DotRows2I8: avx512.DotRows2I8,
			DotRows4I8: avx512.DotRows4I8,
			AxpyRowsI8: avx512.AxpyRowsI8,
			AxpyAtI8:   avx512.AxpyAtI8,
			SumRowsI8:  avx512.SumRowsI8,
			SumRows2I8: avx512.SumRows2I8,
			WidenI8:    avx512.WidenI8,
			UnpackI4:   avx512.UnpackI4,
		}},
	}
	for i := range list {
		for _, e := range engines {
			if e.name == list[i].name {
				list[i].present = e.present
			}
		}
	}
	vnni := list[1]
	vnni.name, vnni.present = "avx512-vnni", vnni.present && cpu.X86.HasAVX512VNNI
	list[1].kernels.DotRowsI8 = avx512.DotRowsI8Words
	list[1].kernels.DotRows2I8 = avx512.DotRows2I8Words
	list[1].kernels.DotRows4I8 = avx512.DotRows4I8Words
	vnni.kernels.DotRowsI8 = avx512.DotRowsI8VNNI
	list[1].kernels.SumRowsI8 = avx512.AxpyRowsI8
	list[1].kernels.SumRows2I8 = func(acc0, acc1 []float32, rows []int8, scales, weights0, weights1 []float32) {
		avx512.AxpyRowsI8(acc0, rows, scales, weights0)
		avx512.AxpyRowsI8(acc1, rows, scales, weights1)
	}
	vnni.kernels.SumRowsI8 = avx512.SumRowsI8VNNI
	vnni.kernels.SumRows2I8 = avx512.SumRows2I8VNNI
	vnni.kernels.DotRows2I8 = avx512.DotRows2I8VNNI
	vnni.kernels.DotRows4I8 = avx512.DotRows4I8VNNI
	return append(list, vnni)
}
