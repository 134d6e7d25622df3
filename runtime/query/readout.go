package query

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/efoc/efoc/kernels/simd"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/moments"
	"github.com/efoc/efoc/runtime/rank"
	"github.com/efoc/efoc/runtime/rows"
)

// readout is the answer of a plan that is one λ·s + (1−λ)·softmax(cos(n, E_e)), as long as
// nobody has asked for all of it. Its k best entities are found by bounds: package moments
// bounds the normaliser Z = Σ exp(cos) and every cosine, so only few entities can be among
// the best, and the rows of those alone are read:
//
//	the k of largest s       rows read: the k-th best answer has at least some probability
//	λ·s + (1−λ)·exp(c)/Z     bounded from above for the others; rows read of those that reach it
//	order                    must be the same for the least and the greatest Z
//	probabilities            must be known well enough for the greatest and the least Z
//
// In a batch whose pass is made by integers on matrix units all of it is computed at once.
//
// Where these demands are not met, as where the k-th answer is not much better than any
// entity, a pass over the table computes the answer as for those who want all of it.
type readout struct {
	pending   bool
	values    readoutValues
	places    []int32 // of the plan: a mixture has two
	dst       Vector
	state     Vector
	embedding Embedding
	best      []rank.Ranked // the k best entities, if bounds have decided or a batch has made a pass
	factor    float32       // what dst lacks behind the pass of a batch
	scratch   moments.Scratch
	found     []candidate
}

// readoutValues are the values of a readout.
type readoutValues struct {
	dst, state Vec
	embedding  Emb
}

// candidate is an entity that may be among the best: state is λ·s, near (1−λ)·exp(c).
type candidate struct {
	entity      model.EntityID
	degree      float32
	state, near float64
	probability float64
}

func (c *candidate) at(inverse float64) float64 { return c.state + inverse*c.near }

// Bounds on a readout without a pass: how far a probability may be from the middle of what
// is known of it, relative to it, which is half the tolerance of the semantics; and the
// share of the rows that it may read.
const (
	readoutTolerance = 5e-5
	readoutShare     = 16
)

// Readout stands for λ·x + (1−λ)·softmax_e cos(y, E_e) in dst, which must be the answer, or what
// a mixture takes of message passing. It is computed later, when it is known which part is
// wanted: x and y must not change until then, and neither may be dst.
func (w *Workspace) Readout(dst, x Vec, y Emb) Vec {
	r := &w.readout
	r.pending, r.values, r.places = true, readoutValues{dst, x, y}, w.places
	r.dst, r.state, r.embedding = w.Vector(dst), w.Vector(x), w.Embedding(y)
	return dst
}

// end lets go of what belongs to the query that was answered.
func (r *readout) end() {
	*r = readout{scratch: r.scratch, found: r.found[:0]}
}

// finish computes what the plan has left: the k best entities, if k is not 0 and bounds decide
// which they are, otherwise the whole answer.
func (w *Workspace) finish(k int) {
	if m := w.degrees; m != nil {
		if p, _ := m.Pending(); p != nil {
			w.finishMixture(k)
			return
		}
		m.Finish(k)
	}
	w.finishReadout(k)
}

// finishReadout is finish for a readout.
func (w *Workspace) finishReadout(k int) {
	r := &w.readout
	if !r.pending || w.Err() != nil {
		return
	}
	counts := &w.model.readouts
	if k > 0 && w.share() {
		counts.passed.Add(1)
		w.finishShared(k)
		return
	}
	if k > 0 {
		if w.decide(k) {
			counts.decided.Add(1)
			return
		}
		counts.passed.Add(1)
	}
	places := w.places
	w.places = r.places
	sweep := w.Sweep()
	sweep.Cosine(r.values.dst, r.values.embedding)
	sweep.Run()
	w.Mix(r.values.dst, r.values.state, w.Softmax(r.values.dst, r.values.dst))
	r.pending, w.places = false, places
}

// share reports whether the whole batch makes a pass for its readouts, by integers on matrix
// units: a query's share of that is less than what bounds take.
func (w *Workspace) share() bool {
	return w.settings.Lambda < 1 && w.Together() >= rows.MinCoded &&
		ReadoutMethod(w.model.readouts.method.Load()) == ReadoutAuto && rows.Wide{Model: w.model.Model}.Multiplies()
}

// finishShared finds the k best entities in a pass of the batch. No cosine exceeds 1, and what
// all entities are multiplied by is left to those k.
func (w *Workspace) finishShared(k int) {
	r, lambda := &w.readout, w.settings.Lambda
	sweep := w.Sweep()
	sweep.Cosine(r.values.dst, r.values.embedding)
	sweep.Run()
	if w.Err() != nil {
		return
	}
	share := (1 - lambda) / float64(simd.ExpSum(r.dst, r.dst, 1))
	simd.ScaleAdd(r.dst, r.dst, float32(lambda/share), r.state)
	r.factor = float32(share)
	r.best = rank.Top(r.dst, k)
	for i := range r.best {
		r.best[i].Score *= r.factor
	}
}

