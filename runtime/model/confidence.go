package model

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/efoc/efoc/runtime/model/graph"
)

// LeastValidation is the number of validation facts below which only the temperatures of a model are calibrated.
const LeastValidation = 100

// Confidence holds a calibration for each semantics, by name: how often predicted answers were true on validation
// queries, by evidence.
type Confidence map[string]*Calibration

// Calibration maps the evidence for a predicted answer to its confidence. All numbers are fitted to validation facts
// of the model's own graph.
type Calibration struct {
	// Ordinary is for ordinary questions, HeldOut for questions about a held-out fact, as in benchmark queries. Lacking is
	// for links r(h, t) of either, given that r applies to h, if the graph has no fact r(h, y).
	Ordinary Claims `json:"ordinary"`
	HeldOut  Claims `json:"held_out"`
	Lacking  Claims `json:"lacking"`
}

// Claims map evidence to probabilities, for a kind of question:
//
//	z = Evidence·u + Margin·m + offset(r) + Σ Terms·x
//	confidence = Curve(z)
//
// u is the logarithm of the score before normalisation: see runtime.Basis. Unlike a score that is a share, u shows if
// no answer fits. m is u minus the u of the best predicted answer to the same question. The weakest predicted link
// r(h, t) of the answer's best witness determines the offset of its relation, and the terms x, the graph's evidence
// on such a link: see LinkTerms.
type Claims struct {
	// Evidence and Margin are weights, 0 or more.
	Evidence float64 `json:"evidence"`
	Margin   float64 `json:"margin"`
	// Terms are the weights of the terms.
	Terms LinkTerms `json:"terms"`
	// Offsets holds the offset of each directed relation. Unlinked is the offset of witnesses that predict no link,
	// and of answers without a witness, whose terms are 0.
	Offsets  []float64 `json:"offsets"`
	Unlinked float64   `json:"unlinked"`
	// Curve returns the share of the Judged best answers that validation facts confirmed: see Behind.
	Curve Curve `json:"curve"`
	// Applies multiplies the odds that the relation of a link applies to an end without facts of it, as Model.Applies has
	// them: to the head in Lacking, to the tail in Ordinary. With it, the expected number of such answers is that of
	// validation facts. It is 0 in HeldOut.
	Applies float64 `json:"applies"`
	// PerKnown, of Ordinary, is how many places later confidence begins to fall for each known answer: see Behind.
	PerKnown float64 `json:"per_known"`
	// Low and High bound the number of missing answers in nine of ten validation queries, and in nine of ten of each form
	// (see scq.Form), as the deviation from the expected number in standard deviations of a sum of independent answers.
	Low  [Forms]float64 `json:"low"`
	High [Forms]float64 `json:"high"`
	// Refuted returns the share of known answers to questions with a negated atom that validation facts refuted, by Doubt.
	// It has no points if no such question was asked. Other known answers are certain.
	Refuted Curve `json:"refuted"`
	// Coverage is for each form of questions: see scq.Form.
	Coverage [Forms]Coverage `json:"coverage"`
	// Queries and Answers count the queries and answers that the curve was fitted to.
	Queries int `json:"queries"`
	Answers int `json:"answers"`
}

// leastDoubt is below the steps between truth degrees near 1.
const leastDoubt = 1e-8

// Doubt returns the evidence against a known answer of a truth degree. The degree would be 1 but for the negated atoms:
// it says how likely the facts are that would refute the answer.
func Doubt(degree float64) float64 { return math.Log(max(leastDoubt, 1-degree)) }

// Offset returns the offset of a directed relation, or of no relation if r is negative.
func (c *Claims) Offset(r graph.RelationID) float64 {
	if r < 0 || int(r) >= len(c.Offsets) {
		return c.Unlinked
	}
	return c.Offsets[r]
}

// Sum returns the weighted evidence for a predicted answer: evidence, margin, and the contribution of its weakest
// predicted link, which is the offset and the weighted terms.
func (c *Claims) Sum(evidence, margin, link float64) float64 {
	return c.Evidence*evidence + c.Margin*margin + link
}

