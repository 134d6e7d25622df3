package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/efoc/efoc/cmd/internal/trial"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/compiler/ir"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/scq"
)

// bench is what is measured, and the measurements so far.
type bench struct {
	model   *runtime.Model
	placed  *runtime.Model          // where EngineCUDA answers
	options compiler.PrepareOptions // of the device
	threads int
	engines []string
	batches []int
	groups  []*benchGroup
	// semantics are those to time, settings those to answer with.
	semantics []model.Semantics
	settings  model.Settings
	// uncompiled are notes on what was to run compiled but has no generated code.
	uncompiled []string
	// reads are the speeds of plain reads of the entity table, in bytes a second.
	reads []float64
}

// benchGroup is a shape with the ways to answer it.
type benchGroup struct {
	benchShape
	engines []*benchEngine
	cells   []*benchCell
}

// benchEngine is an engine prepared for a shape.
type benchEngine struct {
	benchSetup
	prepared *compiler.Prepared
	settings model.Settings
	bindings []scq.Bindings
	// plan is what runs.
	plan *ir.Plan
}

// compileRuns is how often compiling is timed.
const compileRuns = 5

// prepare compiles a shape for every engine and binds its queries.
func (b *bench) prepare(w benchWork) error {
	g := &benchGroup{benchShape: benchShape{Queries: w.count}}
	for _, semantics := range b.semantics {
		for _, name := range b.engines {
			e, err := b.engine(w, semantics, name)
			if err != nil {
				return err
			}
			if e == nil || slices.ContainsFunc(g.engines, func(x *benchEngine) bool { return x.label() == e.label() }) {
				continue
			}
			g.engines = append(g.engines, e)
			g.Shape = e.prepared.Shape.Key
			for _, batch := range b.batches {
				g.cells = append(g.cells, b.cell(e, batch))
			}
		}
	}
	if len(g.engines) == 0 {
		return usagef("%s; or add another engine to --engine", strings.Join(b.uncompiled, "\nefoc: "))
	}
	g.Name = cmp.Or(w.name, compiler.ShapeName(g.Shape))
	b.groups = append(b.groups, g)
	return nil
}

// uncompiled says that efoc holds no generated code for the queries, and how to compare.
func (w *benchWork) uncompiled(p *compiler.Prepared) string {
	what := "this query"
	switch {
	case w.file != "":
		what = "template " + w.query.Name
	case w.name != "":
		what = "shape " + w.name
	}
	file := cmp.Or(w.file, "FILE.efo, with the query as a template")
	if p.Compiled.Layers > 0 {
		what += fmt.Sprintf(" with %d layers", p.Compiled.Layers)
	}
	return fmt.Sprintf("engine compiled is left out: efoc holds no generated code for %s and semantics %s; "+
		"to compare, run go test -bench . on the benchmarks that efoc generate --bench writes beside the code of %s", what, p.Semantics, file)
}

// engine prepares an engine, nil if the shape has no such engine: compiled needs
// generated code.
func (b *bench) engine(w benchWork, semantics model.Semantics, name string) (*benchEngine, error) {
	o := compiler.PrepareOptions{
		Engine: compiler.Engine(name), Plans: plans, Kernels: b.options.Kernels, Semantics: new(semantics), Settings: &b.settings,
	}
	m := b.model
	switch o.Engine {
	case compiler.EngineCUDA:
		m = b.placed
	case compiler.EngineCompiled:
		o.Engine = compiler.EngineAuto
	}
	var p *compiler.Prepared
	var compile, bind []float64
	for range compileRuns {
		start := time.Now()
		var err error
		if p, err = compiler.Prepare(m, w.query, o); err != nil {
			return nil, mistake(err)
		}
		compile = append(compile, time.Since(start).Seconds())
	}
	if p.Engine != compiler.Engine(name) {
		b.uncompiled = append(b.uncompiled, w.uncompiled(p))
		return nil, nil
	}
	e := &benchEngine{prepared: p, settings: p.Settings, plan: p.Compiled.Optimized}
	if name == "layers" || name == "reference" {
		e.plan = p.Compiled.Lowered
	}
	for i := range w.count {
		start := time.Now()
		bindings, err := w.bind(p, i)
		if err != nil {
			return nil, err
		}
		bind = append(bind, time.Since(start).Seconds())
		e.bindings = append(e.bindings, bindings)
	}
	e.benchSetup = benchSetup{
		benchKind: benchKind{semantics, name}, Compile: trial.Summarize(compile), Bind: trial.Summarize(bind),
		TablePasses: e.plan.Passes(), Values: len(e.plan.Values),
	}
	if semantics != model.NSMP {
		d := e.settings.Degrees.OrDefault()
		e.Degrees = &d
	}
	return e, nil
}

// readRows is the number of rows that a thread reads at a time.
const readRows = 128

// readTable takes an inner product with every row of the entity table on all threads, and
// notes how many bytes a second that reads.
func (b *bench) readTable(pool *model.Pool) {
	t := &b.model.Predictor.EntityTable
	bytes, q := t.Bytes(), make([]float32, t.Width())
	if t.Type().IsFloat() { // which are read, not the codes beside them
		bytes = t.RowBytes()
	}
	start := time.Now()
	pool.Each((t.Rows()+readRows-1)/readRows, func(_, i int) {
		var scores [readRows]float32
		lo, hi := i*readRows, min((i+1)*readRows, t.Rows())
		t.DotRows(scores[:hi-lo], lo, hi, q)
	})
	b.reads = append(b.reads, float64(bytes)/max(1e-9, time.Since(start).Seconds()))
}

// measure runs every cell once to warm up, and then so many times, in an order that is
// reversed on every run. It returns the first error; an interrupted run of a cell does not
// count.
func (b *bench) measure(ctx context.Context, runs int, progress *bar) error {
	defer progress.clear()
	b.model.Readouts().Prepare()
	pool := model.NewPool(b.threads)
	defer pool.Close()
	cells, done := 0, 0
	for _, g := range b.groups {
		cells += len(g.cells)
	}
	for run := range 1 + runs {
		b.readTable(pool)
		for _, g := range b.groups {
			order := slices.Clone(g.cells)
			if run%2 == 1 {
				slices.Reverse(order)
			}
			for _, c := range order {
				seconds, err := c.run(ctx)
				if err != nil {
					return err
				}
				if run > 0 {
					c.Runs = append(c.Runs, seconds)
				}
				done++
				progress.show("measure", int64(done), int64(cells*(1+runs)))
			}
		}
	}
	return nil
}

// result sums up what was measured.
func (b *bench) result() *benchResult {
	r := &benchResult{Threads: b.threads, Read: trial.Median(b.reads)}
	for _, g := range b.groups {
		x := g.benchShape
		for _, e := range g.engines {
			x.Engines = append(x.Engines, e.benchSetup)
		}
		for _, c := range g.cells {
			if len(c.Runs) > 0 {
				x.Cells = append(x.Cells, c.result(b.model.Predictor.EntityTable.Bytes(), r.Read))
			}
		}
		r.Shapes = append(r.Shapes, x)
	}
	return r
}
