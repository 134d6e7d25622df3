package model

import (
	"math"

	"github.com/efoc/efoc/runtime/model/graph"
)

// LinkTerms are the graph's evidence on a predicted link r(h, t), and one property of the question. Claims.Terms
// weighs them.
type LinkTerms [NumLinkTerms]float64

// The terms, in their order in a bundle. The share of a relation's heads with several tails counts an additional half
// head of each kind, so that it is neither 0 nor 1.
const (
	// TermValues is the log odds of that share for r.
	TermValues = iota
	// TermKnown is ln(1 + the number of tails of h).
	TermKnown
	// TermSecond is TermValues if h has a tail, else 0: with one-valued relations it is far below 0.
	TermSecond
	// TermHeads is TermSecond for the inverse: whether t has a head.
	TermHeads
	// TermLoop is the logarithm of the share of loops if h is t, else 0. It counts only for links that the answer
	// needs.
	TermLoop
	// TermImplied is the largest share c of s's facts that are also facts of r, over the relations s with s(h, t):
	// inverses, and relations that imply r. TermCertain is −ln(1−c).
	TermImplied
	TermCertain
	// TermShare is the logarithm of the share of r's facts with the tail t.
	TermShare
	// TermAtoms is the logarithm of the number of positive atoms of the query.
	TermAtoms
	// NumLinkTerms is the number of terms.
	NumLinkTerms
)

const (
	// mostCertain bounds c in −ln(1−c).
	mostCertain = 0.99
	// leastShare is added to the share of a tail.
	leastShare = 1e-5
)

// Weighed returns the weighted sum of the terms.
func (x *LinkTerms) Weighed(weights *LinkTerms) (sum float64) {
	for i, w := range weights {
		sum += w * x[i]
	}
	return sum
}

// certainty returns −ln(1−c), bounded.
func certainty(c float64) float64 { return -math.Log1p(-min(c, mostCertain)) }

// severalOdds returns the log odds that a head of a directed relation has several tails.
func severalOdds(a *graph.Regularity, r graph.RelationID) float64 {
	e := a.Ends[r&1]
	return math.Log(float64(e.Several)+0.5) - math.Log(float64(e.Heads-e.Several)+0.5)
}

// loopTerm returns the logarithm of the share of loops.
func loopTerm(a *graph.Regularity) float64 {
	return math.Log((float64(a.Loops) + 0.01) / (float64(a.Facts) + 1))
}

// shareTerm returns the logarithm of the share of a relation's facts with a tail that has n heads.
func shareTerm(a *graph.Regularity, n float64) float64 {
	return math.Log(n/max(1, float64(a.Facts)) + leastShare)
}
