package atoms

import (
	"math"

	"github.com/efoc/efoc/runtime/internal/rows"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/table"
)

// scored computes exact degrees of a row. The best answers of a question depend on few degrees, which a run computes from
// rows of the table if the scores of the row come from codes alone. The exponentials that make up most of the row's sum
// are exact, so the row is normalised like others.
type scored struct {
	table     *table.Table
	query     []float32
	head      int32
	top, by   float64 // a degree is exp(score − top)·by
	threshold float64
	weights
	most float64 // see off
}

const (
	// mostOff bounds the error of the logarithm of a coarse row's degree.
	mostOff = 0.05
	// offDeviations bounds the error of a score in standard deviations. The table row with the largest code error
	// determines the standard deviation.
	offDeviations = 4
	// sumOff bounds the root mean square error of a coarse row's sum. It determines the share of the sum above which
	// exponentials are exact: n equal ones have 1/√n of the relative error of one.
	sumOff = 2e-4
	// LargeDegree is the degree above which degrees are exact in negated rows; mostNegation is the largest factor ν
	// for which that suffices.
	LargeDegree  = 0.1
	mostNegation = 2
)

// ReadsCodes reports whether the settings allow coarse rows, and codes are faster to read than their low bytes: not
// in a batch whose rows are products of integer matrices.
func ReadsCodes(m *model.Model, d *model.Degrees, batched bool) bool {
	codes := rows.Wide{Model: m}
	return !d.Mass && d.Negation <= mostNegation && rows.Codes(codes).Off() && !(batched && codes.Multiplies())
}

// coarseOff estimates the largest error of scores by codes.
func coarseOff(table *table.Table, query []float32) float64 {
	residual, _ := table.CodesOff()
	return offDeviations * float64(rows.Length(query)*residual) / math.Sqrt(float64(table.Width()))
}

// exponential returns the exact exponential of an entity, weighted.
func (c *scored) exponential(e int32) float64 {
	var score [1]float32
	c.table.DotRows(score[:], int(e), int(e)+1, c.query)
	return math.Exp(float64(score[0])-c.top) * c.weight(e, c.head)
}

// Degree returns the exact degree of an entity.
func (c *scored) Degree(e int32) float32 {
	d := c.exponential(e) * c.by
	if d < c.threshold {
		return 0
	}
	return float32(min(d, Limit))
}

// Off is about the largest error of a degree's logarithm.
func (c *scored) Off() float64 { return c.most }

// Bytes is the memory of a row besides its degrees.
func (c *scored) Bytes() int { return 4*cap(c.query) + 128 }
