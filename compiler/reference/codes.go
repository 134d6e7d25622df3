package reference

import (
	"math"
)

// A plan may read codes instead of rows. The reference does not: RunRounded perturbs its scores, cosines and
// sums by at most the error bound of the table's codes, to show the possible effect on an answer. That
// overestimates it, because rows that are reread from the exact table have no error.

// Units of the integers to which queries and weights of sums are rounded, as in package quant and the kernels:
// relative to the largest number of a query, and to the largest weight of a tile.
const (
	unit = 1. / 32512
	tile = 64
)

// codesMiss draws the error of the product of row e and a query of the given length.
func (mc *machine) codesMiss(e int, length float64) float64 {
	codes := mc.model.Predictor.EntityTable.Codes()
	if mc.noise == nil || codes == nil {
		return 0
	}
	norm := float64(mc.model.Predictor.EntityNorms[e])
	query := unit / 2 * math.Sqrt(float64(codes.Width)) // ‖q − q̂‖/‖q‖ at most
	return mc.noise() * length * (mc.residual(e) + query*(norm+mc.residual(e)))
}

// integersMiss draws the error of the product of row e and a query if both are 16-bit integers, from which rows
// of truth degrees may be computed: codes with low bytes, whose error is at most 1/256 of the scale; half a
// unit of the query; and 64 of their product for each column, because low bytes are not multiplied with each
// other.
func (mc *machine) integersMiss(e int, query []float32) float64 {
	t := &mc.model.Predictor.EntityTable
	if mc.noise == nil || t.Codes() == nil || !t.Type().IsFloat() {
		return 0
	}
	square := 0.0
	largest := 0.0
	for _, v := range query {
		square += float64(v) * float64(v)
		largest = math.Max(largest, math.Abs(float64(v)))
	}
	columns := float64(len(query))
	scale := float64(t.Codes().Scales[e])
	root := math.Sqrt(columns)
	off := math.Sqrt(square)*root*scale/256 + largest*unit/2*root*float64(mc.model.Predictor.EntityNorms[e])
	return mc.noise() * (off + 64*columns*scale*largest*unit)
}

// codesMove perturbs a sum of rows with weights x by at most the error of the codes.
func (mc *machine) codesMove(sum []float64, x []float32) {
	if mc.noise == nil || mc.model.Predictor.EntityTable.Codes() == nil {
		return
	}
	off := 0.0
	largest := 0.0
	for e, w := range x {
		weight := math.Abs(float64(w))
		off += weight * mc.residual(e)
		largest = math.Max(largest, weight*float64(mc.model.Predictor.EntityNorms[e]))
	}
	off /= math.Sqrt(float64(len(sum))) // per number, if spread over all
	for k := range sum {
		sum[k] += mc.noise() * (off + largest*tile*unit/2)
	}
}

// residual returns ‖x − x̂‖ of row e, 0 if the table has only codes.
func (mc *machine) residual(e int) float64 {
	t := &mc.model.Predictor.EntityTable
	if !t.Type().IsFloat() {
		return 0
	}
	return float64(t.Codes().Residuals[e])
}
