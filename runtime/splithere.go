package runtime

import (
	"context"
	"errors"
	"time"

	"github.com/efoc/efoc/runtime/collective"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/plan"
)

// exchangeHere is how long ranks of one process wait for one another.
const exchangeHere = time.Minute

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
	ranks, served := collective.Local(of, exchangeHere), make(chan error, of)
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
			err = split.shards.end()
		} else {
			ranks[0].Abort(errors.New("the shards are no longer asked"))
		}
		for range shards[1:] {
			err = errors.Join(err, <-served)
		}
		return err
	}
	if split, err = Sharded(head, shards[0], ranks[0], plans); err != nil {
		return nil, nil, errors.Join(err, end())
	}
	return split, end, nil
}
