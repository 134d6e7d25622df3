package reference

import (
	"math"
)

// A plan may read codes in place of rows. The reference does not: RunRounded moves its
// scores, cosines and sums by as much as codes of the table may be off at most, so that its
// runs show what that may do to an answer. Rows that are read again from the exact table
// are not off at all: the runs show more than that.

// Units of the integers that queries and weights of sums are rounded to, as package quant and
// the kernels say: of the largest number of a query, and of the largest weight of a tile.
const (
	unit = 1. / 32512
	tile = 64
)

// codesMiss draws the error of the product of row e and a query of some length.
func (mc *machine) codesMiss(e int, length float64) float64 {
	codes := mc.model.Predictor.EntityTable.Codes()
	if mc.noise == nil || codes == nil {
		return 0
	}
	norm := float64(mc.model.Predictor.EntityNorms[e])
	query := unit / 2 * math.Sqrt(float64(codes.Width)) // ‖q − q̂‖/‖q‖ at most
	return mc.noise() * length * (mc.residual(e) + query*(norm+mc.residual(e)))
}

// integersMiss draws the error of the product of row e and a query where both are integers of 16
// bits, which rows of truth degrees may be made of: codes with low bytes, which are off by 1/256
// of the scale at most; half a unit of the query; and 64 of their product for each column, as low
// bytes are not multiplied with each other.
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

// codesMove moves a sum of rows with weights x by what codes may be off.
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
	off /= math.Sqrt(float64(len(sum))) // of a number, where it is spread over all
	for k := range sum {
		sum[k] += mc.noise() * (off + largest*tile*unit/2)
	}
}

// residual returns ‖x − x̂‖ of row e, 0 if there is nothing but codes.
func (mc *machine) residual(e int) float64 {
	t := &mc.model.Predictor.EntityTable
	if !t.Type().IsFloat() {
		return 0
	}
	return float64(t.Codes().Residuals[e])
}
