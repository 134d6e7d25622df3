package kernels

import (
	"github.com/efoc/efoc/kernels/ref"
	"github.com/efoc/efoc/kernels/simd"
)

// WeightedSumBF16 computes dst = Σ_e w[e]·E_e as WeightedSum does, over a table
// of bfloat16 numbers.
func WeightedSumBF16(dst []float32, table []uint16, w, scratch []float32) {
	width := len(dst)
	weightedSum(dst, w, scratch, func(acc []float32, lo, hi int) {
		simd.AxpyRowsBF16(acc, table[lo*width:hi*width], w[lo:hi])
	})
}

// WeightedSumF16 computes dst = Σ_e w[e]·E_e as WeightedSum does, over a table
// of float16 numbers.
func WeightedSumF16(dst []float32, table []uint16, w, scratch []float32) {
	width := len(dst)
	weightedSum(dst, w, scratch, func(acc []float32, lo, hi int) {
		simd.AxpyRowsF16(acc, table[lo*width:hi*width], w[lo:hi])
	})
}

// LoopScoresBF16 computes dst[e] = ⟨r⊗E_e, E_e⟩ as LoopScores does, over a table
// of bfloat16 numbers.
func LoopScoresBF16(dst []float32, table []uint16, r []float32, negated bool) {
	loopScoresHalf(dst, table, r, negated, true)
}

// LoopScoresF16 computes dst[e] = ⟨r⊗E_e, E_e⟩ as LoopScores does, over a table
// of float16 numbers.
func LoopScoresF16(dst []float32, table []uint16, r []float32, negated bool) {
	loopScoresHalf(dst, table, r, negated, false)
}

// loopScoresHalf converts rows piece by piece and adds in the order of
// LoopScores.
func loopScoresHalf(dst []float32, table []uint16, r []float32, negated, bfloat bool) {
	const piece = 128
	d := len(r) / 2
	var re, im [piece]float32
	for e := range dst {
		row := table[e*2*d : (e+1)*2*d]
		sum := 0.0
		for k := 0; k < d; k += piece {
			m := min(piece, d-k)
			widen(re[:m], row[k:k+m], bfloat)
			widen(im[:m], row[d+k:d+k+m], bfloat)
			sum = addLoop(sum, re[:m], im[:m], r[k:k+m])
		}
		dst[e] = signed(sum, negated)
	}
}

// widen is WidenBF16 or WidenF16.
func widen(dst []float32, x []uint16, bfloat bool) {
	if bfloat {
		WidenBF16(dst, x)
	} else {
		WidenF16(dst, x)
	}
}

// WidenBF16 computes dst[i] = bfloat16(x[i]), with 0 for −0.
func WidenBF16(dst []float32, x []uint16) {
	even := beginWiden(dst, x)
	simd.AxpyRowsBF16(dst[:even], x[:even], one)
	for i := even; i < len(x); i++ {
		dst[i] += ref.BF16(x[i])
	}
}

// WidenF16 computes dst[i] = float16(x[i]), with 0 for −0.
func WidenF16(dst []float32, x []uint16) {
	even := beginWiden(dst, x)
	simd.AxpyRowsF16(dst[:even], x[:even], one)
	for i := even; i < len(x); i++ {
		dst[i] += ref.F16(x[i])
	}
}

// one is the weight with which numbers are added to 0: adding many at once is
// faster than converting them one by one.
var one = []float32{1}

// beginWiden sets dst to 0 and returns how many numbers can be added, which is
// even.
func beginWiden(dst []float32, x []uint16) int {
	clear(dst[:len(x)])
	return len(x) &^ 1
}
