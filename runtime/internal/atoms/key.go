package atoms

import (
	"github.com/efoc/efoc/kernels"
	"github.com/efoc/efoc/kernels/simd"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
)

// Limit is the largest degree of a link that is not observed.
const Limit = 0.9999

// Key names a row: entity h under relation r.
type Key struct {
	H      int32
	R      graph.RelationID
	Detail Detail
}

// Detail is the precision of a row. In a coarse row, entries are off by some hundredths.
type Detail uint8

const (
	ExactRow      Detail = iota
	CoarseRow            // made of codes alone
	CoarseNegated        // the same, with exact large degrees
)

// scale holds everything that rows depend on besides the model.
type scale struct {
	threshold, temperature float32
	mass                   bool
	leaf                   float32 // φ, for heads alone
	terms                  model.ScoreTerms
}

// divisor returns the divisor of the scores of a relation, 1 without a temperature.
func (s scale) divisor(m *model.Model, r graph.RelationID) float32 {
	switch factors := m.Manifest.Temperatures; {
	case s.temperature == 0:
		return 1
	case factors != nil:
		return s.temperature * float32(factors[r])
	}
	return s.temperature
}

// query sets dst to the vector whose inner products with the table are the scores of the row of head under r.
func (s scale) query(dst []float32, m *model.Model, head []float32, r graph.RelationID) {
	kernels.Project(dst, head, m.Predictor.Relation(r), false, false)
	if t := s.divisor(m, r); t != 1 {
		simd.Scale(dst, dst, 1/t)
	}
}

// scaleOf returns everything that rows depend on besides the model.
func scaleOf(m *model.Model, d *model.Degrees) scale {
	s := scale{threshold: float32(d.Threshold), temperature: float32(d.Temperature), mass: d.Mass}
	if d.Regularities {
		s.terms = m.Manifest.ScoreTerms
	}
	return s
}

// Given holds the scores of a row from message passing: negated if its atom is.
type Given struct {
	Scores []float32
	Sign   float32
}
