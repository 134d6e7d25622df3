package calibrate

import (
	"slices"

	"github.com/efoc/efoc/runtime/model"
)

// A benchmark leaves out the answers to its queries that validation facts confirm, and asks which of the others test facts
// do. An answer that facts of both kinds confirm is left out, so that fewer true ones remain. Calibration has no test facts: it
// lets two halves of the validation facts stand for the two kinds.

// overlap counts the best answers to questions of held-out facts that validation facts confirm, and those of them that each
// half of the facts confirms by itself.
type overlap struct{ all, both float64 }

func (o *overlap) add(q *question, e int32) {
	o.all++
	for _, half := range q.halves {
		if !slices.Contains(half, e) {
			return
		}
	}
	o.both++
}

// lessen multiplies the odds of a curve by the share of the confirmed answers that as many other facts do not confirm too. If
// the number of facts that confirm an answer has a Poisson distribution with mean μ, this share is exp(−μ), and each half by
// itself confirms the share tanh(μ/4).
func (o *overlap) lessen(c model.Curve) model.Curve {
	both := o.both / (o.all + priorAnswers)
	root := (1 - both) / (1 + both)
	alone := root * root // exp(−4·artanh(both))
	lessened := model.Curve{X: c.X}
	for _, confirmed := range c.Y {
		lessened.Y = append(lessened.Y, digits(model.Shifted(confirmed, alone)))
	}
	return lessened
}
