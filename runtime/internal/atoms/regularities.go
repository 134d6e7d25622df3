package atoms

import (
	"math"
	"slices"
	"sync"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
)

// tailFactors are the factors of the exponentials of the tails of a directed relation, since exp(s +
// w·ln(f + 0.1)) is proportional to exp(s)·(10f + 1)^w. Other entities have factor 1.
type tailFactors struct {
	tails   []int32 // of this part, ascending
	factors []float32
}

// factorsKey names the factors of a relation for some facts.
type factorsKey struct {
	r        graph.RelationID
	exponent float64
	stamp    uint64
}

// leastFactor vanishes in a sum, but has a logarithm.
const leastFactor = 1e-30

// mostFactors bounds the tails with cached factors over all relations: they take 8 MiB.
const mostFactors = 1 << 20

// factorCache caches factors for later rows.
type factorCache struct {
	mu    sync.Mutex
	kept  map[factorsKey]*tailFactors
	tails int // of all relations
}

// factorsOf returns the factors of a relation, on a part of a split model if part is set.
func (c *factorCache) factorsOf(g *graph.Graph, r graph.RelationID, exponent float64, part bool) *tailFactors {
	k := factorsKey{r, exponent, g.Stamp(r)}
	c.mu.Lock()
	x := c.kept[k]
	c.mu.Unlock()
	if x != nil {
		return x
	}

	x = factorsBy(logFrequencies(sortedTails(g, r, part)), exponent)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.tails+len(x.tails) > mostFactors {
		clear(c.kept)
		c.tails = 0
	}
	if len(x.tails) <= mostFactors && c.kept[k] == nil {
		c.kept[k] = x
		c.tails += len(x.tails)
	}
	return x
}

// tailLogs are ln(10f + 1) for the tails of a directed relation, in ascending order.
type tailLogs struct {
	tails []int32
	logs  []float64
}

// logFrequencies counts the heads of each tail in an ascending list of tails.
func logFrequencies(sorted []int32) (x tailLogs) {
	for from := 0; from < len(sorted); {
		to := from + 1
		for to < len(sorted) && sorted[to] == sorted[from] {
			to++
		}
		x.tails, x.logs = append(x.tails, sorted[from]), append(x.logs, math.Log1p(10*float64(to-from)))
		from = to
	}
	return x
}

// addTo adds the logarithms, times weight, to scores.
func (x *tailLogs) addTo(scores []float32, weight float64) {
	for i, t := range x.tails {
		scores[t] += float32(weight * x.logs[i])
	}
}

// factorsBy returns the factors for an exponent.
func factorsBy(x tailLogs, exponent float64) *tailFactors {
	f := &tailFactors{x.tails, make([]float32, len(x.tails))}
	for i, log := range x.logs {
		f.factors[i] = float32(math.Exp(exponent * log))
	}
	return f
}

// of returns the factor of an entity.
func (x *tailFactors) of(e int32) float32 {
	if i, ok := slices.BinarySearch(x.tails, e); ok {
		return x.factors[i]
	}
	return 1
}

// sortedTails returns the tail of each fact of a directed relation, ascending.
func sortedTails(g *graph.Graph, r graph.RelationID, part bool) []int32 {
	if part { // it has only the edges of its own tails
		_, tails := g.Edges(r)
		return slices.Sorted(slices.Values(tails))
	}
	tails, _ := g.Edges(r.Inverse())
	return tails
}

// weights is the effect of regularities on the rows of a directed relation.
type weights struct {
	*tailFactors         // nil if frequency has no weight
	loop         float32 // factor of the exponential of the head itself
	second       float64 // factor of the degrees of a head that has a tail
}

// weightsOf returns the effect of regularities on the rows of a relation.
func (c *factorCache) weightsOf(m *model.Model, s scale, r graph.RelationID, part bool) weights {
	x := weights{loop: 1, second: 1}
	if !s.terms.Any() {
		return x
	}
	about := &m.Manifest.Regularities[r/2]
	divisor := float64(s.divisor(m, r))
	if s.terms.Frequency > 0 {
		x.tailFactors = c.factorsOf(m.Graph, r, s.terms.Frequency/divisor, part)
	}
	x.loop = float32(max(leastFactor, math.Exp(s.terms.LoopScore(about)/divisor)))
	x.second = s.terms.SecondFactor(about, r)
	return x
}

// addScoreTerms adds the contributions of regularities to the scores of a row.
func addScoreTerms(m *model.Model, terms model.ScoreTerms, x Key, scores []float32) {
	if terms.Frequency > 0 {
		logs := logFrequencies(sortedTails(m.Graph, x.R, false))
		logs.addTo(scores, terms.Frequency)
	}
	scores[x.H] += float32(terms.LoopScore(&m.Manifest.Regularities[x.R/2]))
}
