package plan

import (
	"math"

	"github.com/efoc/efoc/kernels/quant"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/table"
)

// Tables that tests pass over: of each type alone, and with codes beside rows.
var sweepTables = []table.Type{"float32", "int8", "int8 float32"}

// scoreSlack returns by how much a sweep of codes may miss the score of each row with q:
// what package quant states. Rows of codes alone are what the codes stand for.
func scoreSlack(m *model.Model, q Embedding) func(e int) float64 {
	p := &m.Predictor
	codes, query := p.EntityTable.Codes(), &quant.Query{Packed: make([]int16, 2*quant.Columns(len(q)))}
	if codes == nil || !query.Set(q) {
		return func(int) float64 { return 0 }
	}
	a, b := query.Bound()
	return func(e int) float64 {
		bound := float64(b) * float64(p.EntityNorms[e])
		if p.EntityTable.Type().IsFloat() {
			bound += float64(a) * float64(codes.Residuals[e])
		}
		return bound
	}
}

// sumSlack returns by how much a sweep of codes may miss a number of Σ_e x[e]·E_e: by the
// residuals of the rows, and by the rounding of the weights of each 64 rows to multiples of
// 1/32512 of the largest, half of that for each row and 127 times for its largest number.
func sumSlack(m *model.Model, x Vector) (slack float64) {
	entities := &m.Predictor.EntityTable
	codes := entities.Codes()
	if codes == nil {
		return 0
	}
	for lo := 0; lo < len(x); lo += 4 { // for any size of a block
		largest := 0.0
		for e := lo; e < min(lo+4, len(x)); e++ {
			w := math.Abs(float64(x[e]))
			largest = max(largest, w*float64(codes.Scales[e]))
			if entities.Type().IsFloat() {
				slack += w * float64(codes.Residuals[e])
			}
		}
		slack += largest * 64 * 127 / 2 / 32512
	}
	return slack
}
