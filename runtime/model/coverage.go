package model

import (
	"fmt"
	"math"
	"slices"
)

// Forms is the number of forms of questions: see scq.Form.
const Forms = 3

// Coverage serves to find sets that hold all answers to a question, by split conformal prediction. It is fitted to
// validation questions of one form to which the graph lacks an answer: to the smallest Ratio of a true answer to each.
type Coverage struct {
	// Questions is the number of questions, and Ratios are quantiles of their ratios at even distances, ascending; the
	// last is the greatest ratio.
	Questions int       `json:"questions"`
	Ratios    []float64 `json:"ratios"`
}

// Ratio returns the score of an answer divided by the score of the best answer that is not known. Scores by NSMP, which are
// shares of all entities, stay as they are.
func Ratio(by Semantics, score, best float32) float64 {
	if by == NSMP {
		return float64(score)
	}
	return float64(score) / float64(max(best, math.SmallestNonzeroFloat32))
}

// NewCoverage returns the quantiles of the ratios, which it sorts.
func NewCoverage(ratios []float64) Coverage {
	slices.Sort(ratios)
	c := Coverage{Questions: len(ratios)}
	count := min(len(ratios), maxPoints)
	for i := range count {
		c.Ratios = append(c.Ratios, ratios[(i+1)*len(ratios)/count-1])
	}
	return c
}

// At returns the ratio that holds for at least a level of all questions, from 0.5 to 0.99, false if the questions are
// too few for it. Another question like these has one of n+1 equally likely ranks among them.
func (c *Coverage) At(level float64) (ratio float64, enough bool) {
	below := int(float64(c.Questions+1)*(1-level) + 1e-9)
	i := below * len(c.Ratios) / max(1, c.Questions)
	if i == 0 {
		return 0, false
	}
	return c.Ratios[i-1], true
}

// validate reports ratios that are out of range or out of order.
func (c *Coverage) validate() error {
	if len(c.Ratios) != min(c.Questions, maxPoints) || c.Questions > math.MaxInt32 || !slices.IsSorted(c.Ratios) {
		return fmt.Errorf("%d questions have %d ratios, want quantiles in ascending order", c.Questions, len(c.Ratios))
	}
	for _, x := range c.Ratios {
		if !(x >= 0 && finite(x)) {
			return fmt.Errorf("a ratio is %v, want 0 or more", x)
		}
	}
	return nil
}
