package fit

import (
	"math"
	"slices"

	"github.com/efoc/efoc/runtime/model"
)

// tailFactors are the factors of the exponentials of the tails of a directed relation, since exp(s +
// w·ln(f + 0.1)) is proportional to exp(s)·(10f + 1)^w. Other entities have factor 1.
type tailFactors struct {
	tails   []int32 // of this part, ascending
	factors []float32
}

// factorsKey names the factors of a relation for some facts.
type factorsKey struct {
	r        model.RelationID
	exponent float64
	stamp    uint64
}

// leastFactor rounds to nothing in a sum, and has a logarithm.
const leastFactor = 1e-30

// mostFactors bounds the tails of all relations whose factors are kept: they take 8 MiB.
const mostFactors = 1 << 20

// factorsOf returns the factors of a relation, on a part of a split model if that is set.
func (c *Rows) factorsOf(g *model.Graph, r model.RelationID, exponent float64, part bool) *tailFactors {
	k := factorsKey{r, exponent, g.Stamp(r)}
	c.mu.Lock()
	x := c.factors[k]
	c.mu.Unlock()
	if x != nil {
		return x
	}

	x = factorsBy(logFrequencies(sortedTails(g, r, part)), exponent)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.factorTails+len(x.tails) > mostFactors {
		clear(c.factors)
		c.factorTails = 0
	}
	if len(x.tails) <= mostFactors && c.factors[k] == nil {
		c.factors[k] = x
		c.factorTails += len(x.tails)
	}
	return x
}

// tailLogs are ln(10f + 1) of the tails of a directed relation, which ascend.
type tailLogs struct {
	tails []int32
	logs  []float64
}

// logFrequencies counts the heads of each tail in a list of tails that ascend.
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

// addTo adds them to scores, weighed.
func (x *tailLogs) addTo(scores []float32, weight float64) {
	for i, t := range x.tails {
		scores[t] += float32(weight * x.logs[i])
	}
}

// factorsBy returns factors of an exponent.
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
func sortedTails(g *model.Graph, r model.RelationID, part bool) []int32 {
	if part { // it has the edges of its own tails alone
		_, tails := g.Edges(r)
		return slices.Sorted(slices.Values(tails))
	}
	tails, _ := g.Edges(r.Inverse())
	return tails
}

// weights is how regularities change the rows of a directed relation.
type weights struct {
	*tailFactors         // nil if frequency has no weight
	loop         float32 // factor of the exponential of the head itself
	second       float64 // factor of the degrees of a head that has a tail
}

// weightsOf returns how regularities change the rows of a relation.
func (c *Rows) weightsOf(m *model.Model, s scale, r model.RelationID, part bool) weights {
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

// weigh applies the weights of a row to its exponentials and their sum.
func (k *maker) weigh(x key, i int) {
	w := &k.weights[i]
	e := &k.reading.Exponentials[i]
	exps := k.score(i)
	before := e.Sum
	change := func(at int32, by float32) {
		old := exps[at]
		exps[at] *= by
		e.Sum += float64(exps[at]) - float64(old)
	}
	if w.tailFactors != nil {
		for j, t := range w.tails {
			change(t, w.factors[j])
		}
	}
	if at, mine := k.part.Local(x.h); mine && w.loop != 1 {
		change(at, w.loop)
	}
	if e.Sum < before/2 { // the difference has lost digits
		e.Sum = 0
		for _, y := range exps {
			e.Sum += float64(y)
		}
	}
}

// addScoreTerms adds to the scores of a row what regularities do.
func addScoreTerms(m *model.Model, terms model.ScoreTerms, x key, scores []float32) {
	if terms.Frequency > 0 {
		logs := logFrequencies(sortedTails(m.Graph, x.r, false))
		logs.addTo(scores, terms.Frequency)
	}
	scores[x.h] += float32(terms.LoopScore(&m.Manifest.Regularities[x.r/2]))
}