// Of returns the claims of ordinary questions, or of questions with a fact held out.
func (c *Calibration) Of(heldOut bool) *Claims {
	if heldOut {
		return &c.HeldOut
	}
	return &c.Ordinary
}

// Judged is the number of the best predicted answers to each validation query that curves are fitted to.
const Judged = 10

// Behind returns the factor of the confidence of a predicted answer in a place of the ranking, from 1 on, given the number
// of known answers. Curves say how often one of the best was true. Behind these there are ever more entities to choose from:
// the chance falls, but later where many known answers show that many are missing.
func Behind(place, known int, perKnown float64) float64 {
	return min(1, (Judged+perKnown*float64(known))/float64(max(1, place-known)))
}

// Missing is the share of all facts that the graph lacks.
type Missing struct {
	// HeldOut is the share held out to fit confidence.
	HeldOut float64 `json:"held_out"`
	// Assumed is the share that the confidence of ordinary questions assumes now.
	Assumed float64 `json:"assumed"`
	// Relations has the shares of single relations, by name, as the owner of the graph knows them: 0 if a relation is
	// complete.
	Relations map[string]float64 `json:"relations,omitempty"`
	// HeldBack has a bit for each fact that the bundle holds back, by relation, head and tail, from the least bit of
	// the first byte on: 1 if it calibrated the model, so that it cannot test confidence.
	HeldBack []byte `json:"held_back,omitempty"`
}

// Odds is the factor of the odds that a predicted answer is true if the graph lacks a share of the facts.
func (m Missing) Odds(share float64) float64 {
	if m.HeldOut == 0 {
		return 1
	}
	return share / (1 - share) * (1 - m.HeldOut) / m.HeldOut
}

// Shifted multiplies the odds of a probability by a factor and returns the new probability; a factor of 0 makes even what
// is certain impossible.
func Shifted(chance, odds float64) float64 {
	if odds == 0 {
		return 0
	}
	return chance * odds / (1 - chance + chance*odds)
}

// MostChance bounds the probability of an answer that rests on a predicted link.
const MostChance = 0.98

// AmongMissing returns the probability of an answer that validation facts confirm with probability c. To other facts that
// the graph lacks, calibration does not say yes: they are among the 1 − c that it takes for false, and there are as many of
// them as validation facts, times the odds. It is linear in the odds, up to a bound.
func AmongMissing(confirmed, odds float64) float64 {
	if odds == 0 {
		return 0
	}
	return min(MostChance, confirmed*odds/(1-confirmed))
}

// Curve is a non-decreasing function: linear between its points and constant beyond them.
type Curve struct {
	// X is ascending; Y is from 0 to 1 and non-decreasing.
	X []float64 `json:"x"`
	Y []float64 `json:"y"`
}

// maxPoints bounds the points of a curve in a bundle.
const maxPoints = 256

// At returns the value at x.
func (c *Curve) At(x float64) float64 {
	i, found := slices.BinarySearch(c.X, x)
	switch {
	case found:
		return c.Y[i]
	case i == 0:
		return c.Y[0]
	case i == len(c.X):
		return c.Y[i-1]
	}
	t := (x - c.X[i-1]) / (c.X[i] - c.X[i-1])
	from := c.Y[i-1]
	to := c.Y[i]
	return min(to, max(from, from+t*(to-from)))
}

// validate checks shares of facts.
func (m Missing) validate() error {
	if !(m.HeldOut >= 0 && m.HeldOut < 1 && m.Assumed >= 0 && m.Assumed < 1) {
		return fmt.Errorf("a share of %v held out and %v assumed to be missing, want shares below 1", m.HeldOut, m.Assumed)
	}
	for _, name := range slices.Sorted(maps.Keys(m.Relations)) {
		if share := m.Relations[name]; !(share >= 0 && share < 1) {
			return fmt.Errorf("a share of %v of %q assumed to be missing, want a share below 1", share, name)
		}
	}
	return nil
}

