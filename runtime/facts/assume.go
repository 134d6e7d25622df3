package facts

import (
	"context"

	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/internal/pool"
	"github.com/efoc/efoc/runtime/model"
)

// Assume returns a snapshot of a model's facts after a change that is made nowhere else, and the outcome of the
// change. Questions bound to the snapshot are answered as if the change had been applied. Of the change it reads the
// lists, New and Replace. Unknown names are a *NameError, and a fact in both lists is a
// *Contradiction.
//
// New entities take a copy of the entity table. Before that, Assume calls grow, unless it is nil, and returns its error.
// If the snapshot's Bundle is given back by GiveBack after its last use, the next call reuses the copy.
func Assume(ctx context.Context, m *runtime.Model, c Change, grow func() error) (assumed *runtime.Model, done Result, err error) {
	defer pool.Catch(&err)
	if grow == nil {
		grow = func() error { return nil }
	}
	assumed, err = m.Assume(func(now *model.Model) (next *model.Model, err error) {
		_, next, done, err = c.apply(ctx, now, grow)
		return next, err
	})
	return assumed, done, err
}
