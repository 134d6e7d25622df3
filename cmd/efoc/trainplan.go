package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime/debug"
	"time"

	"github.com/efoc/efoc/cmd/internal/calibrate"
	"github.com/efoc/efoc/cmd/internal/training"
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

// optionsFor returns the settings for a graph of that size, with the flags.
func (c *trainCmd) optionsFor(entities, facts int) (train.Options, train.Schedule) {
	o, s := training.Defaults(entities, facts)
	c.given(&o, &s)
	if c.trainer.relations == nil {
		o.Relations = training.RelationsWeight(o.Relations, o.Rank, entities, facts)
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
	plan, err := c.plan(a, d, tests, o, s)
	if err != nil {
		return nil, tests, err
	}
	c.expect(a, tests, plan, memoryNow())
	run, err := train.NewRun(g, plan.options, plan.schedule, sample, c.Threads)
	if err == nil {
		run.End(plan.schedule.Epochs, plan.options.Decay)
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
		run.End(s.Epochs, o.Decay)
	}
	return run, nil
}

const (
	// writeShare is the part of a budget that is left for writing the model.
	writeShare = 0.03
	// calibrationShare is the largest part of a budget that calibration gets, and measureShare the part that
	// measuring its time may take.
	calibrationShare = 0.2
	measureShare     = 0.04
)

// trainPlan is the plan of a training.
type trainPlan struct {
	options  train.Options
	schedule train.Schedule
	// seconds is how long it is expected to take, 0 where that is not known.
	seconds float64
}

// left returns the rest of the budget, in seconds, beyond the time planned for calibration and for
// writing.
func (c *trainCmd) left() float64 {
	all := (1-writeShare)*c.Budget.Seconds() - time.Since(c.started).Seconds()
	if c.calibrating == (calibrate.Cost{}) {
		return all
	}
	return all - c.calibrating.Seconds(c.plannedShare())
}

// plan chooses what was not given: with a budget rank, negatives, the weight of relations and
// epochs by trials, otherwise the rank by memory.
func (c *trainCmd) plan(a *app, d *importer.Dataset, tests trainTests, o train.Options, s train.Schedule) (trainPlan, error) {
	size := train.SizeOf(tests.graph, tests.ranks() > 0)
	p := trainPlan{options: o, schedule: s}
	if c.Budget == 0 {
		p.options.Rank = c.rankInMemory(a, o, size)
		c.fall(&p.options, s.Epochs, size.Facts)
		return p, nil
	}
	course := &training.Course{Size: size, EpochsGiven: c.Epochs != nil, EveryGiven: c.trainer.every != nil}
	if tests.valid != nil {
		course.ValidRanks = 2 * min(c.validFacts(), tests.valid.Facts())
	}
	if tests.valid == nil && !course.EpochsGiven {
		course.Most = s.Epochs // nothing says when more are of no use
	}
	best, err := c.search(a, d, tests, size, o)
	if err != nil {
		return p, err
	}
	if err := c.measureCalibration(a, d, best.Options); err != nil {
		return p, err
	}
	finally := best.Begin + float64(tests.ranks())*best.Rank
	p.schedule = course.Plan(best, s, c.left()-finally)
	p.options = best.Options
	c.fall(&p.options, p.schedule.Epochs, size.Facts)
	p.seconds = finally + course.Seconds(best, p.schedule) + c.calibrating.Seconds(c.plannedShare())
	if !course.EpochsGiven && tests.valid != nil {
		c.pace = training.Pace{Falls: c.trainer.decay == nil && size.Facts >= training.SmallGraph, Left: func() float64 {
			return c.left() - float64(tests.ranks())*best.Rank
		}}
	}
	return p, nil
}

// fall sets how the rate falls at the end, unless that was given.
func (c *trainCmd) fall(o *train.Options, epochs, facts int) {
	if c.trainer.decay == nil {
		o.Decay = training.Decay(epochs, facts)
	}
	if c.trainer.lateN3 == nil && (o.Decay > 0 || facts >= training.SmallGraph) {
		o.LateN3 = 0.7 * o.N3 // a rate that falls fits less of the noise
	}
}

// rankInMemory returns the rank that was given, or the largest one up to the usual one for which memory
// is enough; the least one if none is, as memory is an estimate.
func (c *trainCmd) rankInMemory(a *app, o train.Options, size train.Size) int {
	usual := o.Rank
	have := memory.Available()
	for c.Rank == nil && have > 0 && o.Rank > training.LeastRank && o.Memory(size, c.Threads) > have {
		o.Rank /= 2
	}
	if o.Rank < usual {
		a.notef("rank %d instead of %d, for which %s of memory are not enough", o.Rank, usual, megabytes(have))
	}
	return o.Rank
}

// search chooses options by trials, whose time is a part of what training and calibration have.
func (c *trainCmd) search(a *app, d *importer.Dataset, tests trainTests, size train.Size, o train.Options) (training.Trial, error) {
	choices := training.ChoicesFor(size.Entities, o)
	if c.trainer.negatives != nil || size.Facts < leastFacts {
		choices.Negatives = nil
	}
	if c.Rank != nil || size.Facts < leastFacts {
		choices.Ranks = nil
	}
	if c.trainer.relations != nil || size.Facts < leastFacts {
		choices.Relations = nil
	}
	bench := &training.Bench{Graph: tests.graph, Test: tests.valid, Threads: c.Threads, Progress: a.bar.counter("try")}
	if bench.Test == nil { // in so short a time a training learns no fact by heart
		facts := d.Train[:min(len(d.Train), trialFacts)]
		bench.Test = train.NewTest(facts, tests.graph)
	}
	seconds := c.left() - calibrationShare*c.Budget.Seconds()
	search := &training.Search{
		Size: size, Memory: memory.Available(), Threads: c.Threads, Seconds: max(0, seconds),
		Try: func(o train.Options, seconds float64) (training.Trial, error) { return bench.Try(a.ctx, o, seconds) },
		Tried: func(t training.Trial) {
			a.notef("tried rank %d with %d entities a step, relations %v: MRR %.3f after %d steps; an epoch takes about %s", t.Options.Rank,
				t.Options.Candidates(size.Entities), t.Options.Relations, t.Last().MRR, t.Last().Steps, roundTime(t.Epoch(size)))
		},
	}
	best, err := search.Choose(o, choices)
	if errors.Is(err, training.ErrMemory) {
		err = usagef("%w, and %s are available: give a lower --rank", err, megabytes(search.Memory))
	}
	return best, err
}

// trialFacts is the number of facts that trials are compared by without validation facts.
const trialFacts = 1000

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

func megabytes(bytes int64) string {
	if bytes < 10<<30 {
		return fmt.Sprintf("%d MB", (bytes+1<<20-1)>>20)
	}
	return fmt.Sprintf("%.1f GB", float64(bytes)/(1<<30))
}
