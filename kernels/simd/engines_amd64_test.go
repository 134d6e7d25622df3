//go:build amd64 && !noasm

package simd

import (
	"golang.org/x/sys/cpu"

	"github.com/efoc/efoc/kernels/avx2"
	"github.com/efoc/efoc/kernels/avx512"
)

// engines are the implementations, whatever the environment switches off.
var engines = []tested{
	portable,
	{"avx2", cpu.X86.HasAVX2 && cpu.X86.HasFMA && cpu.X86.HasF16C, kernelSet{
		DotRows:       avx2.DotRows,
		DotRows2:      avx2.DotRows2,
		DotRows4:      avx2.DotRows4,
		AxpyRows:      avx2.AxpyRows,
		AxpyRows2:     avx2.AxpyRows2,
		AxpyAt:        avx2.AxpyAt,
		DotRowsBF16:   avx2.DotRowsBF16,
		DotRowsF16:    avx2.DotRowsF16,
		DotRows2BF16:  avx2.DotRows2BF16,
		DotRows2F16:   avx2.DotRows2F16,
		DotRows4BF16:  avx2.DotRows4BF16,
		DotRows4F16:   avx2.DotRows4F16,
		AxpyRowsBF16:  avx2.AxpyRowsBF16,
		AxpyRows2BF16: avx2.AxpyRows2BF16,
		AxpyAtBF16:    avx2.AxpyAtBF16,
		AxpyRowsF16:   avx2.AxpyRowsF16,
		AxpyRows2F16:  avx2.AxpyRows2F16,
		AxpyAtF16:     avx2.AxpyAtF16,
		ExpSum:        avx2.ExpSum,
		ExpMax:        avx2.ExpMax,
		Max:           avx2.Max,
		SumAbove:      avx2.SumAbove,
		IndexAbove:    avx2.IndexAbove,
		ScaleAbove:    avx2.ScaleAbove,
		ScaleClip:     avx2.ScaleClip,
		Add:           avx2.Add,
		Mul:           avx2.Mul,
		MaxOf:         avx2.MaxOf,
		MulAdd:        avx2.MulAdd,
		Lerp:          avx2.Lerp,
		Scale:         avx2.Scale,
		AddConst:      avx2.AddConst,
		ScaleAdd:      avx2.ScaleAdd,
		GemmNT:        avx2.GemmNT,
	}},
	{"avx512", cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512VL && cpu.X86.HasBMI2, kernelSet{
		DotRows:       avx512.DotRows,
		DotRows2:      avx512.DotRows2,
		DotRows4:      avx512.DotRows4,
		AxpyRows:      avx512.AxpyRows,
		AxpyRows2:     avx512.AxpyRows2,
		AxpyAt:        avx512.AxpyAt,
		DotRowsBF16:   avx512.DotRowsBF16,
		DotRowsF16:    avx512.DotRowsF16,
		DotRows2BF16:  avx512.DotRows2BF16,
		DotRows2F16:   avx512.DotRows2F16,
		DotRows4BF16:  avx512.DotRows4BF16,
		DotRows4F16:   avx512.DotRows4F16,
		AxpyRowsBF16:  avx512.AxpyRowsBF16,
		AxpyRows2BF16: avx512.AxpyRows2BF16,
		AxpyAtBF16:    avx512.AxpyAtBF16,
		AxpyRowsF16:   avx512.AxpyRowsF16,
		AxpyRows2F16:  avx512.AxpyRows2F16,
		AxpyAtF16:     avx512.AxpyAtF16,
		ExpSum:        avx512.ExpSum,
		ExpMax:        avx512.ExpMax,
		Max:           avx512.Max,
		SumAbove:      avx512.SumAbove,
		IndexAbove:    avx512.IndexAbove,
		ScaleAbove:    avx512.ScaleAbove,
		ScaleClip:     avx512.ScaleClip,
		Add:           avx512.Add,
		Mul:           avx512.Mul,
		MaxOf:         avx512.MaxOf,
		MulAdd:        avx512.MulAdd,
		Lerp:          avx512.Lerp,
		Scale:         avx512.Scale,
		AddConst:      avx512.AddConst,
		ScaleAdd:      avx512.ScaleAdd,
		GemmNT:        avx512.GemmNT,
	}},
}

// prefetching are the forms of the kernels over rows that prefetch all.
var prefetching = []tested{
	{"avx2 prefetching", engines[1].present, kernelSet{
		DotRows:   avx2.DotRowsAhead,
		DotRows2:  avx2.DotRows2Ahead,
		DotRows4:  avx2.DotRows4Ahead,
		AxpyRows:  avx2.AxpyRowsAhead,
		AxpyRows2: avx2.AxpyRows2Ahead,
		AxpyAt:    avx2.AxpyAt,
	}},
	{"avx512 prefetching", engines[2].present, kernelSet{
		DotRows:   avx512.DotRowsAhead,
		DotRows2:  avx512.DotRows2Ahead,
		DotRows4:  avx512.DotRows4Ahead,
		AxpyRows:  avx512.AxpyRowsAhead,
		AxpyRows2: avx512.AxpyRows2Ahead,
		AxpyAt:    avx512.AxpyAt,
	}},
}
