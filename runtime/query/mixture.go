package query

import (
	"cmp"
	"math"
	"slices"

	"github.com/efoc/efoc/kernels/simd"
	"github.com/efoc/efoc/runtime/fit"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/rank"
)

// NewMixture returns the plan of the mixture of message passing and truth degrees, made of
// the plan of a shape for message passing and of its Degrees: both run in turn, each in
// buffers of its own, and their answers are mixed. Its fuzzy sets are those of truth
// degrees. messages must not have a Bind function.
func NewMixture(messages *Plan) *Plan {
	degrees := messages.Degrees
	p := *degrees
	p.Semantics, p.Layers = model.Mixed, messages.Layers
	p.Vectors = messages.Vectors + degrees.Vectors
	p.Embeddings = max(messages.Embeddings, degrees.Embeddings)
	p.spareSets = len(messages.Sets)
	p.Run = func(w *Workspace) error {
		vectors, sets := w.vectors, w.sets
		defer func() { w.vectors, w.sets = vectors, sets }()
		w.vectors, w.sets, w.places = vectors[:messages.Vectors], sets[:len(messages.Sets)], messages.Places
		if err := messages.Run(w); err != nil {
			return err
		}
		probabilities := w.answer
		w.vectors, w.sets, w.places = vectors[messages.Vectors:], sets, degrees.Places
		if err := degrees.Run(w); err != nil {
			return err
		}
		w.Degrees().Mixture(w.answer, probabilities, w.answer)
		return w.Err()
	}
	return &p
}

// The k best entities of a mixture are found by bounds too. F(p, d) grows in both, so its bounds
// follow from those of p and d:
//
//	p ≤ λ·s + (1−λ)·exp(c)/Z      cosines and Z by package moments, see readout; or p itself, by a pass
//	d ≥ that by observed links    where rows of candidates wait, see package fit
//	score of the k-th best ≥ τ    of the k best by d and of the k best by p, whose rows are read
//	rows of candidates            made where limit·degree suffices for τ, for an entity of that p
//	score by the upper bounds ≥ τ read the row, for the exact cosine
//
// If order and scores then depend on where Z lies between its bounds, a pass computes all p.
type mixedBest struct {
	fit.Scorer
	cosines bool // p is bounded, not exact
	inverse [2]float64
	norm    float64
	found   []mixedCandidate
}

// mixedCandidate is an entity that may be among the best: its score, and that for the greatest
// and for the least Z.
type mixedCandidate struct {
	entity      model.EntityID
	score       float32
	least, most float32
}

// finishMixture computes the mixture that a plan has left: the k best entities, if k is not 0,
// otherwise the scores of all.
func (w *Workspace) finishMixture(k int) {
	if k > 0 && k < len(w.answer) {
		if w.bestMixed(k); w.readout.best != nil || w.Err() != nil {
			return
		}
	}
	w.finishReadout(0)
	w.degrees.Mix()
}

// bestMixed finds the k best entities of a mixture. It finds none where numbers are not finite.
func (w *Workspace) bestMixed(k int) {
	b := &w.mixed
	b.Scorer = w.degrees.Scorer()
	if b.cosines = w.readout.pending && !w.share() && w.boundReadout(b); !b.cosines {
		w.pass()
	}
	if w.Err() != nil {
		return
	}
	w.degrees.Least()
	p, d := w.degrees.Pending()
	least := w.seeds(p, d, k)
	if !(least > 0) {
		return
	}
	w.degrees.Complete(p, least)
	if w.Err() != nil {
		return
	}
	if !w.mixCandidates(p, d, least, 2*k+len(p)/readoutShare) || !b.certain(k) {
		b.cosines = false
		w.pass()
		if w.Err() != nil || !w.mixCandidates(p, d, least, len(p)) {
			return
		}
		b.sort()
	} else if b.cosines {
		w.model.readouts.decided.Add(1)
	}
	w.readout.best = b.best(k)
}

// pass computes the probabilities of the readout, if it is pending, in a pass.
func (w *Workspace) pass() {
	if w.readout.pending {
		w.model.readouts.passed.Add(1)
		w.finishReadout(0)
	}
}

