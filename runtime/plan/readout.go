package plan

import (
	"context"
	"math"

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
	few := k > 0 && k < len(w.answer) && w.Err() == nil
	if few && (mixed || w.readout.pending) && w.decide(k) {
		return
	}
	w.finishReadout()
	if mixed {
		w.degrees.Mix()
	}
}

// finishReadout computes the readout by a sweep, if it is pending.
func (w *Workspace) finishReadout() {
	r := &w.readout
	if !r.pending || w.Err() != nil {
		return
	}
	r.pending = false
	if !w.ranksAll {
		w.model.readouts.passed.Add(1)
	}
	if w.settings.Lambda >= 1 {
		copy(r.dst, r.state)
		return
	}
	sweep := w.Sweep()
	sweep.Cosine(r.values.dst, r.values.embedding)
	sweep.Run()
	w.Mix(r.values.dst, r.values.state, w.Softmax(r.values.dst, r.values.dst))
}

// boundsReadout reports whether to try bounds before a sweep. A batch on matrix units makes one integer sweep for all
// its readouts: a query's share of it costs less than bounds.
func (w *Workspace) boundsReadout() bool {
	shared := w.Together() >= rows.MinCoded && rows.Wide{Model: w.model.Model}.Multiplies()
	return w.access.Bounds && w.settings.Lambda < 1 && !shared
}

// whole returns the whole answer after a call for the best entities. A query of a group has already left the group.
func (w *Workspace) whole(ctx context.Context) Vector {
	w.Begin(ctx, nil)
	w.Workers = w.model.Pool()
	if w.bounds.cosines {
		w.model.readouts.decided.Add(-1)
	}
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
