package fit

import "github.com/efoc/efoc/runtime/model"

// selected holds the entities that have a value to 1 or 0, as they meet a filter, and others to its
// degree of unknown ones.
func (w *work) selected(f *model.Selection) *fuzzy {
	if crowded(f.Values(), w.n) {
		x := w.dense(f.Unknown(), w.n)
		for e := range x.full {
			x.full[e] = x.rest
		}
		for e, holds := range f.Each {
			x.full[e] = 0
			if holds {
				x.full[e] = 1
			}
		}
		return x
	}
	x := w.list(f.Unknown(), f.Values())
	for e, holds := range f.Each {
		degree := float32(0)
		if holds {
			degree = 1
		}
		x.add(e, degree)
	}
	return w.trim(x)
}

// except is 1 everywhere but at e.
func (w *work) except(e int32) *fuzzy {
	x := w.list(1, 1)
	if row, mine := w.part.Local(e); mine {
		x.add(row, 0)
	}
	return w.trim(x)
}

// other is the largest degree everywhere, and at the entity that has it the second largest.
func (w *work) other(x *fuzzy) *fuzzy {
	best := w.bestOf(x, 2)
	if len(best) == 0 {
		return none
	}
	second := float32(0)
	if len(best) > 1 {
		second = best[1].Score
	}
	z := w.list(best[0].Score, 1)
	if row, mine := w.part.Local(int32(best[0].Entity)); mine {
		z.add(row, second)
	}
	return w.trim(z)
}

// bestBut returns the entity of largest degree in u, other than e if apart is set; -1 if
// there is none.
func (w *work) bestBut(u *fuzzy, e int32, apart bool) int32 {
	for _, b := range w.bestOf(u, 2) {
		if best := int32(b.Entity); !apart || best != e {
			return best
		}
	}
	return -1
}
