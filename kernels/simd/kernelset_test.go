package simd

import "github.com/efoc/efoc/kernels/ref"

// A kernelSet is one implementation. Kernels that are nil are not tested.
type kernelSet struct {
	DotRows   func(dst, rows, q []float32)
	DotRows2  func(dst0, dst1, rows, q0, q1 []float32)
	DotRows4  func(dst0, dst1, dst2, dst3, rows, q0, q1, q2, q3 []float32)
	AxpyRows  func(acc, rows, weights []float32)
	AxpyRows2 func(acc0, acc1, rows, weights0, weights1 []float32)
	AxpyAt    func(acc, rows []float32, index []int32, weights []float32)

	DotRowsBF16, DotRowsF16     func(dst []float32, rows []uint16, q []float32)
	DotRows2BF16, DotRows2F16   func(dst0, dst1 []float32, rows []uint16, q0, q1 []float32)
	DotRows4BF16, DotRows4F16   func(dst0, dst1, dst2, dst3 []float32, rows []uint16, q0, q1, q2, q3 []float32)
	AxpyRowsBF16, AxpyRowsF16   func(acc []float32, rows []uint16, weights []float32)
	AxpyRows2BF16, AxpyRows2F16 func(acc0, acc1 []float32, rows []uint16, weights0, weights1 []float32)
	AxpyAtBF16, AxpyAtF16       func(acc []float32, rows []uint16, index []int32, weights []float32)

	ExpSum func(dst, x []float32, shift float32) float32
	ExpMax func(dst, x []float32, top float32) float32

	Max             func(x []float32) float32
	SumAbove        func(x []float32, eps float32) float32
	IndexAbove      func(dst []int32, x []float32, eps float32) int
	ScaleAbove      func(dst, x []float32, eps, scale float32)
	ScaleClip       func(dst, x []float32, scale, least, most float32) int
	Add, Mul, MaxOf func(dst, x, y []float32)
	MulAdd          func(dst, x, y, z []float32)
	Lerp            func(dst, x, y []float32, w float32)
	Scale, AddConst func(dst, x []float32, s float32)
	ScaleAdd        func(dst, x []float32, a float32, y []float32)
	GemmNT          func(c, a, b []float32, m, n, k int)
}

// portable is package ref.
var portable = tested{"portable", true, kernelSet{
	DotRows:       ref.DotRows,
	DotRows2:      ref.DotRows2,
	DotRows4:      ref.DotRows4,
	AxpyRows:      ref.AxpyRows,
	AxpyRows2:     ref.AxpyRows2,
	AxpyAt:        ref.AxpyAt,
	DotRowsBF16:   ref.DotRowsBF16,
	DotRowsF16:    ref.DotRowsF16,
	DotRows2BF16:  ref.DotRows2BF16,
	DotRows2F16:   ref.DotRows2F16,
	DotRows4BF16:  ref.DotRows4BF16,
	DotRows4F16:   ref.DotRows4F16,
	AxpyRowsBF16:  ref.AxpyRowsBF16,
	AxpyRows2BF16: ref.AxpyRows2BF16,
	AxpyAtBF16:    ref.AxpyAtBF16,
	AxpyRowsF16:   ref.AxpyRowsF16,
	AxpyRows2F16:  ref.AxpyRows2F16,
	AxpyAtF16:     ref.AxpyAtF16,
	ExpSum:        ref.ExpSum,
	ExpMax:        ref.ExpMax,
	Max:           ref.Max,
	SumAbove:      ref.SumAbove,
	IndexAbove:    ref.IndexAbove,
	ScaleAbove:    ref.ScaleAbove,
	ScaleClip:     ref.ScaleClip,
	Add:           ref.Add,
	Mul:           ref.Mul,
	MaxOf:         ref.MaxOf,
	MulAdd:        ref.MulAdd,
	Lerp:          ref.Lerp,
	Scale:         ref.Scale,
	AddConst:      ref.AddConst,
	ScaleAdd:      ref.ScaleAdd,
	GemmNT:        ref.GemmNT,
}}
