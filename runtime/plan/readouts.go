package plan

import (
	"sync"
	"sync/atomic"

	"github.com/efoc/efoc/runtime/internal/moments"
	"github.com/efoc/efoc/runtime/internal/pool"
	"github.com/efoc/efoc/runtime/model"
)

// Readouts holds what the queries of a model share to find the k best answers without a sweep
// over the entity table. It is safe for concurrent use.
type Readouts struct {
	model   *model.Model
	once    sync.Once   // computes the moments
	started atomic.Bool // to do so, with nobody waiting
	moments atomic.Pointer[moments.Moments]
	decided atomic.Int64
	passed  atomic.Int64
}

// Counts returns how many answers were decided by bounds, and how many took a sweep of the entity table.
func (r *Readouts) Counts() (decided, passed int64) { return r.decided.Load(), r.passed.Load() }

// sweepsBefore returns the number of sweeps after which the moments are computed. Computing
// them takes about as long as that number of sweeps, over rows of the given width.
func sweepsBefore(width int) int64 { return int64(8 + width/8) }

// get returns the moments of the table, nil while they are computed: in the background, once as many sweeps have been
// made as that costs.
func (r *Readouts) get() *moments.Moments {
	m := r.moments.Load()
	if m == nil && r.passed.Load() >= sweepsBefore(r.model.Predictor.EntityTable.Width()) && r.started.CompareAndSwap(false, true) {
		go r.Prepare()
	}
	return m
}

// Prepare computes the moments now, with coordinates if these pay.
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
