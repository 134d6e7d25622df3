package training

import (
	"context"
	"fmt"
	"math"
	"runtime/debug"
	"time"

	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/train"
)

const (
	// testFacts is the largest number of facts to compare trials by, fewestFacts the smallest, even if that
	// takes long.
	testFacts   = 1000
	fewestFacts = 64
	// mostEpochs is the number of epochs of a trial at most.
	mostEpochs = 3
	// stretch is how many times its time a trial may take to complete an epoch.
	stretch = 3
)

// Bench takes trials on a graph.
type Bench struct {
	Graph *graph.Graph
	// Test has the facts that trials are compared by.
	Test    *train.Test
	Threads int
	// Progress, if not nil, receives the steps done and the total of a trial.
	Progress func(done, total int)
}

// Try trains for about the given seconds: for an epoch at least, unless that takes several times as long,
// and for a few at most. Validations come on top. A trial whose steps slow down still ends after several times the
// given seconds.
func (b *Bench) Try(ctx context.Context, o train.Options, seconds float64) (Trial, error) {
	debug.FreeOSMemory() // of the trial before
	start := time.Now()
	t := Trial{Options: o}
	trainer, err := train.New(b.Graph, o, b.Threads)
	if err != nil {
		return t, err
	}
	t.Begin = time.Since(start).Seconds()

	// The first steps allocate memory; a later one shows how many there is time for.
	const first = 2
	done, err := b.steps(ctx, trainer, &t, 0, first, math.Inf(1))
	if err != nil {
		return t, err
	}
	_, epoch := trainer.Steps()
	if err := b.validate(ctx, trainer, &t, b.Test.Sample(fewestFacts, 1), first); err != nil {
		return t, err
	}
	t.Curve = nil
	facts := max(fewestFacts, min(testFacts, int(seconds/8/t.Rank/2)))
	test := b.Test.Sample(facts, 1)
	total := max(int(seconds/t.Step), min(epoch, int(stretch*seconds/t.Step)))
	total = max(first+1, min(total, mostEpochs*epoch))

	for _, part := range []int{8, 4, 2, 1} {
		until := total / part
		if until <= done {
			continue
		}
		done, err = b.steps(ctx, trainer, &t, done, until, stretch*seconds)
		if err != nil {
			return t, err
		}
		if err := b.validate(ctx, trainer, &t, test, done); err != nil {
			return t, err
		}
		if done < until {
			break
		}
	}
	t.Took = time.Since(start).Seconds()
	return t, nil
}

// steps takes the steps from number from up to number to, and stops once they have taken most seconds. It returns
// the number of steps done.
func (b *Bench) steps(ctx context.Context, trainer *train.Trainer, t *Trial, from, to int, most float64) (done int, err error) {
	for i := from; i < to; i++ {
		if err := ctx.Err(); err != nil {
			return i, err
		}
		start := time.Now()
		if _, err := trainer.Step(); err != nil {
			return i, fmt.Errorf("a trial of rank %d: %w", t.Options.Rank, err)
		}
		took := time.Since(start).Seconds()
		if i < 2 {
			t.Step = took
		} else {
			t.Step += (took - t.Step) / float64(i)
		}
		if b.Progress != nil {
			b.Progress(i+1, to)
		}
		if float64(i+1)*t.Step > most {
			return i + 1, nil
		}
	}
	return to, nil
}

// validate adds to the curve.
func (b *Bench) validate(ctx context.Context, trainer *train.Trainer, t *Trial, test *train.Test, steps int) error {
	start := time.Now()
	m, err := trainer.Evaluate(ctx, test, nil)
	if err != nil {
		return err
	}
	t.Curve = append(t.Curve, TrialPoint{steps, m.MRR})
	t.Rank = time.Since(start).Seconds() / float64(m.Ranks)
	return nil
}
