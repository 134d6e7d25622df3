package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/efoc/efoc/cmd/internal/cli"
	"github.com/efoc/efoc/cmd/internal/trial"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/compiler/stages"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/scq"
)

// benchResult holds everything to print.
type benchResult struct {
	Model   modelSummary `json:"model"`
	Threads int          `json:"threads"`
	// Kernels names what computes them, such as avx512.
	Kernels string `json:"kernels"`
	// Runs is the number of measurements that were asked for.
	Runs int `json:"runs"`
	// Interrupted says that some are missing.
	Interrupted bool          `json:"interrupted,omitempty"`
	Shapes      []*benchShape `json:"shapes"`
}

type benchShape struct {
	// Name is the benchmark's name, if there is one, Shape the canonical text.
	Name    string       `json:"name,omitempty"`
	Shape   string       `json:"shape"`
	Queries int          `json:"queries"`
	Cells   []*benchCell `json:"answers"`
}

// title is the name, or a short shape, or the number of atoms.
func (s *benchShape) title() string {
	switch {
	case s.Name != "":
		return s.Name
	case len(s.Shape) <= maxShapeText/2:
		return s.Shape
	}
	return strconv.Itoa(countAtoms(s.Shape)) + " atoms"
}

// benchCell is an engine with a batch size.
type benchCell struct {
	Semantics model.Semantics `json:"semantics"`
	Engine    string          `json:"engine"`
	Batch     int             `json:"batch"`
	// Settings are those that it answers with.
	Settings model.Settings `json:"settings"`
	// TablePasses are the passes of the plan for the best answers.
	TablePasses int `json:"table_passes"`
	// Compile is the time to compile the shape, Bind the time to bind a query, in seconds.
	Compile trial.Summary `json:"compile_seconds"`
	Bind    trial.Summary `json:"bind_seconds"`
	// Seconds sums up Runs: the time to answer a query.
	Seconds trial.Summary `json:"seconds"`
	Runs    []float64     `json:"runs"`

	query *runtime.Query
	// batches hold the queries; the last is filled up with the first ones.
	batches [][]scq.Bindings
}

// label names an engine and its semantics.
func (c *benchCell) label() string { return c.Semantics.String() + " " + c.Engine }

// bench prepares the measurements.
type bench struct {
	*benchCmd
	model    *runtime.Model
	placed   *runtime.Model   // where EngineCUDA answers
	device   compiler.Options // of EngineCUDA
	settings model.Settings
}

