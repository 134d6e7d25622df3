package calibrate

import (
	"math"

	"github.com/efoc/efoc/runtime/model"
)

// apply fits factors by which the expected numbers of true answers become the true ones: how much likelier than by
// model.Model.Applies relations apply to ends without facts, and, by questions of one positive atom, model.Claims.PerKnown.
func (o *observed) apply(c *model.Calibration) {
	heads := those(o.answers, func(a *observation) bool { return a.kind == lacking && a.ends[0] != linked })
	c.Lacking.Applies = factor(c, heads, ofHead)
	tails := those(o.answers, func(a *observation) bool { return a.kind == ordinary && a.ends[0] == linked && a.ends[1] != linked })
	c.Ordinary.Applies = factor(c, tails, ofTail)
	behind := those(o.behind, func(a *observation) bool { return a.kind == ordinary && a.terms[model.TermAtoms] == 0 })
	c.Ordinary.PerKnown = factor(c, behind, ofBehind)
}

// ofHead returns the chance that validation facts confirm an answer by a link whose head has no fact of its relation, given
// the factor of the odds that this applies to it.
func ofHead(c *model.Calibration, a *observation, by float64) float64 {
	return model.Shifted(a.applies, by) * confirmed(&c.Lacking, a)
}

// ofTail is ofHead for a link whose tail has no fact of its relation.
func ofTail(c *model.Calibration, a *observation, by float64) float64 {
	p := model.Shifted(confirmed(&c.Ordinary, a), a.applies*by)
	return p / (1 + p) // validation facts confirm half: see model.AmongMissing
}

// ofBehind is ofHead for the entities that an answer behind the best stands for, given model.Claims.PerKnown.
func ofBehind(c *model.Calibration, a *observation, by float64) float64 {
	return a.stands * likely(c, a) * model.Behind(a.place, a.known, by)
}

// confirmed returns the chance that claims give an answer.
func confirmed(c *model.Claims, a *observation) float64 {
	return c.Curve.At(c.Sum(a.evidence, a.margin, c.Offset(a.relation)+a.terms.Weighed(&c.Terms)))
}

const (
	// mostFactor bounds factors. priorAnswers is the number of true answers that a factor of 1 is taken to have shown
	// before anything is seen.
	mostFactor, priorAnswers = 100, 4
)

// factor returns the factor by which the chances of answers add up to the number of true ones.
func factor(c *model.Calibration, answers []*observation, chance func(c *model.Calibration, a *observation, by float64) float64) float64 {
	found := float64(priorAnswers)
	for _, a := range answers {
		if a.isTrue {
			found += a.stands
		}
	}
	least := -math.Log(mostFactor)
	most := math.Log(mostFactor)
	for range 40 {
		middle := (least + most) / 2
		by := math.Exp(middle)
		expected := priorAnswers * by
		for _, a := range answers {
			expected += chance(c, a, by)
		}
		if expected < found {
			least = middle
		} else {
			most = middle
		}
	}
	return digits(math.Exp(most))
}
