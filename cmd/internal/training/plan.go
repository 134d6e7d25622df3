package training

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/efoc/efoc/cmd/internal/calibrate"
	"github.com/efoc/efoc/cmd/internal/tables"
	"github.com/efoc/efoc/runtime/memory"
	"github.com/efoc/efoc/runtime/model/train"
)

const (
	// writeShare is the part of a budget that is left for writing the model.
	writeShare = 0.03
	// calibrationShare is the largest part of a budget that calibration gets, and measureShare the part that
	// measuring its time may take.
	calibrationShare = 0.2
	measureShare     = 0.04
	// stepsShare is the part of the time of a training in which one choice of options is measured.
	stepsShare = 0.02
	// trainingShare is the part of what remains of a budget then that training gets at least.
	trainingShare = 0.5
	// leastEpochs is the number of epochs below which a warning says that a model learns little.
	leastEpochs = 3
	// finalShare is the largest part of a budget that ranking facts at the end takes.
	finalShare = 0.1
)

// planned is the plan of a run.
type planned struct {
	options  train.Options
	schedule train.Schedule
	// seconds is how long everything is expected to take, 0 where that is not known.
	seconds float64
}

// left returns the rest of the budget, in seconds, beyond the time planned for calibration and for
// writing.
func (j *Job) left() float64 {
	all := j.remaining()
	if j.cost == (calibrate.Cost{}) {
		return all
	}
	return all - j.cost.Seconds(j.plannedShare())
}

// remaining returns the rest of the budget, in seconds, beyond the time for writing.
func (j *Job) remaining() float64 {
	return (1-writeShare)*j.Budget.Seconds() - time.Since(j.Started).Seconds()
}

// forTraining returns the seconds that training gets, given how long final figures and the like take: the time
// left beyond them, or a part of the rest of the budget if measurements took longer than planned.
func (j *Job) forTraining(finally float64) float64 {
	return max(j.left()-finally, trainingShare*j.remaining())
}

// plan chooses what was not given: with a budget rank, negatives and epochs by the time that steps take, otherwise
// the rank by memory.
func (j *Job) plan(ctx context.Context, o train.Options, s train.Schedule) (planned, error) {
	size := train.SizeOf(j.tests.graph, j.tests.ranks() > 0)
	p := planned{options: o, schedule: s}
	if j.Budget == 0 {
		p.options.Rank = j.rankInMemory(o, size)
		j.fall(&p.options, s.Epochs, size.Facts)
		return p, nil
	}

	course := &Course{Size: size, EpochsGiven: j.Given.Epochs != nil, EveryGiven: j.Given.Every != nil}
	valid := j.tests.valid
	if valid != nil {
		course.ValidRanks = 2 * min(j.Given.validFacts(), valid.Facts())
	}
	if valid == nil && !course.EpochsGiven {
		course.Most = s.Epochs // nothing says when more are of no use
	}
	best, err := j.choose(ctx, size, o)
	if err != nil {
		return p, err
	}
	if err := j.measureCalibration(ctx, best.Options); err != nil {
		return p, err
	}

	j.boundTests(best.Rank)
	finally := best.Begin + float64(j.tests.ranks())*best.Rank
	if j.From != nil {
		finally += best.Epoch(size) // in which Adagrad's sums are filled
	}
	seconds := j.forTraining(finally)
	end := time.Now().Add(time.Duration(seconds * float64(time.Second)))
	p.schedule = course.Plan(best, s, seconds)
	p.options = best.Options
	j.epoch = best.Epoch(size)
	j.fall(&p.options, p.schedule.Epochs, size.Facts)
	p.seconds = finally + course.Seconds(best, p.schedule) + j.cost.Seconds(j.plannedShare())
	if !course.EpochsGiven && valid != nil {
		j.pace = Pace{Falls: j.Given.Decay == nil && size.Facts >= SmallGraph, Left: func() float64 {
			return max(j.left()-float64(j.tests.ranks())*best.Rank, time.Until(end).Seconds())
		}}
	}
	return p, nil
}

// boundTests lets the final figures be of fewer facts if all take too long to rank, each in the given
// seconds and twice.
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

// fall sets how the rate falls at the end, unless that was given.
func (j *Job) fall(o *train.Options, epochs, facts int) {
	if j.Given.Decay == nil {
		o.Decay = Decay(epochs, facts)
	}
	if j.Given.LateN3 == nil && (o.Decay > 0 || facts >= SmallGraph) {
		o.LateN3 = 0.7 * o.N3 // a rate that falls fits less of the noise
	}
}

// rankInMemory returns the rank that was given, or the largest one up to the usual one for which memory
// is enough; the least one if none is, as memory is an estimate.
func (j *Job) rankInMemory(o train.Options, size train.Size) int {
	usual := o.Rank
	have := memory.Available()
	for j.Given.Rank == nil && have > 0 && o.Rank > LeastRank && o.Memory(size, j.Threads) > have {
		o.Rank /= 2
	}
	if o.Rank < usual {
		j.Out.Note("rank %d instead of %d, for which %s of memory are not enough", o.Rank, usual, megabytes(have))
	}
	return o.Rank
}

// choose chooses rank and negatives for the time that training and calibration have, and measures how long they take.
func (j *Job) choose(ctx context.Context, size train.Size, o train.Options) (Timing, error) {
	available := memory.Available()
	choices, err := NewChoices(size, o, &j.Given, available, j.Threads)
	if errors.Is(err, ErrMemory) {
		err = usagef("%w, and %s are available: give a lower --rank", err, megabytes(available))
	}
	if err != nil {
		return Timing{}, err
	}

	watch := &Stopwatch{Graph: j.tests.graph, Test: j.tests.valid, Threads: j.Threads}
	if watch.Test == nil {
		watch.Test = train.NewTest(j.Data.Train[:min(len(j.Data.Train), fewestFacts)], j.tests.graph)
	}
	seconds := max(0, j.left()-calibrationShare*j.Budget.Seconds())
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

// memoryNow returns the bytes of memory that are in use.
func memoryNow() int64 {
	debug.FreeOSMemory() // reading leaves much behind
	now, _ := memory.OfSelf()
	return now
}

// expect says what a training takes, with what the process had before it made or read any of that, and
// warns if that is more than there is.
func (j *Job) expect(p planned, before int64) {
	g := train.SizeOf(j.tests.graph, j.tests.ranks() > 0)
	need := before + p.options.Memory(g, j.Threads)
	if j.cost != (calibrate.Cost{}) { // of the written tables, codes included
		written := int64(g.Entities) * int64(p.options.Rank) * 2 * 5
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
	if s := p.schedule; j.Budget > 0 && j.Given.Epochs == nil && s.Epochs < leastEpochs {
		share := fmt.Sprintf("%d epoch%s", s.Epochs, plural(s.Epochs))
		if s.Steps > 0 {
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
