package plan

import (
	"cmp"
	"math"
	"slices"

	"github.com/efoc/efoc/kernels/reuse"
	"github.com/efoc/efoc/kernels/simd"
	"github.com/efoc/efoc/runtime/fit"
	"github.com/efoc/efoc/runtime/internal/moments"
	"github.com/efoc/efoc/runtime/internal/top"
	"github.com/efoc/efoc/runtime/model/graph"
)

// bounds find the k best entities of an answer without a sweep. A score grows in the probability p by
// message passing, and in the truth degree d, which is 0 unless the answer is a mixture. So its bounds
// follow from theirs:
//
//	p ≤ λ·s + (1−λ)·exp(c)/Z      cosines and Z by package moments; or p itself, by a sweep
//	d ≥ that by observed links    where rows of candidates wait, see package fit
//	score of the k-th best ≥ τ    of the k best by d and of the k best by p, whose rows are read
//	rows of candidates            made where limit·degree suffices for τ, for an entity of that p
//	score by the upper bounds ≥ τ read the row, for the exact cosine
//
// Only the normaliser Z is then uncertain. The k best, their order and their scores must not depend on
// where it lies between its bounds; if they do, a sweep computes all p.
type bounds struct {
	fit.Scorer
	p, d    Vector     // d is nil unless the answer is a mixture
	cosines bool       // p is bounded, not exact
	inverse [2]float64 // bounds of 1/Z
	norm    float64    // of the embedding
	found   []candidate
	least   float64 // the score that candidates reach, its logarithm, and a lower bound of Rough
	log     float64
	rough   float64
	most    []float32    // bounds of the scores that may reach it, 0 for others
	top     []top.Ranked // room for the largest of a vector
	sure    []top.Ranked // the k best candidates for the least Z or the greatest, whichever is worse
	slack   float32      // how far degrees may be off
	scratch moments.Scratch
}

// candidate is an entity that may be among the best: its score, and that for the greatest and for
// the least Z.
type candidate struct {
	entity             graph.EntityID
	score, least, most float64
}

// Bounds are at most this far from their middle, relative to it: half the tolerance of the semantics. Then the share
// of the rows that may be read, how many times k candidates are scored first, and the number of entities that a failed
// test skips at once.
const (
	readoutTolerance = 5e-5
	readoutShare     = 16
	firstCandidates  = 2
	passedOver       = 128
)

// decide finds the k best entities of the answer, and reports whether it has.
func (w *Workspace) decide(k int) bool {
	r := &w.readout
	b := &w.bounds
	b.Scorer = fit.NewScorer(0)
	b.p = r.dst
	b.d = nil
	b.cosines = false
	b.slack = 1
	switch {
	case w.mixed():
		return w.decideMixture(k)
	case !r.pending || !w.boundsReadout() || w.weak(k):
		return false
	}
	return w.boundReadout() && w.decideBounded(k)
}

// decideBounded is decide where bounds of the probabilities are known.
func (w *Workspace) decideBounded(k int) bool {
	least := w.seeds(k)
	if !(least > 0) || !w.candidates(k, least) || !w.bounds.certain(k) || !w.choose(k) {
		return false
	}
	w.model.readouts.decided.Add(1)
	return true
}

// decideMixture is decide for a pending mixture.
func (w *Workspace) decideMixture(k int) bool {
	b := &w.bounds
	m := w.degrees
	if bounded := w.readout.pending && w.boundsReadout() && w.boundReadout(); !bounded {
		w.runReadoutSweep()
	}
	if w.Err() != nil {
		return false
	}
	m.Least()
	b.Scorer = m.Scorer()
	b.p, b.d = m.Pending()
	b.slack = m.Slack()
	if !b.cosines && b.slack == 1 && !m.Waits() && k <= top.MostInserted {
		w.readout.room = b.best(w.readout.room, k)
		w.readout.best = w.readout.room
		return w.Err() == nil
	}
	least := w.seeds(k)
	if !(least > 0) {
		return false
	}
	m.Complete(b.p, float32(least))
	b.slack = m.Slack()
	switch certain := w.candidates(k, least) && b.certain(k); {
	case !certain:
		w.runReadoutSweep()
		w.candidates(k, least)
		b.sort()
	case b.cosines:
		w.model.readouts.decided.Add(1)
	}
	return w.choose(k)
}

