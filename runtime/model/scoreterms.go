package model

import (
	"fmt"
	"github.com/efoc/efoc/runtime/model/graph"
	"math"
)

// ScoreTerms weigh the graph's regularities in the truth degrees of predicted links, as package fit defines. They are
// fitted to validation facts; a weight of 0 disables a term.
type ScoreTerms struct {
	// Frequency (w) weighs ln(f + 0.1), where f is the number of heads of the tail under the relation.
	Frequency float64 `json:"frequency"`
	// Loop (u) weighs the logarithm of the relation's share of loops, for the head itself as a tail.
	Loop float64 `json:"loop"`
	// Second (v) is the exponent of the odds, at most 1, that a head of the relation has several tails: a factor of
	// the links of heads that already have one.
	Second float64 `json:"second"`
}

// mostScoreTerm bounds the weights.
const mostScoreTerm = 1

// Any reports whether any weight is nonzero.
func (s ScoreTerms) Any() bool { return s != ScoreTerms{} }

// LoopScore returns the term added to the score of a loop.
func (s ScoreTerms) LoopScore(a *graph.Regularity) float64 { return s.Loop * loopTerm(a) }

// SecondFactor returns the factor of the predicted links of heads of r that have a tail.
func (s ScoreTerms) SecondFactor(a *graph.Regularity, r graph.RelationID) float64 {
	return math.Exp(s.Second * min(0, severalOdds(a, r)))
}

func (s ScoreTerms) validate() error {
	for name, x := range map[string]float64{"frequency": s.Frequency, "loop": s.Loop, "second": s.Second} {
		if !(x >= 0 && x <= mostScoreTerm) {
			return fmt.Errorf("the weight of %s is %v, want a number from 0 to %v", name, x, mostScoreTerm)
		}
	}
	return nil
}