// boundReadout computes upper bounds of the probabilities, and reports whether there are any.
func (w *Workspace) boundReadout(b *mixedBest) bool {
	r, lambda, m := &w.readout, w.settings.Lambda, w.model.readouts.get()
	if m == nil || lambda >= 1 {
		return false
	}
	bound, ok := m.Bound(&r.scratch, r.dst, r.embedding)
	if !ok {
		return false
	}
	b.inverse, b.norm = [2]float64{1 / bound.High, 1 / bound.Low}, size(r.embedding)
	most := math.Log((1-lambda)*b.inverse[1]) + bound.Centre + bound.Rest + 1e-5
	simd.ExpSum(r.dst, r.dst, float32(-most))
	simd.ScaleAdd(r.dst, r.dst, float32(lambda*(1+1e-6)), r.state)
	return true
}

// seeds returns a score that k entities have at least, 0 or not a number if there is none.
func (w *Workspace) seeds(p, d Vector, k int) float32 {
	b := &w.mixed
	b.found = b.found[:0]
	for i, best := range [][]rank.Ranked{rank.Top(d, k), rank.Top(p, k)} {
		for _, e := range best {
			if i == 0 || !slices.ContainsFunc(b.found[:k], func(c mixedCandidate) bool { return c.entity == e.Entity }) {
				b.found = append(b.found, w.mixedCandidate(p, d, int(e.Entity)))
			}
		}
	}
	slices.SortFunc(b.found, func(x, y mixedCandidate) int { return cmp.Compare(y.least, x.least) })
	return b.found[k-1].least
}

// mixCandidates lists the entities that may have some score, and reports false if there are more
// than most.
func (w *Workspace) mixCandidates(p, d Vector, least float32, most int) bool {
	b := &w.mixed
	b.found = b.found[:0]
	least *= 1 - 1e-6
	rough := b.Log(least) - fit.RoughError
	for lo := 0; lo < len(p); lo += passedOver {
		x, y := p[lo:min(lo+passedOver, len(p))], d[lo:min(lo+passedOver, len(d))]
		if b.Rough(simd.Max(x), simd.Max(y)) < rough {
			continue
		}
		for i, v := range x {
			if b.Rough(v, y[i]) < rough || b.Score(v, y[i]) < least {
				continue
			}
			if len(b.found) == most {
				return false
			}
			b.found = append(b.found, w.mixedCandidate(p, d, lo+i))
		}
	}
	return true
}

// mixedCandidate scores an entity, by its row unless its probability is known.
func (w *Workspace) mixedCandidate(p, d Vector, e int) mixedCandidate {
	b, x := &w.mixed, mixedCandidate{entity: model.EntityID(e)}
	if !b.cosines {
		x.score = b.Score(p[e], d[e])
		x.least, x.most = x.score, x.score
		return x
	}
	c := w.candidate(x.entity, w.readout.state[e], b.norm)
	of := func(inverse float64) float32 { return b.Score(float32(c.at(inverse)), d[e]) }
	x.least, x.most, x.score = of(b.inverse[0]), of(b.inverse[1]), of((b.inverse[0]+b.inverse[1])/2)
	return x
}

// sort puts the candidates in order.
func (b *mixedBest) sort() {
	slices.SortFunc(b.found, func(x, y mixedCandidate) int {
		return cmp.Or(cmp.Compare(y.score, x.score), cmp.Compare(x.entity, y.entity))
	})
}

// certain puts the candidates in order, and reports whether the k best, their order and their
// scores are certain.
func (b *mixedBest) certain(k int) bool {
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
		if b.cosines && !equal && (before.least <= x.least || before.most <= x.most) {
			return false
		}
	}
	return true
}

// best returns the k best candidates, nil if there are not as many.
func (b *mixedBest) best(k int) []rank.Ranked {
	if len(b.found) < k {
		return nil
	}
	best := make([]rank.Ranked, k)
	for i := range best {
		best[i] = rank.Ranked{Entity: b.found[i].entity, Score: b.found[i].score}
	}
	return best
}
