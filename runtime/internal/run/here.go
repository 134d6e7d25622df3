package run

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/efoc/efoc/runtime/internal/collective"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/plan"
)

// exchangeHere bounds the time that ranks of one process wait for one another.
const exchangeHere = time.Minute

// Join returns the shards of a split model, given its head and the shard of rank 0, which calls it.
func Join(head, shard *model.Model, t collective.Transport, plans plan.Plans) (*Shards, error) {
	if err := head.Manifest.Shard.Fits(shard.Manifest.Shard, shard.Manifest.Shard.String()); err != nil {
		return nil, err
	}
	if len(head.Manifest.Attributes) != len(shard.Manifest.Attributes) {
		return nil, fmt.Errorf("%s lacks the values of entities: split the model again", shard.Manifest.Shard)
	}
	own, err := NewShard(shard, t, plans)
	if err != nil {
		return nil, err
	}
	return newShards(own), nil
}

// Here splits a model into shards, which are views of it, and serves them in this process. If exchanges is not nil, it
// counts them. end stops the shards, once, and returns the first error of a rank.
func Here(m *model.Model, of int, plans plan.Plans, exchanges *atomic.Int64) (head *model.Model, s *Shards, end func() error, err error) {
	head, err = m.Head(of)
	if err != nil {
		return nil, nil, nil, err
	}
	var parts []*model.Model
	if err := m.Shards(of, func(s *model.Model) error { parts = append(parts, s); return nil }); err != nil {
		return nil, nil, nil, err
	}
	ranks := collective.Local(of, exchangeHere)
	if exchanges != nil {
		ranks[0] = collective.Counted(ranks[0], exchanges)
	}

	served := make(chan error, of)
	for i, p := range parts[1:] {
		go func() {
			other, err := NewShard(p, ranks[i+1], plans)
			if err == nil {
				err = other.Serve(context.Background())
			}
			served <- err
		}()
	}
	await := func(err error) error {
		for range parts[1:] {
			err = errors.Join(err, <-served)
		}
		return err
	}
	s, err = Join(head, parts[0], ranks[0], plans)
	if err != nil {
		ranks[0].Abort(errors.New("the shards are no longer asked"))
		return nil, nil, nil, await(err)
	}
	return head, s, func() error { return await(s.End()) }, nil
}
