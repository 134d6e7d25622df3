package benchmark

import (
	"context"
	"time"

	"github.com/efoc/efoc/cmd/internal/trial"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
)

// Cell is an engine with a batch size.
type Cell struct {
	Semantics model.Semantics `json:"semantics"`
	Engine    string          `json:"engine"`
	Batch     int             `json:"batch"`
	// Settings are the settings of the answers.
	Settings model.Settings `json:"settings"`
	// TableSweeps counts the plan's sweeps for the best answers.
	TableSweeps int `json:"table_sweeps"`
	// Compile is the time to compile the shape, Bind the time to bind a query, in seconds.
	Compile trial.Summary `json:"compile_seconds"`
	Bind    trial.Summary `json:"bind_seconds"`
	// Seconds summarises Runs: the time to answer a query.
	Seconds trial.Summary `json:"seconds"`
	Runs    []float64     `json:"runs"`
	// Error is the reason of a failure, after which there are no more runs.
	Error string `json:"error,omitempty"`

	question *runtime.Question
	// batches hold the parameter values; the first ones pad the last batch.
	batches [][]runtime.Args
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

// run answers all batches and returns the seconds per query.
func (c *Cell) run(ctx context.Context) (float64, error) {
	options := runtime.Options{NoStatus: true, Settings: &c.Settings}
	start := time.Now()
	for _, batch := range c.batches {
		var err error
		if c.Batch == 1 {
			_, err = c.question.Ask(ctx, batch[0], options)
		} else {
			_, err = c.question.AskAll(ctx, batch, options)
		}
		if err != nil {
			return 0, err
		}
	}
	return time.Since(start).Seconds() / float64(len(c.batches)*c.Batch), nil
}
