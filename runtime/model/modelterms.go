package model

import (
	"math"

	"github.com/efoc/efoc/runtime/model/graph"
)

// LinkTerms returns the terms of a predicted link except TermAtoms. Negative entities are unknown: terms that need
// them are 0.
func (m *Model) LinkTerms(h graph.EntityID, r graph.RelationID, t graph.EntityID) LinkTerms {
	var x LinkTerms
	if int(r/2) >= len(m.Manifest.Regularities) {
		return x
	}
	a := &m.Manifest.Regularities[r/2]
	x[TermValues] = severalOdds(a, r)
	if h >= 0 {
		if n := float64(len(m.Graph.Tails(h, r))); n > 0 {
			x[TermKnown] = math.Log1p(n)
			x[TermSecond] = x[TermValues]
		}
	}
	if t >= 0 {
		n := float64(len(m.Graph.Tails(t, r.Inverse())))
		if n > 0 {
			x[TermHeads] = severalOdds(a, r.Inverse())
		}
		x[TermShare] = shareTerm(a, n)
	}
	switch {
	case h < 0 || t < 0:
	case h == t:
		x[TermLoop] = loopTerm(a)
	default:
		x.overlaps(m, h, r, t)
	}
	return x
}

// overlaps sets the terms for inverses and for relations that imply one another.
func (x *LinkTerms) overlaps(m *Model, h graph.EntityID, r graph.RelationID, t graph.EntityID) {
	m.eachOverlap(r, func(with graph.RelationID, implied float64) {
		if m.Graph.Has(h, with, t) {
			x[TermImplied] = max(x[TermImplied], implied)
		}
	})
	x[TermCertain] = certainty(x[TermImplied])
}

// eachOverlap yields the relations s that share facts with r, and the share of the facts of s that are facts of r.
func (m *Model) eachOverlap(r graph.RelationID, use func(with graph.RelationID, implied float64)) {
	a := &m.Manifest.Regularities[r/2]
	consider := func(with graph.RelationID, facts int) {
		share := float64(facts) / float64(m.Manifest.Regularities[with/2].Facts+1)
		use(with, min(1, share)) // facts may have been removed since the count
	}
	if a.Symmetric > 0 {
		consider(r.Inverse(), a.Symmetric)
	}
	for _, o := range a.Overlaps {
		consider(o.With^r&1, o.Facts) // of the inverse if r is one
	}
}

// MostTerms bounds the weighted terms of a link of r, from h unless that is negative, for queries with the given
// number of atoms.
func (m *Model) MostTerms(weights *LinkTerms, r graph.RelationID, h graph.EntityID, atoms float64) (sum float64) {
	sum = weights[TermAtoms] * atoms
	if int(r/2) >= len(m.Manifest.Regularities) {
		return sum
	}
	a := &m.Manifest.Regularities[r/2]
	values := severalOdds(a, r)
	tails := float64(a.Ends[r&1].Most)
	heads := float64(a.Ends[r&1^1].Most)
	between := func(term int, low, high float64) { sum += max(weights[term]*low, weights[term]*high) }
	between(TermValues, values, values)
	if h >= 0 {
		x := m.LinkTerms(h, r, -1)
		for _, term := range []int{TermKnown, TermSecond} {
			between(term, x[term], x[term])
		}
	} else {
		between(TermKnown, 0, math.Log1p(tails))
		between(TermSecond, min(0, values), max(0, values))
	}
	others := severalOdds(a, r.Inverse())
	between(TermHeads, min(0, others), max(0, others))
	between(TermLoop, loopTerm(a), 0)
	mostImplied := 0.0
	m.eachOverlap(r, func(with graph.RelationID, implied float64) {
		if h < 0 || len(m.Graph.Tails(h, with)) > 0 {
			mostImplied = max(mostImplied, implied)
		}
	})
	between(TermImplied, 0, mostImplied)
	between(TermCertain, 0, certainty(mostImplied))
	between(TermShare, math.Log(leastShare), max(0, shareTerm(a, heads)))
	return sum
}
