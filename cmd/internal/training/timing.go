package training

import (
	"context"
	"runtime/debug"
	"time"

	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/train"
)

// Timing holds the times of the parts of a training, in seconds.
type Timing struct {
	Options train.Options
	// Step is the time of a step, and Rank the time of ranking the entities for a fact in one direction.
	Step, Rank float64
}

// Epoch returns the time of an epoch.
func (t Timing) Epoch(s train.Size) float64 { return float64(t.Options.Steps(s)) * t.Step }

// With estimates the timing for other options.
func (t Timing) With(o train.Options, s train.Size) Timing {
	wider := float64(o.Rank) / float64(t.Options.Rank)
	return Timing{
		Options: o,
		Step:    t.Step * o.Work(s) / t.Options.Work(s),
		Rank:    t.Rank * wider,
	}
}

const (
	// measuredSteps bounds the steps of a measurement; warmSteps precede them, which allocate memory.
	measuredSteps = 8
	warmSteps     = 2
	// fewestFacts is the number of facts to rank in a measurement, and the minimum for the final figures.
	fewestFacts = 64
)

// Stopwatch times trainings on a graph.
type Stopwatch struct {
	Graph *graph.Graph
	// Test has the facts to rank, at least one.
	Test    *train.Test
	Threads int
}

// Measure takes a few steps with options, for about the given seconds unless one step takes longer, and ranks a few
// facts.
func (w *Stopwatch) Measure(ctx context.Context, o train.Options, seconds float64) (Timing, error) {
	debug.FreeOSMemory() // of the previous measurement
	t := Timing{Options: o}
	trainer, err := train.New(w.Graph, o, w.Threads)
	if err != nil {
		return t, err
	}

	end := time.Now().Add(time.Duration(seconds * float64(time.Second)))
	for i := range warmSteps + measuredSteps {
		if err := ctx.Err(); err != nil {
			return t, err
		}
		start := time.Now()
		if _, err := trainer.Step(0); err != nil {
			return t, err
		}
		took := time.Since(start).Seconds()
		if i <= warmSteps || took < t.Step {
			t.Step = took
		}
		if time.Now().After(end) {
			break
		}
	}

	start := time.Now()
	m, err := trainer.Evaluate(ctx, w.Test.Sample(fewestFacts, 1), nil)
	if err != nil {
		return t, err
	}
	t.Rank = time.Since(start).Seconds() / float64(m.Ranks)
	return t, nil
}