// best finds the k best entities of a mixture whose probabilities and degrees are exact, in the memory of list. The
// k-th best is at least as good as the worst of the k entities of largest degree. That bounds the degree which an entity
// needs even with the largest probability; the entities that reach it are scored if they may be better than the k-th
// best so far.
func (b *bounds) best(list []top.Ranked, k int) []top.Ranked {
	b.top = top.Into(b.top, b.d, k)
	least := math.Inf(1)
	for _, e := range b.top {
		least = min(least, b.Rough(b.p[e.Entity], e.Score)-fit.RoughError)
	}
	needed := b.Degree(least, simd.Max(b.p))

	list = slices.Grow(list[:0], k)
	var ids [passedOver]int32
	for lo := 0; lo < len(b.p); lo += passedOver {
		hi := min(lo+passedOver, len(b.p))
		p := b.p[lo:hi]
		d := b.d[lo:hi]
		if b.Rough(simd.Max(p), simd.Max(d)) < least {
			continue
		}
		for _, i := range ids[:simd.IndexAbove(ids[:hi-lo], d, needed)] {
			if b.Rough(p[i], d[i]) < least {
				continue
			}
			list = top.Insert(list, top.Ranked{Entity: graph.EntityID(lo + int(i)), Score: b.Score(p[i], d[i])}, k)
			if len(list) == k {
				last := list[k-1].Entity
				least = max(least, b.Rough(b.p[last], b.d[last])-fit.RoughError)
			}
		}
	}
	return list
}

// choose takes the k best of the candidates, and reports whether there are that many.
func (w *Workspace) choose(k int) bool {
	found := w.bounds.found
	if len(found) < k {
		return false
	}
	r := &w.readout
	r.room = r.room[:0]
	for _, c := range found[:k] {
		r.room = append(r.room, top.Ranked{Entity: c.entity, Score: float32(c.score)})
	}
	r.best = r.room
	return w.Err() == nil
}

// mixed reports whether the answer is a pending mixture.
func (w *Workspace) mixed() bool {
	if w.degrees == nil {
		return false
	}
	p, _ := w.degrees.Pending()
	return p != nil
}

// runReadoutSweep computes the probabilities of the readout in a sweep, if it is pending.
func (w *Workspace) runReadoutSweep() {
	w.bounds.cosines = false
	w.finishReadout()
}

// weak reports whether the k-th best state is so small that any entity may have one of the k best
// probabilities.
func (w *Workspace) weak(k int) bool {
	state := w.readout.state
	lambda := w.settings.Lambda
	w.bounds.top = top.Into(w.bounds.top, state, k)
	return lambda*float64(w.bounds.top[k-1].Score)*float64(len(state)) < 1-lambda
}

// boundReadout computes upper bounds of the probabilities, and reports whether it could. Those of a mixture need
// coordinates.
func (w *Workspace) boundReadout() bool {
	r := &w.readout
	b := &w.bounds
	lambda := w.settings.Lambda
	m := w.model.readouts.get()
	if m == nil || w.mixed() && !m.Located() {
		return false
	}
	bound, ok := m.Bound(&b.scratch, r.dst[:m.Rows()], r.embedding, w.Workers)
	if !ok {
		return false
	}
	b.cosines = true
	b.norm = size(r.embedding)
	for e := m.Rows(); e < len(r.dst); e++ { // the rows that Lent added
		cosine := w.cosine(graph.EntityID(e))
		r.dst[e] = float32(cosine - bound.Centre - bound.Rest)
		bound.Low += math.Exp(cosine - 1e-5)
		bound.High += math.Exp(cosine + 1e-5)
	}
	b.inverse = [2]float64{1 / bound.High, 1 / bound.Low}
	most := math.Log((1-lambda)*b.inverse[1]) + bound.Centre + bound.Rest + 1e-5 // of what a cosine adds, but for u_e
	simd.ExpSum(r.dst, r.dst, float32(-most))
	simd.ScaleAdd(r.dst, r.dst, float32(lambda*(1+1e-6)), r.state)
	return true
}

// seeds returns a score that at least k entities reach, 0 or NaN if there is none.
func (w *Workspace) seeds(k int) float64 {
	b := &w.bounds
	b.sure = b.sure[:0]
	for _, x := range [...]Vector{b.d, b.p} {
		b.top = top.Into(b.top, x, k)
		for _, e := range b.top {
			if !slices.ContainsFunc(b.sure, func(s top.Ranked) bool { return s.Entity == e.Entity }) {
				b.keep(w.candidate(e.Entity), k)
			}
		}
	}
	return float64(b.sure[k-1].Score)
}

// keep keeps a candidate if it is among the k best so far.
func (b *bounds) keep(c candidate, k int) {
	b.sure = top.Insert(b.sure, top.Ranked{Entity: c.entity, Score: float32(c.least)}, k)
}

