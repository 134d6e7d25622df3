package query

import (
	"sync"
	"sync/atomic"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/moments"
)

// ReadoutMethod says how the k best answers are found.
type ReadoutMethod int32

// The methods.
const (
	// ReadoutAuto is ReadoutBounds where that reads much less than the entity table, from
	// some answers on: the moments of the table, which it needs, take as long as a few
	// passes.
	ReadoutAuto ReadoutMethod = iota
	// ReadoutPass is a pass over the entity table, for the probabilities of all entities.
	ReadoutPass
	// ReadoutBounds makes that pass only where bounds do not decide.
	ReadoutBounds
)

// Readouts is what the queries of a model share to find the k best answers without a pass
// over the entity table. It is safe for concurrent use.
type Readouts struct {
	model    *model.Model
	method   atomic.Int32
	building sync.Mutex
	built    atomic.Bool
	moments  *moments.Moments // once built, nil if there are none
	decided  atomic.Int64
	passed   atomic.Int64
}

// Use sets the method; at first it is ReadoutAuto.
func (r *Readouts) Use(m ReadoutMethod) { r.method.Store(int32(m)) }

// Counts returns how many answers with k entities were decided by bounds, and how many
// took a pass over the entity table.
func (r *Readouts) Counts() (decided, passed int64) { return r.decided.Load(), r.passed.Load() }

// passesBefore is the number of passes after which ReadoutAuto computes the moments.
const passesBefore = 16

// get returns the moments of the table if readouts are to be decided by bounds, nil
// otherwise. It computes them when they are wanted first; queries that come meanwhile do
// without.
func (r *Readouts) get() *moments.Moments {
	switch ReadoutMethod(r.method.Load()) {
	case ReadoutPass:
		return nil
	case ReadoutAuto:
		table := &r.model.Predictor.EntityTable
		if !moments.Pay(table.Rows(), table.Width(), table.Bytes()) || r.passed.Load() < passesBefore {
			return nil
		}
	}
	if !r.built.Load() {
		if !r.building.TryLock() {
			return nil
		}
		defer r.building.Unlock()
		if !r.built.Load() {
			r.moments = moments.New(&r.model.Predictor, r.model.Pool())
			r.built.Store(true)
		}
	}
	return r.moments
}
