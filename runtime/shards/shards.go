// Package shards answers questions on a model that is split among ranks: processes that package mpi connects, or
// parts of one process.
package shards

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/internal/collective"
	"github.com/efoc/efoc/runtime/internal/run"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/plan"
)

// Transport carries messages between ranks.
type Transport = collective.Transport

// Error says that a shard has died and the others cannot continue: restart them all.
type Error = run.ShardsError

// Local returns connected transports for ranks in one process, which wait at most patience for one another.
func Local(ranks int, patience time.Duration) []Transport { return collective.Local(ranks, patience) }

// Join returns the model that rank 0 queries, given its head and its own shard. All other ranks run Serve; closing
// the model ends Serve there.
func Join(head, shard *model.Model, t Transport, plans plan.Plans) (*runtime.Model, error) {
	s, err := run.Join(head, shard, t, plans)
	if err != nil {
		return nil, err
	}
	return runtime.At(head, s), nil
}

// Serve answers the questions that rank 0 receives, until rank 0 closes its model.
func Serve(ctx context.Context, m *model.Model, t Transport, plans plan.Plans) error {
	s, err := run.NewShard(m, t, plans)
	if err != nil {
		return err
	}
	return s.Serve(ctx)
}

// Here splits a model into shards, which are views of it, and serves them in this process. If exchanges is not nil, it
// counts them. end stops the shards, once, and returns the first error of a rank. The model stays open;
// do not close split.
func Here(m *model.Model, of int, plans plan.Plans, exchanges *atomic.Int64) (split *runtime.Model, end func() error, err error) {
	head, s, end, err := run.Here(m, of, plans, exchanges)
	if err != nil {
		return nil, nil, err
	}
	return runtime.At(head, s), end, nil
}
