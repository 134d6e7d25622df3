package calibrate

import (
	"context"
	"sync"

	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/kernels"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/runtime/scq"
)

// readout answers a query by message passing under several λ at the cost of one:
// p = λ·s + (1−λ)·c, where neither the fuzzy state s nor the softmaxed cosines c depend on λ.
type readout struct {
	query *runtime.Query
	room  *sync.Pool // of [2]plan.Vector
}

func newReadout(p *compiler.Prepared) (*readout, error) {
	q, err := p.Readout()
	if err != nil {
		return nil, err
	}
	return &readout{q, vectorPairs(q.Model())}, nil
}

// vectorPairs returns a pool of pairs of vectors of all entities.
func vectorPairs(m *runtime.Model) *sync.Pool {
	n := m.NumEntities()
	return &sync.Pool{New: func() any { return &[2]plan.Vector{make(plan.Vector, n), make(plan.Vector, n)} }}
}

// scores asks a batch and calls use, possibly concurrently, with the scores of each query i
// under each λ number k. They rank as the probabilities of the query with this λ do; those of a
// union do not sum to 1. They are valid until use returns. The λ of s is ignored.
func (r *readout) scores(ctx context.Context, batch []scq.Bindings, s model.Settings, lambdas []float64, use useFunc) error {
	return r.query.ScoresBatch(ctx, batch, &s, func(i int, _ plan.Vector, sets []plan.Vector) error {
		room := r.room.Get().(*[2]plan.Vector)
		defer r.room.Put(room)
		for k, lambda := range lambdas {
			mix(room[0], room[1], sets, lambda)
			if err := use(i, k, room[0]); err != nil {
				return err
			}
		}
		return nil
	})
}

// mix computes the answer from what the disjuncts report, s and c in turn: that of
// one as it is, of several the maximum once each is scaled to its own best.
func mix(dst, scratch plan.Vector, sets []plan.Vector, lambda float64) {
	kernels.Mix(dst, sets[0], sets[1], lambda)
	if len(sets) == 2 {
		return
	}
	kernels.ScaleMax(dst, dst)
	for i := 2; i < len(sets); i += 2 {
		kernels.Mix(scratch, sets[i], sets[i+1], lambda)
		kernels.ScaleMax(scratch, scratch)
		kernels.Max(dst, dst, scratch)
	}
}
