package fit

import (
	"github.com/efoc/efoc/runtime/internal/fuzzy"
	"github.com/efoc/efoc/runtime/model"
)

// selected gives entities with a value 1 or 0, as they meet the filter or not, and others the filter's degree for
// unknown values.
func (w *work) selected(f *model.Selection) *fuzzy.Set {
	if fuzzy.Crowded(f.Values(), w.arena.N) {
		x := w.arena.Dense(f.Unknown(), w.arena.N)
		f.Factors(x.Full)
		return x
	}
	x := w.arena.List(f.Unknown(), f.Values())
	for e, holds := range f.Each {
		degree := float32(0)
		if holds {
			degree = 1
		}
		x.Add(e, degree)
	}
	return w.arena.Trim(x)
}

// except is 1 everywhere except at e.
func (w *work) except(e int32) *fuzzy.Set {
	x := w.arena.List(1, 1)
	if row, mine := w.part.Local(e); mine {
		x.Add(row, 0)
	}
	return w.arena.Trim(x)
}

// other is the largest degree everywhere, and the second largest at the entity that attains it.
func (w *work) other(x *fuzzy.Set) *fuzzy.Set {
	best := w.bestOf(x, 2)
	if len(best) == 0 {
		return fuzzy.None
	}
	second := float32(0)
	if len(best) > 1 {
		second = best[1].Score
	}
	z := w.arena.List(best[0].Score, 1)
	if row, mine := w.part.Local(int32(best[0].Entity)); mine {
		z.Add(row, second)
	}
	return w.arena.Trim(z)
}

// bestBut returns the entity of largest degree in u, other than e if apart is set; -1 if there is none.
func (w *work) bestBut(u *fuzzy.Set, e int32, apart bool) int32 {
	for _, b := range w.bestOf(u, 2) {
		if best := int32(b.Entity); !apart || best != e {
			return best
		}
	}
	return -1
}