// prepare compiles a shape for every engine and binds its queries. Engine compiled is left out, with
// a note, where there is no generated code.
func (b *bench) prepare(a *app, w benchWork) (*benchShape, error) {
	s := &benchShape{Queries: w.count}
	engines := b.Engine
	if b.placed != b.model && !slices.Contains(engines, string(compiler.EngineCUDA)) {
		engines = append(slices.Clone(engines), string(compiler.EngineCUDA))
	}
	var missing []string
	for _, semantics := range b.Semantics {
		for i, engine := range engines {
			cell, p, err := b.engine(w, semantics, engine)
			if err != nil {
				return nil, err
			}
			if i == 0 && semantics == b.Semantics[0] {
				a.warn(p.Source.Warnings)
			}
			if cell == nil {
				missing = append(missing, w.uncompiled(p))
				continue
			}
			for _, batch := range b.Batch {
				s.Cells = append(s.Cells, cell.inBatches(batch))
			}
			s.Shape = p.Shape().Key
		}
	}
	if len(s.Cells) == 0 {
		return nil, usagef("%s; or add another engine to --engine", strings.Join(missing, "\nefoc: "))
	}
	for _, note := range missing {
		a.notef("efoc: %s", note)
	}
	s.Name = cmp.Or(w.name, stages.ShapeName(s.Shape))
	return s, nil
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

// compileRuns is how often compiling is timed.
const compileRuns = 5

// engine prepares an engine with all queries in one batch; the cell is nil if there is no generated
// code for engine compiled.
func (b *bench) engine(w benchWork, semantics model.Semantics, engine string) (*benchCell, *compiler.Prepared, error) {
	m := b.model
	o := compiler.Options{Engine: compiler.Engine(engine), Plans: plans, Semantics: &semantics, Settings: &b.settings}
	switch o.Engine {
	case compiler.EngineCUDA:
		m = b.placed
		o.Kernels = b.device.Kernels
	case compiler.EngineCompiled:
		o.Engine = compiler.EngineAuto
	}
	var p *compiler.Prepared
	var compile, bind []float64
	for range compileRuns {
		start := time.Now()
		var err error
		p, err = compiler.Prepare(m, w.query, o)
		if err != nil {
			return nil, nil, mistake(err)
		}
		compile = append(compile, time.Since(start).Seconds())
	}
	if p.Engine != compiler.Engine(engine) {
		return nil, p, nil
	}
	queries := make([]scq.Bindings, w.count)
	for i := range queries {
		start := time.Now()
		var err error
		queries[i], err = w.bind(p, i)
		if err != nil {
			return nil, nil, err
		}
		bind = append(bind, time.Since(start).Seconds())
	}
	plan := p.Compiled.Optimized
	if engine == "layers" || engine == "reference" {
		plan = p.Compiled.Lowered
	}
	return &benchCell{
		Semantics: semantics, Engine: engine, Settings: p.Settings, TablePasses: plan.Passes(),
		Compile: trial.Summarize(compile), Bind: trial.Summarize(bind), query: p.Query, batches: [][]scq.Bindings{queries},
	}, p, nil
}

// inBatches returns the cell with its queries cut into batches.
func (c benchCell) inBatches(size int) *benchCell {
	queries := c.batches[0]
	c.Batch, c.batches = size, nil
	for i := 0; i < len(queries); i += size {
		var batch []scq.Bindings
		for j := range size {
			batch = append(batch, queries[(i+j)%len(queries)])
		}
		c.batches = append(c.batches, batch)
	}
	return &c
}

// run answers all batches and returns the seconds a query.
func (c *benchCell) run(ctx context.Context) (float64, error) {
	options := runtime.Options{NoStatus: true, Settings: &c.Settings}
	start := time.Now()
	for _, batch := range c.batches {
		var err error
		if c.Batch == 1 {
			_, err = c.query.Answer(ctx, batch[0], options)
		} else {
			_, err = c.query.AnswerBatch(ctx, batch, options)
		}
		if err != nil {
			return 0, err
		}
	}
	return time.Since(start).Seconds() / float64(len(c.batches)*c.Batch), nil
}

// measure runs every cell once to warm up, and then for the given number of runs, in an order that is
// reversed on every run. It returns the first error; an interrupted run of a cell does not count.
func (r *benchResult) measure(ctx context.Context, progress *cli.Bar) error {
	defer progress.Clear()
	var order []*benchCell
	for _, s := range r.Shapes {
		order = append(order, s.Cells...)
	}
	for run := range 1 + r.Runs {
		for i, c := range order {
			seconds, err := c.run(ctx)
			if err != nil {
				return err
			}
			if run > 0 {
				c.Runs = append(c.Runs, seconds)
				c.Seconds = trial.Summarize(c.Runs)
			}
			progress.Counts("measure", run*len(order)+i+1, (1+r.Runs)*len(order))
		}
		slices.Reverse(order)
	}
	return nil
}

func (r *benchResult) write(p *printer) error {
	p.printf("%s, %d thread%s, kernels %s\n\n", r.Model, r.Threads, pluralS(r.Threads), r.Kernels)
	var rows []table.Row
	for _, s := range r.Shapes {
		for _, c := range s.Cells {
			rows = append(rows, table.Row{
				s.title(), s.Queries, c.label(), c.TablePasses, roundTime(c.Compile.Median), roundTime(c.Bind.Median), c.Batch,
				roundTime(c.Seconds.Median), roundTime(c.Seconds.Q1) + " – " + roundTime(c.Seconds.Q3),
			})
		}
	}
	p.table([]string{"shape", ">queries", "engine", ">table passes", ">compile", ">bind", ">batch", ">answer", ">quartiles"}, rows)
	if r.Interrupted {
		p.printf("\ninterrupted: some measurements are missing\n")
	}
	return p.err
}

// countAtoms returns the number of atoms of a shape's canonical text.
func countAtoms(shape string) int { return strings.Count(shape, "(") }
