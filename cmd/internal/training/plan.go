package training

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime/debug"
	"time"

	"github.com/efoc/efoc/cmd/internal/calibrate"
	"github.com/efoc/efoc/cmd/internal/tables"
	"github.com/efoc/efoc/runtime/memory"
	"github.com/efoc/efoc/runtime/model/train"
)

const (
	// writeShare is the share of a budget reserved for writing the model.
	writeShare = 0.03
	// calibrationShare is the largest share of a budget for calibration, and measureShare that for measuring its
	// time.
	calibrationShare = 0.2
	measureShare     = 0.04
	// stepsShare is the share of the training time for measuring one choice of options.
	stepsShare = 0.02
	// trainingShare is the least share of the remaining budget for training.
	trainingShare = 0.5
	// leastSeconds is the least time of a training.
	leastSeconds = 1e-6
	// mostEpochs bounds the epochs of a training in a given time, which ends once validation stops improving.
	mostEpochs = 1000
	// leastEpochs is the number of epochs below which a warning says that a model learns little.
	leastEpochs = 3
	// finalShare is the largest share of a budget for ranking facts at the end.
	finalShare = 0.1
)

// planned is the plan of a run.
type planned struct {
	options  train.Options
	schedule train.Schedule
	// seconds is the expected total time, and epochs the number of epochs of a member in its time; 0 if unknown.
	seconds, epochs float64
}

// left returns the remaining seconds of the budget, without the time planned for calibration and writing.
func (j *Job) left() float64 {
	all := j.remaining()
	if j.cost == (calibrate.Cost{}) {
		return all
	}
	return all - j.cost.Seconds(j.plannedShare())
}

// remaining returns the remaining seconds of the budget, without the time for writing.
func (j *Job) remaining() float64 {
	return (1-writeShare)*j.Budget.Seconds() - time.Since(j.Started).Seconds()
}

// forTraining returns the seconds for training, given the time for final figures and the like: the time left without
// these, or a share of the remaining budget if measurements took longer than planned.
func (j *Job) forTraining(finally float64) float64 {
	return max(j.left()-finally, trainingShare*j.remaining())
}

// plan chooses the settings that are not given: with a budget, rank, negatives and epochs by the time of steps,
// otherwise the rank by memory.
func (j *Job) plan(ctx context.Context, o train.Options, s train.Schedule) (planned, error) {
	size := train.SizeOf(j.tests.graph, j.tests.ranks() > 0)
	p := planned{options: o, schedule: s}
	if j.Budget == 0 {
		p.options.Rank = j.rankInMemory(o, size)
		return p, nil
	}

	best, err := j.choose(ctx, size, o)
	if err != nil {
		return p, err
	}
	if err := j.measureCalibration(ctx, best.Options); err != nil {
		return p, err
	}

	ranking := best.Rank * float64(o.Members)
	j.boundTests(ranking)
	finally := float64(j.tests.ranks()) * ranking
	seconds := j.forTraining(finally)
	best.Options.Members = membersFor(best, size, seconds)
	if best.Options.Members < o.Members {
		j.Out.Note("members %d instead of %d, so that each has enough epochs", best.Options.Members, o.Members)
	}
	p.options = best.Options
	j.epoch = best.Epoch(size)
	if j.Given.Epochs == nil && j.tests.valid != nil {
		p.schedule.Epochs = mostEpochs
	}
	p.seconds = finally + j.cost.Seconds(j.plannedShare()) + p.limit(seconds, j.epoch, float64(j.tests.validRanks())*best.Rank)
	return p, nil
}

// limit gives a training, whose epochs and validations take the seconds epoch and validation, at most the given
// seconds, and returns the seconds that it is expected to take. Validations take less than a fifth of them.
func (p *planned) limit(seconds, epoch, validation float64) float64 {
	s := &p.schedule
	s.Every = int(max(float64(s.Every), min(float64(s.Epochs), math.Ceil(4*validation/epoch))))
	epoch += validation / float64(s.Every)
	members := float64(p.options.Members)
	s.Seconds = max(leastSeconds, seconds-members*validation) // for the last validation
	p.epochs = s.Seconds / members / epoch
	return min(s.Seconds, members*float64(s.Epochs)*epoch)
}

