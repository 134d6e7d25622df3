package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime/debug"
	"time"

	"github.com/efoc/efoc/cmd/internal/calibrate"
	"github.com/efoc/efoc/runtime/memory"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/importer"
	"github.com/efoc/efoc/runtime/model/train"
)

// trainTests are the facts that a training is measured with, nil where there are none, and
// the graph that it learns.
type trainTests struct {
	valid, test *train.Test
	graph       *model.Graph
}

// smallGraphFacts is the number of facts below which a graph is small: it is trained for
// more epochs, at a constant rate, which is better there.
const smallGraphFacts = 20_000

const (
	// fullSoftmax is the number of entities up to which a step has all of them in its
	// softmax.
	fullSoftmax = 40_000
	// negativesLarge is the number that it draws of more, negativesShort what it makes do
	// with where time is short, and negativesMin where there are hugeGraphEntities besides.
	negativesLarge    = 12_000
	negativesShort    = 4_000
	negativesMin      = 1_000
	hugeGraphEntities = 500_000
	// relationsRank is the rank from which on relations are predicted too, with relationsWeight, where all
	// entities are in the softmax.
	relationsRank, relationsWeight = 512, 4
)

// trainDefaults returns settings for a graph of that size. They were found by trying
// on FB15k-237 (hundreds of thousands of facts, all entities in the softmax),
// NELL995 (tens of thousands of entities, a sample of them) and the built-in
// world (thousands of facts).
func trainDefaults(entities, facts int) (train.Options, train.Schedule) {
	o := train.DefaultOptions()
	s := train.Schedule{Epochs: 22, Every: 1, Patience: 10}
	if facts < smallGraphFacts {
		o.Rank, o.Batch, o.Relations, s.Epochs = 64, 256, 1, 120
	}
	if entities > fullSoftmax {
		o.Negatives = negativesLarge
	}
	return o, s
}

// optionsFor returns the settings for a graph of that size, with the flags.
func (c *trainCmd) optionsFor(entities, facts int) (train.Options, train.Schedule) {
	o, s := trainDefaults(entities, facts)
	c.given(&o, &s)
	if c.trainer.relations == nil && o.Rank >= relationsRank && facts >= smallGraphFacts && entities <= fullSoftmax {
		o.Relations = relationsWeight
	}
	return o, s
}

// given puts the flags in the place of o and s.
func (c *trainCmd) given(o *train.Options, s *train.Schedule) {
	override(&o.Rank, c.Rank)
	override(&o.Seed, c.Seed)
	override(&s.Epochs, c.Epochs)
	c.trainer.override(o, s)
}

// validFacts is the number of facts of a validation.
func (c *trainCmd) validFacts() int {
	facts := 5000
	override(&facts, c.trainer.validFacts)
	return facts
}

// begin makes a new training or takes up the one in the checkpoint.
func (c *trainCmd) begin(a *app, d *importer.Dataset) (*train.Run, trainTests, error) {
	var tests trainTests
	g, err := d.Graph(d.Train)
	if err != nil {
		return nil, tests, err
	}
	tests.graph = g
	known, err := d.Graph(d.Train, d.Valid, d.Test)
	if err != nil {
		return nil, tests, err
	}
	var sample *train.Test
	if len(d.Valid) > 0 {
		tests.valid = train.NewTest(d.Valid, known)
		sample = tests.valid.Sample(c.validFacts(), 1)
	}
	if len(d.Test) > 0 {
		tests.test = train.NewTest(d.Test, known)
	}
	path := c.path(".ckpt")
	if c.Resume {
		before := memoryNow()
		run, err := c.resume(path, g, sample)
		if err == nil {
			c.expect(a, tests, trainPlan{options: run.Trainer.Options()}, before)
		}
		return run, tests, err
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) && !c.Restart {
		return nil, tests, usagef("%s is the checkpoint of a training that has not finished: continue with --resume, or start again with --restart", path)
	}
	o, s := c.optionsFor(g.NumEntities(), g.NumTriples())
	if err := errors.Join(o.Validate(), s.Validate()); err != nil {
		return nil, tests, usageError{err}
	}
	if err := c.measureCalibration(a, d, o); err != nil {
		return nil, tests, err
	}
	plan, err := c.plan(a, g, tests, o, s)
	if err != nil {
		return nil, tests, err
	}
	o, s = plan.options, plan.schedule
	if c.trainer.decay == nil && g.NumTriples() >= smallGraphFacts {
		o.Decay = s.Epochs / 5
	}
	if c.trainer.lateN3 == nil && o.Decay > 0 {
		o.LateN3 = 0.7 * o.N3 // a rate that falls fits less of the noise
	}
	plan.options = o
	plan.seconds += c.calibrating.Seconds(c.plannedShare())
	c.expect(a, tests, plan, memoryNow())
	run, err := train.NewRun(g, o, s, sample, c.Threads)
	if err == nil {
		run.End(s.Epochs)
	}
	return run, tests, err
}

