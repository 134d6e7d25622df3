package plan

import (
	"sync"
	"sync/atomic"

	"github.com/efoc/efoc/runtime/internal/moments"
	"github.com/efoc/efoc/runtime/internal/pool"
	"github.com/efoc/efoc/runtime/model"
)

// Readouts holds the state that a model's queries share to find the k best answers without a sweep of the entity
// table. It is safe for concurrent use.
type Readouts struct {
	model   *model.Model
	fewer   *Readouts   // of the model that has all rows but those that Lent added; nil for other models
	once    sync.Once   // computes the moments
	started atomic.Bool // to do so, with nobody waiting
	moments atomic.Pointer[moments.Moments]
	decided atomic.Int64
	passed  atomic.Int64
}

// Counts returns how many answers bounds decided, and how many took a sweep of the entity table.
func (r *Readouts) Counts() (decided, passed int64) { return r.decided.Load(), r.passed.Load() }

// sweepsBefore returns the number of sweeps to wait before computing the moments, which takes about as long as that
// many sweeps over rows of the given width.
func sweepsBefore(width int) int64 { return int64(8 + width/8) }

// rows returns the number of rows of the table, without those that Lent added.
func (r *Readouts) rows() int {
	if r.fewer != nil {
		return r.fewer.rows()
	}
	return r.model.NumEntities()
}

// get returns the moments of the table, without the rows that Lent added, or nil before they are ready. They are
// computed in the background once the sweeps made have cost as much.
func (r *Readouts) get() *moments.Moments {
	if r.fewer != nil {
		return r.fewer.get()
	}
	m := r.moments.Load()
	if m == nil && r.passed.Load() >= sweepsBefore(r.model.Predictor.EntityTable.Width()) && r.started.CompareAndSwap(false, true) {
		go r.Prepare()
	}
	return m
}

// Prepare computes the moments now, with coordinates if they pay.
func (r *Readouts) Prepare() { r.build(sizeOf(r.model).coordinates()) }

// build computes the moments once, unless the model has been closed.
func (r *Readouts) build(coordinates bool) {
	r.once.Do(func() {
		if r.model.Hold() != nil {
			return
		}
		defer r.model.Release()
		_ = pool.Caught(func() error { // then there are none
			r.moments.Store(moments.New(&r.model.Predictor, coordinates, r.model.Pool()))
			return nil
		})
	})
}