// boundTests limits the facts for the final figures if ranking all takes too long, at rank seconds each, twice per
// fact.
func (j *Job) boundTests(rank float64) {
	share := finalShare * j.Budget.Seconds() / rank / float64(max(1, j.tests.ranks()))
	if share >= 1 {
		return
	}
	for _, test := range []**train.Test{&j.tests.valid, &j.tests.test} {
		if *test != nil {
			*test = (*test).Sample(max(fewestFacts, int(share*float64((*test).Facts()))), 1)
		}
	}
	j.Out.Note("rank %d facts for the final figures, which are as many as there is time for", j.tests.ranks()/2)
}

// rankInMemory returns the given rank, or the largest one up to the usual one that fits into memory; the least one if
// none does, as memory is an estimate.
func (j *Job) rankInMemory(o train.Options, size train.Size) int {
	usual := o.Rank
	have := memory.Available()
	for j.Given.Rank == nil && have > 0 && o.Rank > leastRank && o.Memory(size, j.Threads) > have {
		o.Rank /= 2
	}
	if o.Rank < usual {
		j.Out.Note("rank %d instead of %d, for which %s of memory are not enough", o.Rank, usual, megabytes(have))
	}
	return o.Rank
}

// choose chooses rank and negatives for the time of training and calibration, and measures their times.
func (j *Job) choose(ctx context.Context, size train.Size, o train.Options) (Timing, error) {
	available := memory.Available()
	choices, err := newChoices(size, o, &j.Given, available, j.Threads)
	if errors.Is(err, errMemory) {
		err = usagef("%w, and %s are available: give a lower --rank", err, megabytes(available))
	}
	if err != nil {
		return Timing{}, err
	}

	watch := &Stopwatch{Graph: j.tests.graph, Test: j.tests.valid, Threads: j.Threads}
	if watch.Test == nil {
		watch.Test = train.NewTest(j.Data.Train[:min(len(j.Data.Train), fewestFacts)], j.tests.graph)
	}
	seconds := max(0, j.left()-calibrationShare*j.Budget.Seconds()) / float64(o.Members)
	best, err := choices.Choose(func(o train.Options) (Timing, error) {
		j.Out.Progress("measure steps", 0, 0)
		t, err := watch.Measure(ctx, o, stepsShare*seconds)
		if err == nil {
			j.Out.Note("rank %d with %d entities a step: an epoch takes about %s", o.Rank, o.Candidates(size.Entities), tables.Seconds(t.Epoch(size)))
		}
		return t, err
	}, seconds)
	j.lower = best.Options != choices.list[0]
	return best, err
}

// memoryNow returns the bytes of memory in use.
func memoryNow() int64 {
	debug.FreeOSMemory() // reading leaves much garbage
	now, _ := memory.OfSelf()
	return now
}

// expect reports the resources for a training, given the process's memory before it, and warns if they exceed those
// available.
func (j *Job) expect(p planned, before int64) {
	g := train.SizeOf(j.tests.graph, j.tests.ranks() > 0)
	need := before + p.options.Memory(g, j.Threads)
	if j.cost != (calibrate.Cost{}) { // of the written tables, including codes
		written := int64(g.Entities) * int64(p.options.Rank*p.options.Members) * 2 * 5
		need = max(need, before+written+calibrate.Memory(g.Entities, j.plannedShare()))
	}
	now, most := memory.OfSelf()
	text := "takes about " + megabytes(max(most, need)) + " of memory"
	if p.seconds > 0 {
		text += " and " + tables.Seconds(p.seconds)
	}
	if p.seconds > 0 && j.unmeasured {
		text += fmt.Sprintf(" with %s for calibration, which the budget is too short to measure", tables.Seconds(j.cost.Fixed))
	}
	j.Out.Note("%s", text)
	if have := memory.Available(); have > 0 && need-now > have {
		j.Out.Warn("the training takes %s more memory, and only %s are available: give a lower --rank", megabytes(need-now), megabytes(have))
	}
	if j.Budget > 0 && p.seconds > j.Budget.Seconds() {
		j.Out.Warn("that is more than --budget %s", j.Budget)
	}
	if j.Budget > 0 && p.epochs < min(leastEpochs, float64(p.schedule.Epochs)) {
		share := tables.Number(int(p.epochs), "epoch")
		if p.epochs < 1 {
			share = "a part of an epoch"
		}
		j.Out.Warn("there is time for %s, in which a model learns little: give --budget %s", share, moreBudget(j.Budget, j.epoch))
	}
}

func megabytes(bytes int64) string {
	if bytes < 10<<30 {
		return fmt.Sprintf("%d MB", (bytes+1<<20-1)>>20)
	}
	return fmt.Sprintf("%.1f GB", float64(bytes)/(1<<30))
}
