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

	x = factorsBy(countTails(sortedTails(g, r, part)), exponent)
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

// tailCounts counts the heads of the tails of a directed relation, in ascending order.
type tailCounts struct{ tails, counts []int32 }

// countTails counts the heads of each tail in an ascending list of tails.
func countTails(sorted []int32) tailCounts {
	distinct := 0
	for i, t := range sorted {
		if i == 0 || t != sorted[i-1] {
			distinct++
		}
	}
	x := tailCounts{make([]int32, 0, distinct), make([]int32, 0, distinct)}
	for from := 0; from < len(sorted); {
		to := from + 1
		for to < len(sorted) && sorted[to] == sorted[from] {
			to++
		}
		x.tails = append(x.tails, sorted[from])
		x.counts = append(x.counts, int32(to-from))
		from = to
	}
	return x
}

// addTo adds ln(10f + 1), times weight, to the scores of the tails.
func (x *tailCounts) addTo(scores []float32, weight float64) {
	for i, t := range x.tails {
		scores[t] += float32(weight * math.Log1p(10*float64(x.counts[i])))
	}
}

// fewHeads bounds the numbers of heads whose factor is computed once.
const fewHeads = 256

// factorsBy returns the factors for an exponent.
func factorsBy(x tailCounts, exponent float64) *tailFactors {
	var known [fewHeads]float32 // 0 where it is not
	f := &tailFactors{x.tails, make([]float32, len(x.tails))}
	for i, count := range x.counts {
		if count < fewHeads && known[count] > 0 {
			f.factors[i] = known[count]
			continue
		}
		f.factors[i] = float32(math.Exp(exponent * math.Log1p(10*float64(count))))
		if count < fewHeads {
			known[count] = f.factors[i]
		}
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

// weight returns the product of the factors of an entity's exponential in a row of head.
func (w *weights) weight(e, head int32) float64 {
	by := 1.0
	if w.tailFactors != nil {
		by = float64(w.of(e))
	}
	if e == head {
		by *= float64(w.loop)
	}
	return by
}

// share returns the factor of the degrees of a head with the given tails.
func (w *weights) share(tails []int32) float64 {
	if len(tails) == 0 {
		return 1
	}
	return float64(len(tails)) * w.second
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
		counts := countTails(sortedTails(m.Graph, x.R, false))
		counts.addTo(scores, terms.Frequency)
	}
	scores[x.H] += float32(terms.LoopScore(&m.Manifest.Regularities[x.R/2]))
}
