package plan

import (
	"context"
	"math"

	"github.com/efoc/efoc/kernels/simd"
	"github.com/efoc/efoc/runtime/internal/rows"
	"github.com/efoc/efoc/runtime/internal/top"
)

// readout is a pending answer of the form λ·s + (1−λ)·softmax(cos(n, E_e)). Bounds (bounds.go) or a sweep of the
// table find its k best entities. A batch that sweeps with integers on matrix units always uses the sweep.
type readout struct {
	pending   bool
	values    readoutValues
	dst       Vector
	state     Vector
	embedding Embedding
	best      []top.Ranked // the k best entities, if known
	room      []top.Ranked // backing array of best
	factor    float32      // scales dst if only the best were wanted
}

// readoutValues are the values of a readout.
type readoutValues struct {
	dst, state Vec
	embedding  Emb
}

// Readout stands for λ·x + (1−λ)·softmax_e cos(y, E_e) in dst, which must be the answer, or the message passing
// operand of a mixture. It is computed once the caller says which part it needs: until then x and y must not change,
// and neither may be dst.
func (w *Workspace) Readout(dst, x Vec, y Emb) Vec {
	r := &w.readout
	r.pending = true
	r.values = readoutValues{dst, x, y}
	r.dst, r.state, r.embedding = w.Vector(dst), w.Vector(x), w.Embedding(y)
	return dst
}

// finish completes the plan: it computes the k best entities, or the whole answer if k is 0.
func (w *Workspace) finish(k int) {
	mixed := w.mixed()
	if w.degrees != nil && !mixed {
		w.degrees.Finish(k)
		w.degrees.SharpenAnswer(w.answer, k)
	}
	switch {
	case k > 0 && k < len(w.answer) && (mixed || w.readout.pending) && w.Err() == nil && w.decide(k):
	case mixed:
		w.finishReadout(0)
		w.degrees.Mix()
	default:
		w.finishReadout(k)
	}
}

// finishReadout is finish for a readout. If k is not 0, it defers the factor common to all entities to the k best of
// a sweep: no cosine exceeds 1.
func (w *Workspace) finishReadout(k int) {
	r := &w.readout
	lambda := w.settings.Lambda
	if !r.pending || w.Err() != nil {
		return
	}
	if k > 0 {
		w.model.readouts.passed.Add(1)
	}
	r.pending = false
	if lambda >= 1 {
		copy(r.dst, r.state)
		return
	}
	sweep := w.Sweep()
	sweep.Cosine(r.values.dst, r.values.embedding)
	sweep.Run()
	switch {
	case k == 0:
		w.Mix(r.values.dst, r.values.state, w.Softmax(r.values.dst, r.values.dst))
	case w.Err() == nil:
		share := (1 - lambda) / float64(simd.ExpSum(r.dst, r.dst, 1))
		simd.ScaleAdd(r.dst, r.dst, float32(lambda/share), r.state)
		r.factor = float32(share)
		r.best = r.rank(r.dst, k)
		for i := range r.best {
			r.best[i].Score *= r.factor
		}
	}
}

// rank returns the k largest of x, in the memory of the previous call.
func (r *readout) rank(x Vector, k int) []top.Ranked {
	r.room = top.Into(r.room, x, k)
	return r.room
}

// boundsReadout reports whether to try bounds before a sweep. A batch on matrix units makes one integer sweep for all
// its readouts: a query's share of it costs less than bounds.
func (w *Workspace) boundsReadout() bool {
	shared := w.Together() >= rows.MinCoded && rows.Wide{Model: w.model.Model}.Multiplies()
	return w.access.Bounds && w.settings.Lambda < 1 && !shared
}

// whole returns the whole answer after a call for the best entities. A query of a group has already left the group.
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

// size returns ‖x‖.
func size(x Embedding) float64 {
	sum := 0.0
	for _, v := range x {
		sum += float64(v) * float64(v)
	}
	return math.Sqrt(sum)
}