// candidates scores the entities that may reach a score, except those whose bounds the k best so far exceed: first some
// of the largest bounds. It reports false if bounds would have it read too many rows.
func (w *Workspace) candidates(k int, least float64) bool {
	b := &w.bounds
	b.least = least * (1 - 1e-6)
	b.log = b.Log(float32(b.least)) - 1e-6
	b.rough = b.log - fit.RoughError
	all := b.bound()
	b.found = b.found[:0]
	b.sure = b.sure[:0]
	if b.cosines && all > 2*k+len(b.p)/readoutShare {
		return false
	}

	b.top = top.Into(b.top, b.most, min(firstCandidates*k, all))
	for _, x := range b.top {
		w.try(x.Entity, k)
	}
	var ids [passedOver]int32
	for lo := 0; lo < len(b.most) && len(b.found) < all; lo += passedOver {
		part := b.most[lo:min(lo+passedOver, len(b.most))]
		for _, i := range ids[:simd.IndexAbove(ids[:len(part)], part, float32(b.least))] {
			w.try(graph.EntityID(lo+int(i)), k)
		}
	}
	return true
}

// try scores an entity once, unless the k best so far exceed the bound of its score.
func (w *Workspace) try(e graph.EntityID, k int) {
	b := &w.bounds
	if float64(b.most[e]) < b.least {
		return
	}
	b.most[e] = 0
	c := w.candidate(e)
	b.found = append(b.found, c)
	b.keep(c, k)
	if len(b.sure) == k {
		b.least = max(b.least, float64(b.sure[k-1].Score)*(1-1e-6))
	}
}

// bound bounds the scores of the entities that may reach the least score, and returns how many there are.
func (b *bounds) bound() (count int) {
	b.most = reuse.Slice(b.most, len(b.p))
	clear(b.most)
	var ids [passedOver]int32
	for lo := 0; lo < len(b.p); lo += passedOver {
		p := b.p[lo:min(lo+passedOver, len(b.p))]
		degree := float32(0)
		if b.d != nil {
			degree = simd.Max(b.d[lo:lo+len(p)]) * b.slack
		}
		if b.Rough(simd.Max(p), degree) < b.rough {
			continue
		}
		for _, i := range ids[:simd.IndexAbove(ids[:len(p)], p, b.Probability(b.log, degree))] {
			e := lo + int(i)
			most := b.Score(p[i], b.degree(e)*b.slack)
			if float64(most) >= b.least {
				b.most[e] = most
				count++
			}
		}
	}
	return count
}

// degree returns the truth degree of an entity, 0 if the answer has none.
func (b *bounds) degree(e int) float32 {
	if b.d == nil {
		return 0
	}
	return b.d[e]
}

// exactDegree makes the truth degree of an entity exact and returns it.
func (w *Workspace) exactDegree(e graph.EntityID) float32 {
	b := &w.bounds
	if b.slack > 1 {
		b.d[e] = w.degrees.Exactly(int32(e))
	}
	return b.degree(int(e))
}

// candidate scores an entity, from its row unless its probability is known.
func (w *Workspace) candidate(e graph.EntityID) candidate {
	b := &w.bounds
	r := &w.readout
	lambda := w.settings.Lambda
	degree := w.exactDegree(e)
	if !b.cosines {
		score := float64(b.Score(b.p[e], degree))
		return candidate{e, score, score, score}
	}
	near := (1 - lambda) * math.Exp(w.cosine(e))
	at := func(inverse float64) float64 {
		return float64(b.Score(float32(lambda*float64(r.state[e])+inverse*near), degree))
	}
	return candidate{e, at((b.inverse[0] + b.inverse[1]) / 2), at(b.inverse[0]), at(b.inverse[1])}
}

// cosine computes an entity's cosine with the embedding of the readout from its row.
func (w *Workspace) cosine(e graph.EntityID) float64 {
	var cosine [1]float32
	p := &w.model.Predictor
	size := p.EntityNorms[e] * float32(w.bounds.norm)
	if size > 0 {
		p.EntityTable.DotRows(cosine[:], int(e), int(e)+1, w.readout.embedding)
		cosine[0] /= size
	}
	return float64(cosine[0])
}

// sort sorts the candidates.
func (b *bounds) sort() {
	slices.SortFunc(b.found, func(x, y candidate) int {
		return cmp.Or(cmp.Compare(y.score, x.score), cmp.Compare(x.entity, y.entity))
	})
}

// certain sorts the candidates, and reports whether the k best, their order and their scores are certain.
func (b *bounds) certain(k int) bool {
	b.sort()
	for i, x := range b.found {
		if i < k && x.most-x.least > 2*readoutTolerance*x.score {
			return false
		}
		if i == 0 {
			continue
		}
		before := b.found[min(i, k)-1]
		equal := before.least == x.least && before.most == x.most
		if !equal && (before.least <= x.least || before.most <= x.most) {
			return false
		}
	}
	return true
}

// end drops references to the answered query.
func (b *bounds) end() {
	b.p = nil
	b.d = nil
	b.found = b.found[:0]
}
