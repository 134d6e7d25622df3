package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/efoc/efoc/cmd/internal/trial"
	"github.com/efoc/efoc/codegen/shapes"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/compiler/cost"
	"github.com/efoc/efoc/compiler/ir"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime"
)

// bench is what is measured, and the measurements so far.
type bench struct {
	model     *runtime.Model
	constants *cost.Constants
	engines   []string
	batches   []int
	groups    []*benchGroup
}

// benchGroup is a shape with the ways to answer it.
type benchGroup struct {
	benchWork
	shape    string
	warnings []lang.Warning
	engines  []*benchEngine
	cells    []*benchCell
}

// benchEngine is an engine made ready for a shape.
type benchEngine struct {
	name string
	// compile and bind are the seconds that a shape and a query took.
	compile, bind []float64
	prepared      *compiler.Prepared
	bindings      []runtime.Bindings
	plan          *ir.Plan
}

// benchCell is an engine with a batch size.
type benchCell struct {
	engine *benchEngine
	batch  int
	// batches hold the queries; the last is filled up with the first ones.
	batches [][]runtime.Bindings
	// seconds a query, run by run.
	seconds   []float64
	predicted *cost.Estimate
}

// compileRuns is how often compiling is timed.
const compileRuns = 5

// prepare compiles a shape for every engine and binds its queries.
func (b *bench) prepare(w benchWork) error {
	g := &benchGroup{benchWork: w}
	for _, name := range b.engines {
		e, err := b.engine(w, name)
		if err != nil {
			return err
		}
		if e == nil {
			continue
		}
		g.engines = append(g.engines, e)
		g.shape, g.warnings = e.prepared.Shape.Key, e.prepared.Warnings
		for _, batch := range b.batches {
			g.cells = append(g.cells, b.cell(e, batch))
		}
	}
	if len(g.engines) == 0 {
		return fmt.Errorf("there is no generated code for this shape: --engine needs another beside compiled")
	}
	if g.name == "" {
		g.name = compiler.ShapeName(g.shape)
	}
	b.groups = append(b.groups, g)
	return nil
}

// engine makes an engine ready, nil if it is the compiled one and the shape has
// no generated code.
func (b *bench) engine(w benchWork, name string) (*benchEngine, error) {
	e := &benchEngine{name: name}
	o := compiler.PrepareOptions{
		Layers: b.model.Manifest.Settings.Layers, Engine: compiler.Engine(name), Plans: shapes.ShapesPlans,
	}
	if o.Engine == compiler.EngineCompiled {
		o.Engine = compiler.EngineAuto
	}
	for range compileRuns {
		start := time.Now()
		p, err := compiler.Prepare(b.model, w.query, o)
		if err != nil {
			return nil, mistake(err)
		}
		e.compile = append(e.compile, time.Since(start).Seconds())
		e.prepared = p
	}
	if e.prepared.Engine != compiler.Engine(name) {
		return nil, nil
	}
	e.plan = e.prepared.Compiled.Plan
	if name == "layers" || name == "reference" {
		e.plan = e.prepared.Compiled.Naive
	}
	for i := range w.count {
		start := time.Now()
		bindings, err := w.bind(e.prepared, i)
		if err != nil {
			return nil, err
		}
		e.bind = append(e.bind, time.Since(start).Seconds())
		e.bindings = append(e.bindings, bindings)
	}
	return e, nil
}

// cell cuts the queries of an engine into batches and predicts their cost.
func (b *bench) cell(e *benchEngine, batch int) *benchCell {
	c := &benchCell{engine: e, batch: batch}
	edges, relations := 0, 0
	for i := 0; i < len(e.bindings); i += batch {
		var part []runtime.Bindings
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
	s := cost.SizesOf(b.model)
	s.Edges, s.Batch = max(1, edges/max(1, relations)), batch
	c.predicted = cost.Predict(e.plan, s, b.constants)
	return c
}

// measure runs every cell, in an order that is turned round from run to run. It
// returns the first error; an interrupted run of a cell does not count.
func (b *bench) measure(ctx context.Context, warmup, runs int, progress *bar) error {
	defer progress.clear()
	cells, done := 0, 0
	for _, g := range b.groups {
		cells += len(g.cells)
	}
	for run := range warmup + runs {
		for _, g := range b.groups {
			for i := range g.cells {
				c := g.cells[i]
				if run%2 == 1 {
					c = g.cells[len(g.cells)-1-i]
				}
				seconds, err := c.run(ctx)
				if err != nil {
					return err
				}
				if run >= warmup {
					c.seconds = append(c.seconds, seconds)
				}
				done++
				progress.show("measure", int64(done), int64(cells*(warmup+runs)))
			}
		}
	}
	return nil
}

// run answers all batches and returns the seconds a query.
func (c *benchCell) run(ctx context.Context) (float64, error) {
	options := runtime.Options{NoStatus: true}
	q := c.engine.prepared.Query
	start := time.Now()
	for _, batch := range c.batches {
		var err error
		if c.batch == 1 {
			_, err = q.Answer(ctx, batch[0], options)
		} else {
			_, err = q.AnswerBatch(ctx, batch, options)
		}
		if err != nil {
			return 0, err
		}
	}
	return time.Since(start).Seconds() / float64(len(c.batches)*c.batch), nil
}

// result sums up what was measured.
func (b *bench) result() *benchResult {
	r := &benchResult{}
	for _, g := range b.groups {
		x := benchShape{Name: g.name, Shape: g.shape, Queries: g.count}
		for _, e := range g.engines {
			x.Engines = append(x.Engines, benchSetup{
				Engine: e.name, Compile: trial.Summarize(e.compile), Bind: trial.Summarize(e.bind),
				TablePasses: e.plan.Passes(), Values: len(e.plan.Values),
			})
		}
		for _, c := range g.cells {
			if len(c.seconds) == 0 {
				continue
			}
			x.Cells = append(x.Cells, c.result(b.constants))
		}
		r.Shapes = append(r.Shapes, x)
	}
	return r
}

// result sums up a cell.
func (c *benchCell) result(constants *cost.Constants) benchMeasured {
	x := benchMeasured{
		Engine: c.engine.name, Batch: c.batch, Seconds: trial.Summarize(c.seconds), Runs: slices.Clone(c.seconds),
		Predicted:  c.predicted.Seconds / float64(c.batch),
		TableBytes: c.predicted.TableBytes / float64(c.batch), FLOPs: c.predicted.FLOPs / float64(c.batch),
	}
	x.Bandwidth = x.TableBytes / x.Seconds.Median
	x.OfRead = x.Bandwidth / constants.Read
	return x
}