// Of returns the calibration of a semantics, nil if there is none.
func (c Confidence) Of(s Semantics) *Calibration { return c[s.String()] }

// validate reports the first invalid calibration for the given number of directed relations.
func (c Confidence) validate(relations int) error {
	for _, name := range slices.Sorted(maps.Keys(c)) {
		if _, err := ParseSemantics(name); err != nil || name == "" {
			return fmt.Errorf("%q is no semantics, want nsmp, fit or mixed", name)
		}
		if err := c[name].validate(relations); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func (c *Calibration) validate(relations int) error {
	if c == nil {
		return errors.New("it is null")
	}
	if err := c.Ordinary.validate(relations); err != nil {
		return fmt.Errorf("ordinary questions: %w", err)
	}
	if err := c.HeldOut.validate(relations); err != nil {
		return fmt.Errorf("questions of held-out facts: %w", err)
	}
	if err := c.Lacking.validate(relations); err != nil {
		return fmt.Errorf("heads without facts: %w", err)
	}
	return nil
}

func (c *Claims) validate(relations int) error {
	if err := c.validateWeights(relations); err != nil {
		return err
	}
	if c.Answers < 0 || c.Queries < 0 {
		return fmt.Errorf("they were fitted to %d answers to %d queries", c.Answers, c.Queries)
	}
	for i := range c.Coverage {
		if err := c.Coverage[i].validate(); err != nil {
			return fmt.Errorf("coverage: %w", err)
		}
	}
	if err := c.Curve.validate(); err != nil {
		return fmt.Errorf("curve: %w", err)
	}
	if len(c.Refuted.X) > 0 {
		if err := c.Refuted.validate(); err != nil {
			return fmt.Errorf("refuted: %w", err)
		}
	}
	for form, low := range c.Low {
		if high := c.High[form]; !(low <= high && finite(low) && finite(high)) {
			return fmt.Errorf("the number of missing answers is from %v to %v standard deviations off", low, high)
		}
	}
	return nil
}

func (c *Claims) validateWeights(relations int) error {
	for name, w := range map[string]float64{"evidence": c.Evidence, "margin": c.Margin, "applies": c.Applies, "per_known": c.PerKnown} {
		if !(w >= 0 && finite(w)) {
			return fmt.Errorf("%s is %v, want 0 or more", name, w)
		}
	}
	if len(c.Offsets) != relations {
		return fmt.Errorf("there are %d offsets, want one for each of %d directed relations", len(c.Offsets), relations)
	}
	for r, x := range c.Offsets {
		if !finite(x) {
			return fmt.Errorf("the offset of directed relation %d is %v", r, x)
		}
	}
	for i, x := range c.Terms {
		if !finite(x) {
			return fmt.Errorf("the weight of term %d is %v", i, x)
		}
	}
	if !finite(c.Unlinked) {
		return fmt.Errorf("the offset without a relation is %v", c.Unlinked)
	}
	return nil
}

// finite reports whether a number is far from overflow.
func finite(x float64) bool { return math.Abs(x) <= math.MaxFloat32 }

func (c *Curve) validate() error {
	switch {
	case len(c.X) == 0:
		return errors.New("it has no points")
	case len(c.X) != len(c.Y) || len(c.X) > maxPoints:
		return fmt.Errorf("it has %d x and %d y, want equally many, at most %d", len(c.X), len(c.Y), maxPoints)
	}
	x := math.Inf(-1)
	y := 0.0
	for i := range c.X {
		if !(c.X[i] > x) || math.IsInf(c.X[i], 0) {
			return fmt.Errorf("x %d is %v, want numbers that ascend", i, c.X[i])
		}
		if !(c.Y[i] >= y && c.Y[i] <= 1) {
			return fmt.Errorf("y %d is %v, want numbers from 0 to 1 that do not descend", i, c.Y[i])
		}
		x = c.X[i]
		y = c.Y[i]
	}
	return nil
}
