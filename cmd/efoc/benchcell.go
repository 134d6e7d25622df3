package main

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/efoc/efoc/cmd/internal/trial"
	"github.com/efoc/efoc/compiler/cost"
	"github.com/efoc/efoc/runtime"
)

// benchCell is an engine with a batch size.
type benchCell struct {
	engine *benchEngine
	batch  int
	// batches hold the queries; the last is filled up with the first ones.
	batches [][]runtime.Bindings
	// stopped says of each batch that it took too long.
	stopped []bool
	// seconds a query, run by run.
	seconds []float64
	sizes   cost.Sizes
}

// cell cuts the queries of an engine into batches. The engine exact knows none.
func (b *bench) cell(e *benchEngine, batch int) *benchCell {
	if e.name == engineExact {
		batch = 1
	}
	c := &benchCell{engine: e, batch: batch}
	edges, relations := 0, 0
	for i := 0; i < len(e.bindings); i += batch {
		var part []runtime.Bindings
		for j := range batch {
			part = append(part, e.bindings[(i+j)%len(e.bindings)])
		}
		c.batches = append(c.batches, part)
	}
	c.stopped = make([]bool, len(c.batches))
	for _, x := range e.bindings {
		for _, r := range x.Relations {
			heads, _ := b.model.Graph.Edges(r)
			edges, relations = edges+len(heads), relations+1
		}
	}
	c.sizes = cost.SizesOf(b.model)
	c.sizes.Edges, c.sizes.Batch = max(1, edges/max(1, relations)), batch
	return c
}

// run answers all batches and returns the seconds a query. A batch that takes longer
// than limit a query counts as that, and is not asked again.
func (c *benchCell) run(ctx context.Context, limit time.Duration) (float64, error) {
	var total time.Duration
	for i, batch := range c.batches {
		most := limit * time.Duration(c.batch)
		if !c.stopped[i] {
			limited, cancel := context.WithTimeout(ctx, most)
			start := time.Now()
			err := c.answer(limited, batch)
			took := time.Since(start)
			c.stopped[i] = ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded)
			cancel()
			if err != nil && !c.stopped[i] {
				return 0, err
			}
			if !c.stopped[i] {
				total += took
				continue
			}
		}
		total += most
	}
	return total.Seconds() / float64(len(c.batches)*c.batch), nil
}

// answer answers one batch.
func (c *benchCell) answer(ctx context.Context, batch []runtime.Bindings) error {
	options := runtime.Options{NoStatus: true, Settings: &c.engine.settings}
	var err error
	if c.batch == 1 {
		_, err = c.engine.query.Answer(ctx, batch[0], options)
	} else {
		_, err = c.engine.query.AnswerBatch(ctx, batch, options)
	}
	return err
}

// result sums up a cell. What the cost model says is of messages alone.
func (c *benchCell) result(constants *cost.Constants) benchMeasured {
	x := benchMeasured{
		Semantics: c.engine.semantics, Engine: c.engine.name, Batch: c.batch,
		Seconds: trial.Summarize(c.seconds), Runs: slices.Clone(c.seconds),
	}
	for i, stopped := range c.stopped {
		if stopped {
			x.Stopped += min(c.batch, len(c.engine.bindings)-i*c.batch)
		}
	}
	if c.engine.plan == nil {
		return x
	}
	e, each := cost.Predict(c.engine.plan, c.sizes, constants), float64(c.batch)
	x.Predicted, x.TableBytes, x.FLOPs = e.Seconds/each, e.TableBytes/each, e.FLOPs/each
	x.Bandwidth = x.TableBytes / x.Seconds.Median
	x.OfRead = x.Bandwidth / constants.Read
	return x
}
