package main

import (
	"context"
	"time"

	"github.com/efoc/efoc/cmd/internal/trial"
	"github.com/efoc/efoc/compiler/cost"
	"github.com/efoc/efoc/runtime/query"
	"github.com/efoc/efoc/runtime/scq"
)

// benchCell is an engine with a batch size.
type benchCell struct {
	benchMeasured
	engine *benchEngine
	// batches hold the queries; the last is filled up with the first ones.
	batches [][]scq.Bindings
	sizes   cost.Sizes
}

// cell cuts the queries of an engine into batches.
func (b *bench) cell(e *benchEngine, batch int) *benchCell {
	c := &benchCell{engine: e, benchMeasured: benchMeasured{benchKind: e.benchKind, Batch: batch}}
	edges, relations := 0, 0
	for i := 0; i < len(e.bindings); i += batch {
		var part []scq.Bindings
		for j := range batch {
			part = append(part, e.bindings[(i+j)%len(e.bindings)])
		}
		c.batches = append(c.batches, part)
	}
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

// run answers all batches and returns the seconds a query.
func (c *benchCell) run(ctx context.Context) (float64, error) {
	options := query.Options{NoStatus: true, Settings: &c.engine.settings}
	start := time.Now()
	for _, batch := range c.batches {
		var err error
		if c.Batch == 1 {
			_, err = c.engine.prepared.Query.Answer(ctx, batch[0], options)
		} else {
			_, err = c.engine.prepared.Query.AnswerBatch(ctx, batch, options)
		}
		if err != nil {
			return 0, err
		}
	}
	return time.Since(start).Seconds() / float64(len(c.batches)*c.Batch), nil
}

// result sums up the runs.
func (c *benchCell) result(constants *cost.Constants) benchMeasured {
	e, each := cost.Predict(c.engine.plan, c.sizes, constants), float64(c.Batch)
	x := c.benchMeasured
	x.Seconds = trial.Summarize(x.Runs)
	x.Predicted, x.TableBytes, x.FLOPs = e.Seconds/each, e.TableBytes/each, e.FLOPs/each
	x.Bandwidth = x.TableBytes / x.Seconds.Median
	x.OfRead = x.Bandwidth / constants.Read
	return x
}
