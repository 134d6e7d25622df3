package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/importer"
	"github.com/efoc/efoc/runtime/train"
)

// trainTests are the facts that a training is measured with; nil where there
// are none.
type trainTests struct{ valid, test *train.Test }

// fewFacts is the number of facts below which a graph is small: it is trained for
// more epochs, at a constant rate, which is better there.
const fewFacts = 20_000

// trainDefaults returns settings for a graph of that size. They were found by trying
// on FB15k-237 (hundreds of thousands of facts, all entities in the softmax),
// NELL995 (tens of thousands of entities, a sample of them) and the built-in
// world (thousands of facts).
func trainDefaults(entities, facts int) (train.Options, train.Schedule) {
	o := train.DefaultOptions()
	s := train.Schedule{Epochs: 22, Every: 1, Patience: 10}
	if facts < fewFacts {
		o.Rank, o.Batch, o.Relations, s.Epochs = 64, 256, 1, 120
	}
	if entities > 40_000 {
		o.Negatives = 12_000
	}
	return o, s
}

// given puts the flags in the place of o and s.
func (c *trainCmd) given(o *train.Options, s *train.Schedule) {
	set(&o.Rank, c.Rank)
	set(&o.Batch, c.BatchSize)
	set(&o.Rate, c.Rate)
	set(&o.Decay, c.Decay)
	set(&o.N3, c.N3)
	set(&o.LateN3, c.LateN3)
	set(&o.Relations, c.RelationWeight)
	set(&o.Negatives, c.Negatives)
	set(&o.Seed, c.Seed)
	set(&s.Epochs, c.Epochs)
	set(&s.Every, c.Every)
	set(&s.Patience, c.Patience)
}

// set puts the value of a flag, if it was given, in the place of a default.
func set[T any](to *T, flag *T) {
	if flag != nil {
		*to = *flag
	}
}

// begin makes a new training or takes up the one in the checkpoint.
func (c *trainCmd) begin(a *app, d *importer.Dataset) (*train.Run, trainTests, error) {
	var tests trainTests
	g, err := d.Graph(d.Train)
	if err != nil {
		return nil, tests, err
	}
	known, err := d.Graph(d.Train, d.Valid, d.Test)
	if err != nil {
		return nil, tests, err
	}
	var sample *train.Test
	if len(d.Valid) > 0 {
		tests.valid = train.NewTest(d.Valid, known)
		sample = tests.valid.Sample(c.ValidFacts, 1)
	}
	if len(d.Test) > 0 {
		tests.test = train.NewTest(d.Test, known)
	}
	path := c.path(".ckpt")
	if c.Resume {
		run, err := c.resume(path, g, sample)
		return run, tests, err
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) && !c.Restart {
		return nil, tests, usagef("%s is the checkpoint of an earlier training: go on with --resume, or begin anew with --restart", path)
	}
	o, s := trainDefaults(g.NumEntities(), g.NumTriples())
	c.given(&o, &s)
	if err := errors.Join(o.Validate(), s.Validate()); err != nil {
		return nil, tests, usagef("--%w", err)
	}
	if c.Budget > 0 {
		if o, s, err = c.fit(a, g, o, s); err != nil {
			return nil, tests, err
		}
	}
	if c.Decay == nil && g.NumTriples() >= fewFacts {
		o.Decay = s.Epochs / 5
	}
	o.Hold = max(0, s.Epochs-o.Decay)
	if c.LateN3 == nil && o.Decay > 0 {
		o.LateN3 = 0.7 * o.N3 // a rate that falls fits less of the noise
	}
	run, err := train.NewRun(g, o, s, sample, c.Threads)
	return run, tests, err
}

// resume takes up a training. Flags must not contradict what it was begun with.
func (c *trainCmd) resume(path string, g *runtime.Graph, valid *train.Test) (*train.Run, error) {
	run, err := train.Resume(path, g, valid, c.Threads)
	if err != nil {
		return nil, err
	}
	o, s := run.Trainer.Options(), run.Schedule
	c.given(&o, &s)
	if text := o.Differences(run.Trainer.Options()); text != "" {
		return nil, usagef("%s was begun with other settings: %s", path, text)
	}
	if err := s.Validate(); err != nil {
		return nil, usagef("--%w", err)
	}
	run.Schedule = s
	return run, nil
}

// fit chooses rank, negatives and epochs by the time that steps take: the first
// of some settings, best first, whose time is enough for that many epochs.
func (c *trainCmd) fit(a *app, g *runtime.Graph, o train.Options, s train.Schedule) (train.Options, train.Schedule, error) {
	const enough = 15
	ranks, negatives := []int{256, 128, 64, 32}, []int{o.Negatives}
	if c.Rank != nil || o.Rank < ranks[0] {
		ranks = []int{o.Rank}
	}
	if n := g.NumEntities(); c.Negatives == nil && n > 4000 {
		negatives = []int{0, max(2000, n/5)}
	}
	best := 0
	chosen := o
	for _, rank := range ranks {
		for _, count := range negatives {
			try := o
			try.Rank, try.Negatives = rank, count
			seconds, err := epochSeconds(a, g, try, c.Threads)
			if err != nil {
				return o, s, err
			}
			// A tenth for validations and for writing.
			epochs := int(0.9 * c.Budget.Seconds() / seconds)
			if epochs > best {
				best, chosen = epochs, try
			}
			if epochs >= enough {
				return try, c.epochs(s, epochs), nil
			}
		}
	}
	if best == 0 {
		return o, s, usagef("--budget %s does not last for one epoch of this graph", c.Budget)
	}
	return chosen, c.epochs(s, best), nil
}

// epochs bounds the epochs of a schedule, unless they were given.
func (c *trainCmd) epochs(s train.Schedule, most int) train.Schedule {
	if c.Epochs == nil {
		s.Epochs = min(s.Epochs, most)
	}
	return s
}

// epochSeconds estimates the time of an epoch by that of some steps.
func epochSeconds(a *app, g *runtime.Graph, o train.Options, threads int) (float64, error) {
	t, err := train.New(g, o, threads)
	if err != nil {
		return 0, err
	}
	var start time.Time
	steps := 0
	for ; steps < 2 || time.Since(start) < 300*time.Millisecond; steps++ {
		if steps == 1 { // the first one takes memory
			start = time.Now()
		}
		if err := a.ctx.Err(); err != nil {
			return 0, err
		}
		if _, err := t.Step(); err != nil {
			return 0, fmt.Errorf("measuring a step: %w", err)
		}
	}
	all := 2 * g.NumTriples() / o.Batch
	return time.Since(start).Seconds() / float64(steps-1) * float64(max(1, all)), nil
}
