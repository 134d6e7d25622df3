package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/efoc/efoc/cmd/internal/trial"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/compiler/cost"
	"github.com/efoc/efoc/compiler/ir"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/query"
	"github.com/efoc/efoc/runtime/scq"
)

// bench is what is measured, and the measurements so far.
type bench struct {
	model   *query.Model
	placed  *query.Model            // where EngineCUDA answers
	options compiler.PrepareOptions // of the device
	threads int
	engines []string
	batches []int
	fit     benchFITFlags
	groups  []*benchGroup
	// constants are those of the machine, measured several times.
	constants []*cost.Constants
}

// benchGroup is a shape with the ways to answer it.
type benchGroup struct {
	benchWork
	shape    string
	warnings []lang.Warning
	engines  []*benchEngine
	cells    []*benchCell
}

// benchEngine is an engine prepared for a shape.
type benchEngine struct {
	semantics model.Semantics
	name      string
	// compile and bind are the seconds that a shape and a query took.
	compile, bind []float64
	prepared      *compiler.Prepared
	query         *query.Query
	settings      model.Settings
	bindings      []scq.Bindings
	// plan is what runs.
	plan *ir.Plan
}

// label names the engine among those of all semantics.
func (e *benchEngine) label() string { return benchEngineLabel(e.semantics, e.name) }

// compileRuns is how often compiling is timed.
const compileRuns = 5

// prepare compiles a shape for every engine and binds its queries.
func (b *bench) prepare(w benchWork) error {
	g := &benchGroup{benchWork: w}
	for _, semantics := range b.fit.all() {
		for _, name := range b.engines {
			e, err := b.engine(w, semantics, name)
			if err != nil {
				return err
			}
			if e == nil || slices.ContainsFunc(g.engines, func(x *benchEngine) bool { return x.label() == e.label() }) {
				continue
			}
			g.engines = append(g.engines, e)
			g.shape, g.warnings = e.prepared.Shape.Key, e.prepared.Warnings
			for _, batch := range b.batches {
				g.cells = append(g.cells, b.cell(e, batch))
			}
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

// engine prepares an engine, nil if the shape has no such engine: compiled needs
// generated code, and cuda only passes messages.
func (b *bench) engine(w benchWork, semantics model.Semantics, name string) (*benchEngine, error) {
	if name == string(compiler.EngineCUDA) && semantics != model.NSMP {
		return nil, nil
	}
	e := &benchEngine{semantics: semantics, name: name}
	o := compiler.PrepareOptions{
		Engine: compiler.Engine(name), Plans: plans, Kernels: b.options.Kernels, Semantics: semantics,
	}
	m := b.model
	if o.Engine == compiler.EngineCUDA {
		m = b.placed
	}
	if o.Engine == compiler.EngineCompiled {
		o.Engine = compiler.EngineAuto
	}
	for range compileRuns {
		start := time.Now()
		p, err := compiler.Prepare(m, w.query, o)
		if err != nil {
			return nil, mistake(err)
		}
		e.compile = append(e.compile, time.Since(start).Seconds())
		e.prepared = p
	}
	e.query, e.settings = e.prepared.Query, b.fit.settings(e.prepared.Settings)
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

// calibrations is how often the machine is measured while the runs go on.
const calibrations = 4

// calibrate measures the machine.
func (b *bench) calibrate(ctx context.Context) error {
	c, err := cost.Measure(ctx, &b.model.Predictor.EntityTable, b.threads)
	if err != nil {
		return err
	}
	b.constants = append(b.constants, c)
	return nil
}

// measure runs every cell, in an order that is reversed on every run. It
// returns the first error; an interrupted run of a cell does not count.
func (b *bench) measure(ctx context.Context, warmup, runs int, progress *bar) error {
	defer progress.clear()
	b.model.Readouts().Prepare()
	cells, done := 0, 0
	for _, g := range b.groups {
		cells += len(g.cells)
	}
	for run := range warmup + runs {
		if run > 0 && run*calibrations/(warmup+runs) > (run-1)*calibrations/(warmup+runs) {
			if err := b.calibrate(ctx); err != nil {
				return err
			}
		}
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

// result sums up what was measured.
func (b *bench) result() *benchResult {
	constants := cost.Median(b.constants)
	r := &benchResult{Threads: b.threads, Constants: constants}
	for _, g := range b.groups {
		x := benchShape{Name: g.name, Shape: g.shape, Queries: g.count}
		for _, e := range g.engines {
			x.Engines = append(x.Engines, e.setup())
		}
		for _, c := range g.cells {
			if len(c.seconds) == 0 {
				continue
			}
			x.Cells = append(x.Cells, c.result(constants))
		}
		r.Shapes = append(r.Shapes, x)
	}
	return r
}

// setup sums up what came before answering.
func (e *benchEngine) setup() benchSetup {
	x := benchSetup{
		Semantics: e.semantics, Engine: e.name, Compile: trial.Summarize(e.compile), Bind: trial.Summarize(e.bind),
		TablePasses: e.plan.Passes(), Values: len(e.plan.Values),
	}
	if e.semantics != model.NSMP {
		d := e.settings.Degrees.OrDefault()
		x.Degrees = &d
	}
	return x
}