// whole returns the whole answer where bounds have decided on the best entities, and more
// are wanted. A query of a group has left that.
func (w *Workspace) whole(ctx context.Context) Vector {
	if factor := w.readout.factor; factor > 0 {
		simd.Scale(w.answer, w.answer, factor)
		return w.answer
	}
	w.Begin(ctx, nil)
	w.model.readouts.decided.Add(-1)
	w.model.readouts.passed.Add(1)
	w.finish(0)
	return w.answer
}

// decide finds the k best entities by bounds, and reports whether they are certain.
func (w *Workspace) decide(k int) bool {
	m := w.model.readouts.get()
	if m == nil {
		return false
	}
	r, n, lambda := &w.readout, len(w.readout.state), w.settings.Lambda
	most := 2*k + n/readoutShare
	if k >= n || lambda <= 0 {
		return false
	}
	best := rank.Top(r.state, k)
	if lambda >= 1 {
		r.best = best
		return true
	}
	if lambda*float64(best[k-1].Score)*float64(n) < 1-lambda {
		return false // the k-th is not much better than any entity
	}
	b, ok := m.Bound(&r.scratch, r.dst, r.embedding)
	if !ok {
		return false
	}
	inverse := [2]float64{1 / b.High, 1 / b.Low}
	norm := size(r.embedding)
	least := math.Inf(1) // that an answer among the k best has
	for _, e := range best {
		c := w.candidate(e.Entity, e.Score, norm)
		least = min(least, c.at(inverse[0]))
	}
	if !w.candidates(least, (1-lambda)*inverse[1], b, most, norm) {
		return false
	}
	return r.choose(k, inverse)
}

// candidates lists the entities that may have some probability, and reports false if there
// are more than most. near bounds (1−λ)/Z from above.
func (w *Workspace) candidates(least, near float64, b moments.Bound, most int, norm float64) bool {
	r, lambda := &w.readout, w.settings.Lambda
	r.found = r.found[:0]
	limit := float32((least - near*math.Exp(b.Centre+b.Top+b.Rest)) / lambda * (1 - 1e-6))
	for lo := 0; lo < len(r.state); lo += passedOver {
		state := r.state[lo:min(lo+passedOver, len(r.state))]
		if simd.Max(state) < limit {
			continue
		}
		for i, s := range state {
			e := lo + i
			if s < limit || lambda*float64(s)+near*math.Exp(b.Centre+float64(r.dst[e])+b.Rest) < least*(1-1e-6) {
				continue
			}
			if len(r.found) == most {
				return false
			}
			r.found = append(r.found, w.candidate(model.EntityID(e), s, norm))
		}
	}
	return true
}

// passedOver is how many entities are passed over together where none has enough of a state.
const passedOver = 128

// candidate reads the row of an entity of some degree in the state.
func (w *Workspace) candidate(e model.EntityID, degree float32, norm float64) candidate {
	p, lambda := &w.model.Predictor, w.settings.Lambda
	var cosine [1]float32
	if d := p.EntityNorms[e] * float32(norm); d > 0 {
		p.EntityTable.DotRows(cosine[:], int(e), int(e)+1, w.readout.embedding)
		cosine[0] /= d
	}
	return candidate{entity: e, degree: degree, state: lambda * float64(degree), near: (1 - lambda) * math.Exp(float64(cosine[0]))}
}

// choose puts the candidates in order, for a Z in the middle, and keeps the k best. It
// reports whether those, their order and their probabilities are certain, for the least
// and the greatest 1/Z.
func (r *readout) choose(k int, inverse [2]float64) bool {
	middle, half := (inverse[0]+inverse[1])/2, (inverse[1]-inverse[0])/2
	for i := range r.found {
		r.found[i].probability = r.found[i].at(middle)
	}
	slices.SortFunc(r.found, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.probability, a.probability), cmp.Compare(a.entity, b.entity))
	})
	for i := range r.found {
		c := &r.found[i]
		if i < k && c.near*half > readoutTolerance*c.probability {
			return false
		}
		if i == 0 {
			continue
		}
		before := &r.found[min(i, k)-1]
		equal := before.degree == c.degree && before.near == c.near
		if !equal && (before.at(inverse[0]) <= c.at(inverse[0]) || before.at(inverse[1]) <= c.at(inverse[1])) {
			return false
		}
	}
	if len(r.found) < k {
		return false
	}
	r.best = make([]rank.Ranked, k)
	for i := range r.best {
		r.best[i] = rank.Ranked{Entity: r.found[i].entity, Score: float32(r.found[i].probability)}
	}
	return true
}

// size returns ‖x‖.
func size(x Embedding) float64 {
	sum := 0.0
	for _, v := range x {
		sum += float64(v) * float64(v)
	}
	return math.Sqrt(sum)
}
