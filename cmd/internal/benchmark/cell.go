package benchmark

import (
	"context"
	"time"

	"github.com/efoc/efoc/cmd/internal/trial"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/plan"
)

// Cell is an engine with a batch size.
type Cell struct {
	Semantics model.Semantics `json:"semantics"`
	Engine    string          `json:"engine"`
	Batch     int             `json:"batch"`
	// Settings are the settings of the answers.
	Settings model.Settings `json:"settings"`
	// Prepare is the time to prepare the shape, in seconds.
	Prepare trial.Summary `json:"prepare_seconds"`
	// Best finds the ids and scores of the best answers, Answer also their names, statuses and confidence.
	Best   Call `json:"best"`
	Answer Call `json:"answer"`
	// Kernels is the share of the processor time of Best that kernels take, 0 also if it was not measured.
	Kernels float64 `json:"kernels"`
	// Error is the reason of a failure, after which there are no more runs.
	Error string `json:"error,omitempty"`

	question *runtime.Question
	// batches hold the parameter values; the first ones pad the last batch.
	batches [][]runtime.Args
	found   []runtime.Scored // the memory of Best
}

// Call is a way to ask, with its times.
type Call struct {
	// Seconds summarises Runs: the time to answer a query.
	Seconds trial.Summary `json:"seconds"`
	Runs    []float64     `json:"runs"`
}

// Label names the engine and its semantics.
func (c *Cell) Label() string { return c.Semantics.String() + " " + c.Engine }

// inBatches returns the cell with its queries split into batches.
func (c Cell) inBatches(size int) *Cell {
	queries := c.batches[0]
	c.Batch = size
	c.batches = nil
	for i := 0; i < len(queries); i += size {
		var batch []runtime.Args
		for j := range size {
			batch = append(batch, queries[(i+j)%len(queries)])
		}
		c.batches = append(c.batches, batch)
	}
	return &c
}

// ask asks a batch of queries for ids and scores alone, or for whole answers.
func (c *Cell) ask(ctx context.Context, batch []runtime.Args, whole bool) (err error) {
	o := runtime.Options{NoStatus: !whole}
	switch {
	case c.Batch > 1:
		_, err = c.question.AskAll(ctx, batch, o)
	case whole || c.question.Spec().Kind != plan.Answers:
		_, err = c.question.Ask(ctx, batch[0], o)
	default:
		c.found, err = c.question.Best(ctx, batch[0], runtime.DefaultK, c.found)
	}
	return err
}

const (
	// window is the least time of a run, much longer than it takes to read the clock.
	window = time.Millisecond
	// patience is the time for all queries above which a call has one run.
	patience = time.Second / 2
)

// run measures Best or Answer once: it asks all queries until window is over.
func (c *Cell) run(ctx context.Context, whole bool, now clock) error {
	call := &c.Best
	if whole {
		call = &c.Answer
	}
	queries := float64(len(c.batches) * c.Batch)
	if call.Seconds.Min*queries > patience.Seconds() {
		return nil
	}
	start := now()
	var took time.Duration
	passes := 0
	for took < window {
		for range passes + 1 {
			if err := c.pass(ctx, whole); err != nil {
				return err
			}
		}
		passes += passes + 1
		took = now() - start
	}
	call.Runs = append(call.Runs, took.Seconds()/queries/float64(passes))
	call.Seconds = trial.Summarize(call.Runs)
	return nil
}

// pass asks all batches.
func (c *Cell) pass(ctx context.Context, whole bool) error {
	for _, batch := range c.batches {
		if err := c.ask(ctx, batch, whole); err != nil {
			return err
		}
	}
	return nil
}
