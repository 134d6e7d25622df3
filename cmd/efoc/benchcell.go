package main

import (
	"context"
	"slices"
	"time"

	"github.com/efoc/efoc/cmd/internal/trial"
	"github.com/efoc/efoc/compiler/cost"
	"github.com/efoc/efoc/runtime/query"
	"github.com/efoc/efoc/runtime/scq"
)

// benchCell is an engine with a batch size.
type benchCell struct {
	engine *benchEngine
	batch  int
	// batches hold the queries; the last is filled up with the first ones.
	batches [][]scq.Bindings
	// seconds a query, run by run.
	seconds []float64
	sizes   cost.Sizes
	// readouts counts the answers that bounds decided and those that took a pass.
	readouts        *query.Readouts
	decided, passed int64
}

// cell cuts the queries of an engine into batches.
func (b *bench) cell(e *benchEngine, batch int) *benchCell {
	c := &benchCell{engine: e, batch: batch, readouts: b.model.Readouts()}
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
	decided, passed := c.readouts.Counts()
	start := time.Now()
	for _, batch := range c.batches {
		if err := c.answer(ctx, batch); err != nil {
			return 0, err
		}
	}
	seconds := time.Since(start).Seconds()
	nowDecided, nowPassed := c.readouts.Counts()
	c.decided, c.passed = c.decided+nowDecided-decided, c.passed+nowPassed-passed
	return seconds / float64(len(c.batches)*c.batch), nil
}

// answer answers one batch.
func (c *benchCell) answer(ctx context.Context, batch []scq.Bindings) error {
	options := query.Options{NoStatus: true, Settings: &c.engine.settings}
	var err error
	if c.batch == 1 {
		_, err = c.engine.query.Answer(ctx, batch[0], options)
	} else {
		_, err = c.engine.query.AnswerBatch(ctx, batch, options)
	}
	return err
}

// result sums up a cell.
func (c *benchCell) result(constants *cost.Constants) benchMeasured {
	e, each := cost.Predict(c.engine.plan, c.sizes, constants), float64(c.batch)
	x := benchMeasured{
		Semantics: c.engine.semantics, Engine: c.engine.name, Batch: c.batch,
		Seconds: trial.Summarize(c.seconds), Runs: slices.Clone(c.seconds),
		Predicted: e.Seconds / each, TableBytes: e.TableBytes / each, FLOPs: e.FLOPs / each,
	}
	if all := c.decided + c.passed; all > 0 {
		share := float64(c.decided) / float64(all)
		x.Decided = &share
	}
	x.Bandwidth = x.TableBytes / x.Seconds.Median
	x.OfRead = x.Bandwidth / constants.Read
	return x
}
