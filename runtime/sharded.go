package runtime

import (
	"context"
	"errors"
	"time"

	"github.com/efoc/efoc/runtime/collective"
	"github.com/efoc/efoc/runtime/internal/run"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/plan"
)

// exchangeHere is how long ranks of one process wait for one another.
const exchangeHere = time.Minute

// ShardsError says that a shard is gone and the others cannot continue: restart them all.
type ShardsError = run.ShardsError

// ErrNeedsWhole refuses what only an unsplit model in one process can do.
var ErrNeedsWhole = run.ErrNeedsWhole

// Sharded returns the model that rank 0 asks, given its head and its own shard. All other ranks
// run ServeShard; Close ends it on them.
func Sharded(head, shard *model.Model, t collective.Transport, plans plan.Plans) (*Model, error) {
	if err := head.Manifest.Shard.Fits(shard.Manifest.Shard, shard.Manifest.Shard.String()); err != nil {
		return nil, err
	}
	own, err := run.NewShard(shard, t, plans)
	if err != nil {
		return nil, err
	}
	m := NewModel(head)
	m.shards = run.NewShards(own)
	return m, nil
}

// ServeShard serves the questions that rank 0 receives, until the model of rank 0 is closed.
func ServeShard(ctx context.Context, m *model.Model, t collective.Transport, plans plan.Plans) error {
	s, err := run.NewShard(m, t, plans)
	if err != nil {
		return err
	}
	return s.Serve(ctx)
}

// SplitHere splits a model into shards, which are views of it, and serves them in this process.
// traffic, if not nil, counts what they exchange. end stops that, once, and returns the first error
// of a rank. The model stays open; do not close split.
func SplitHere(m *model.Model, of int, plans plan.Plans, traffic *collective.Traffic) (split *Model, end func() error, err error) {
	head, err := m.Head(of)
	if err != nil {
		return nil, nil, err
	}
	var shards []*model.Model
	if err := m.Shards(of, func(s *model.Model) error { shards = append(shards, s); return nil }); err != nil {
		return nil, nil, err
	}
	ranks := collective.Local(of, exchangeHere)
	served := make(chan error, of)
	if traffic != nil {
		for i, t := range ranks {
			ranks[i] = collective.Counted(t, traffic)
		}
	}
	for i, s := range shards[1:] {
		go func() { served <- ServeShard(context.Background(), s, ranks[i+1], plans) }()
	}
	end = func() (err error) {
		if split != nil {
			err = split.shards.End()
		} else {
			ranks[0].Abort(errors.New("the shards are no longer asked"))
		}
		for range shards[1:] {
			err = errors.Join(err, <-served)
		}
		return err
	}
	split, err = Sharded(head, shards[0], ranks[0], plans)
	if err != nil {
		return nil, nil, errors.Join(err, end())
	}
	return split, end, nil
}
