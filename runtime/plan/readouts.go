package plan

import (
	"sync"
	"sync/atomic"

	"github.com/efoc/efoc/runtime/internal/moments"
	"github.com/efoc/efoc/runtime/internal/pool"
	"github.com/efoc/efoc/runtime/model"
)

// ReadoutMethod selects how the k best answers are found.
type ReadoutMethod int32

// The methods.
const (
	// ReadoutAuto is ReadoutBounds if that reads much less than the entity table. It starts
	// once as many sweeps have been made as computing the moments of the table costs. The
	// moments are computed in the background.
	ReadoutAuto ReadoutMethod = iota
	// ReadoutSweep is a sweep of the entity table, for the probabilities of all entities.
	ReadoutSweep
	// ReadoutBounds makes that sweep only if bounds do not decide; the first query waits for the
	// moments.
	ReadoutBounds
)

// Readouts holds what the queries of a model share to find the k best answers without a sweep
// over the entity table. It is safe for concurrent use.
type Readouts struct {
	model   *model.Model
	method  atomic.Int32
	once    sync.Once   // computes the moments
	started atomic.Bool // to do so, with nobody waiting
	moments atomic.Pointer[moments.Moments]
	decided atomic.Int64
	passed  atomic.Int64
}

// Use sets the method; the initial one is ReadoutAuto.
func (r *Readouts) Use(m ReadoutMethod) { r.method.Store(int32(m)) }

// Prepare computes now what ReadoutAuto would compute later, if it would at all.
func (r *Readouts) Prepare() {
	if r.pay() {
		r.once.Do(r.build)
	}
}

// BoundsPay reports whether bounds read much less than the entity table.
func BoundsPay(t *model.Table) bool { return moments.Pay(t.Width(), t.Bytes()) }

// pay is BoundsPay for the model's table.
func (r *Readouts) pay() bool { return BoundsPay(&r.model.Predictor.EntityTable) }

// Counts returns how many answers were decided by bounds, and how many took a sweep of the entity table.
func (r *Readouts) Counts() (decided, passed int64) { return r.decided.Load(), r.passed.Load() }

// sweepsBefore returns the number of sweeps after which ReadoutAuto computes the moments. Computing
// them takes about as long as that number of sweeps, over rows of the given width.
func sweepsBefore(width int) int64 { return int64(8 + width/8) }

// get returns the moments of the table if readouts are to be decided by bounds, nil
// otherwise and while they are computed.
func (r *Readouts) get() *moments.Moments {
	switch m := r.moments.Load(); ReadoutMethod(r.method.Load()) {
	case ReadoutSweep:
		return nil
	case ReadoutBounds:
		r.once.Do(r.build)
	default:
		if m == nil && r.passed.Load() >= sweepsBefore(r.model.Predictor.EntityTable.Width()) &&
			r.pay() && r.started.CompareAndSwap(false, true) {
			go r.once.Do(r.build)
		}
	}
	return r.moments.Load()
}

// build computes the moments, unless the model has been closed.
func (r *Readouts) build() {
	if r.model.Hold() != nil {
		return
	}
	defer r.model.Release()
	_ = pool.Caught(func() error { // then there are none
		t := &r.model.Predictor.EntityTable
		coordinates := r.method.Load() == int32(ReadoutBounds) || moments.CoordinatesPay(t.Rows(), t.Width(), t.Bytes())
		r.moments.Store(moments.New(&r.model.Predictor, coordinates, r.model.Pool()))
		return nil
	})
}