// resume takes up a training. Flags must not contradict what it was begun with.
func (c *trainCmd) resume(path string, g *model.Graph, valid *train.Test) (*train.Run, error) {
	run, err := train.Resume(path, g, valid, c.Threads)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w; a training that has finished removes its checkpoint: leave out --resume to train again", err)
	}
	if err != nil {
		return nil, err
	}
	o, s := run.Trainer.Options(), run.Schedule
	c.given(&o, &s)
	if text := o.Differences(run.Trainer.Options()); text != "" {
		return nil, usagef("%s was begun with other settings: %s", path, text)
	}
	s.Steps = 0 // there is time now
	if err := s.Validate(); err != nil {
		return nil, usageError{err}
	}
	more := s.Epochs != run.Schedule.Epochs
	if run.Schedule = s; more {
		run.End(s.Epochs)
	}
	return run, nil
}

const (
	// leastRank is the lowest rank that train chooses for lack of memory, leastBudgetRank that for
	// lack of time.
	leastRank       = 16
	leastBudgetRank = 32
	// stepFLOPs is how many operations, as train.Options.Work counts them, an ordinary machine does
	// in a second.
	stepFLOPs = 1e11
)

// plan chooses what was not given: the rank by memory and, with a budget, also rank, negatives and
// epochs by the time that there is, off which that of reading and measuring is taken.
func (c *trainCmd) plan(a *app, g *model.Graph, tests trainTests, o train.Options, s train.Schedule) (trainPlan, error) {
	f := &trainFit{
		size: train.SizeOf(g, tests.ranks() > 0), finalRanks: tests.ranks(), memory: memory.Available(), threads: c.Threads,
		epochsGiven: c.Epochs != nil, everyGiven: c.trainer.every != nil,
	}
	if tests.valid != nil {
		f.validRanks = 2 * min(c.validFacts(), tests.valid.Facts())
	}
	negatives, least := []int{o.Negatives}, leastRank
	// A measurement takes a tenth of the expected time or, as there are several for a budget, a hundredth.
	takes := o.Work(f.size) * float64(o.Steps(f.size)*s.Epochs) / stepFLOPs / 10
	if c.Budget > 0 {
		f.left = func() float64 {
			return (c.Budget - time.Since(c.started)).Seconds() - c.calibrating.Seconds(c.plannedShare())
		}
		if c.trainer.negatives == nil {
			negatives = negativesFor(g.NumEntities(), o.Negatives)
		}
		least, takes = leastBudgetRank, c.Budget.Seconds()/100
	}
	ranks := []int{o.Rank}
	for rank := o.Rank / 2; c.Rank == nil && rank >= least; rank /= 2 {
		ranks = append(ranks, rank)
	}
	probe := &trainProbe{graph: g, threads: c.Threads, most: min(3*time.Second, time.Duration(takes*float64(time.Second)))}
	f.measure = func(o train.Options) (trainCost, error) {
		cost, err := probe.measure(a.ctx, o)
		if err == nil && c.Budget > 0 {
			a.notef("measured rank %d with %d entities a step: an epoch takes about %s", o.Rank, o.Candidates(g.NumEntities()), roundTime(f.epoch(o, cost)))
		}
		return cost, err
	}
	p, err := f.choose(candidates(o, ranks, negatives), s)
	if err == nil && c.Budget == 0 && p.options.Rank < o.Rank {
		a.notef("rank %d instead of %d, for which %s of memory are not enough", p.options.Rank, o.Rank, megabytes(f.memory))
	}
	return p, err
}

// ranks returns the number of ranks of all facts that are measured with.
func (t trainTests) ranks() (ranks int) {
	for _, test := range []*train.Test{t.valid, t.test} {
		if test != nil {
			ranks += 2 * test.Facts()
		}
	}
	return ranks
}

// memoryNow returns the bytes of memory that are in use.
func memoryNow() int64 {
	debug.FreeOSMemory() // reading leaves much behind
	now, _ := memory.OfSelf()
	return now
}

// expect says what a training takes, with what the process had before it made or read any
// of that, and warns if that is more than there is.
func (c *trainCmd) expect(a *app, tests trainTests, p trainPlan, before int64) {
	g := train.SizeOf(tests.graph, tests.ranks() > 0)
	need := before + p.options.Memory(g, c.Threads)
	if c.calibrating != (calibrate.Cost{}) { // of the written tables, codes included
		tables := int64(g.Entities) * int64(p.options.Rank) * 2 * 5
		need = max(need, before+tables+calibrate.Memory(g.Entities, c.plannedShare()))
	}
	now, most := memory.OfSelf()
	text := "takes about " + megabytes(max(most, need)) + " of memory"
	if p.seconds > 0 {
		text += " and " + roundTime(p.seconds)
		switch {
		case c.Budget == 0:
			text += " at most"
		case c.unmeasured:
			text += fmt.Sprintf(" with %s for calibration, which the budget is too short to measure", roundTime(c.calibrating.Fixed))
		}
	}
	a.notef("%s", text)
	if have := memory.Available(); have > 0 && need-now > have {
		a.warnf("the training takes %s more memory, and only %s are available: give a lower --rank", megabytes(need-now), megabytes(have))
	}
	if c.Budget > 0 && p.seconds > c.Budget.Seconds() {
		a.warnf("that is more than --budget %s", c.Budget)
	}
}
