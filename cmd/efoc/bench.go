package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	goruntime "runtime"
	"slices"

	"github.com/efoc/efoc/cmd/internal/queryset"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/kernels/simd"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/scq"
)

type benchCmd struct {
	querySource
	Set     []string `group:"query" sep:"none" placeholder:"PARAM=NAME" help:"Value of a parameter of a template or shape; may be repeated."`
	Queries string   `group:"query" placeholder:"PATH" in:"" predictor:"file" help:"Many queries: a .jsonl file with an object such as {type: 2p, s1: 4, r1: 10, r2: 3} a line, where relation i is 2i and its inverse 2i+1; or a BetaE or FIT folder."`
	Types   []string `group:"query" placeholder:"SHAPES" predictor:"shape" help:"Shapes of --queries, such as 2p,3p; all if not given."`
	Limit   int      `least:"1" group:"query" default:"10" help:"Number of --queries of each shape."`

	modelFlag
	deviceFlag
	Engine []string `default:"layers,interpreted,compiled" predictor:"engine" help:"Engines, out of layers, interpreted, compiled and reference. compiled is left out, with a note, for shapes that efoc has no generated code for."`
	benchFITFlags
	Batch   []int `least:"1" default:"1,64" help:"Numbers of queries that are asked at once."`
	Runs    int   `least:"1" default:"11" help:"Number of measurements of each."`
	Warmup  int   `least:"0" default:"1" help:"Number of runs before the measurements."`
	Threads int   `least:"1" placeholder:"N" help:"Number of threads; as many as there are processors if not given."`

	Format string `enum:"table,json,tsv" default:"table" help:"Output: table, json or tsv."`
	JSON   string `name:"json" placeholder:"FILE.json" out:"*" predictor:"file" help:"Write the result to a file too, with every measurement."`
	Plot   string `placeholder:"FILE.svg" out:"*" predictor:"file" help:"Draw the times as bars, into an .svg or .png file."`
}

// benchEngines are those that --engine may name; the reference is slow.
var benchEngines = []string{"layers", "interpreted", "compiled", "reference"}

func (c *benchCmd) check() error {
	switch {
	case len(c.Batch) == 0 || len(c.Engine) == 0:
		return usagef("--batch and --engine need at least one value")
	case len(c.Types) > 0 && c.Queries == "":
		return usagef("--types picks shapes of a file: give the file with --queries")
	}
	if b, ok := repeated(c.Batch); ok {
		return usagef("--batch gives %d twice", b)
	}
	for _, e := range c.Engine {
		if !slices.Contains(benchEngines, e) {
			return usagef("--engine: unknown %q, want some of %v", e, benchEngines)
		}
	}
	if e, ok := repeated(c.Engine); ok {
		return usagef("--engine gives %s twice", e)
	}
	return cmp.Or(checkPlot("--plot", c.Plot), c.benchFITFlags.check(), writable(c.JSON, c.Plot))
}

// benchFITFlags say which semantics are timed, and how those of truth degrees run.
type benchFITFlags struct {
	Semantics  []model.Semantics `enum:"mixed,nsmp,fit" placeholder:"SEMANTICS" help:"Semantics, out of nsmp, fit and mixed, each on the engines of --engine; that of the file of templates or of the model if not given."`
	Candidates *int              `group:"degrees" placeholder:"K" help:"Number of best entities of a variable whose links are predicted; the model's if not given."`
	RowsMB     int               `least:"0" most:"1048576" name:"rows-mb" group:"degrees" default:"0" placeholder:"MB" help:"Memory for rows that are kept from one query to the next, in megabytes; none if not given."`
}

func (c *benchFITFlags) check() error {
	if s, ok := repeated(c.Semantics); ok {
		return usagef("--semantics gives %s twice", s)
	}
	if c.Candidates != nil {
		return outOfRange(model.CandidatesRange.CheckWhole(*c.Candidates))
	}
	return nil
}

func (c *benchCmd) Run(a *app) error {
	if err := c.check(); err != nil {
		return err
	}
	work, err := c.work(a)
	if err != nil {
		return err
	}
	if c.Threads > 0 {
		defer goruntime.GOMAXPROCS(goruntime.GOMAXPROCS(c.Threads))
	}
	m, err := c.open(a)
	if err != nil {
		return err
	}
	defer m.Close()
	if err := c.bind(m); err != nil {
		return err
	}
	if len(c.Semantics) == 0 {
		c.Semantics = append(c.Semantics, semanticsFlag{}.choose(c.file.Semantics, m.Manifest.Semantics))
	}
	if c.Candidates != nil && slices.Equal(c.Semantics, []model.Semantics{model.NSMP}) {
		return usagef("--candidates is a setting of truth degrees: add --semantics fit or mixed")
	}
	b := &bench{model: m.Model, threads: goruntime.GOMAXPROCS(0), engines: c.Engine, batches: c.Batch, fit: c.benchFITFlags}
	if b.placed, err = m.place(c.deviceFlag, c.RowsMB, &b.options); err != nil {
		return err
	}
	if m.gpu != nil {
		b.engines = append(b.engines, string(compiler.EngineCUDA))
	}
	for _, w := range work {
		if err := b.prepare(w); err != nil {
			return err
		}
	}
	for _, note := range b.uncompiled {
		a.notef("efoc: %s", note)
	}
	for _, g := range b.groups {
		a.warn(g.engines[len(g.engines)-1].prepared.Warnings)
	}
	interrupted := b.measure(a.ctx, c.Warmup, c.Runs, a.bar)
	if interrupted != nil && !errors.Is(interrupted, context.Canceled) {
		return interrupted
	}
	r := b.result()
	r.Model, r.Kernels, r.Runs, r.Interrupted = m.summary(), simd.Engine(), c.Runs, interrupted != nil
	return cmp.Or(c.write(a, r), interrupted)
}

func (c *benchCmd) write(a *app, r *benchResult) error {
	if err := r.write(a.stdout, c.Format); err != nil {
		return err
	}
	return writeFiles(outputFile{c.JSON, jsonOf(r)}, outputFile{c.Plot, plotFile(c.Plot, r.plot)})
}

// benchWork is a shape with its queries.
type benchWork struct {
	// name is the benchmark's name of the shape, empty if it has none.
	name string
	// file is that of the template, empty for other queries.
	file  string
	query *lang.Query
	// count is the number of queries, bind makes the bindings of one of them.
	count int
	bind  func(p *compiler.Prepared, i int) (scq.Bindings, error)
}

// work reads the queries that the command line gives.
func (c *benchCmd) work(a *app) ([]benchWork, error) {
	if c.Queries == "" {
		q, err := c.load(a, &c.modelFlag)
		if err != nil {
			return nil, err
		}
		args, err := arguments(q, c.Set)
		if err != nil {
			return nil, err
		}
		bind := func(p *compiler.Prepared, _ int) (scq.Bindings, error) { return p.Bindings(args) }
		return []benchWork{{file: c.File, query: q, count: 1, bind: bind}}, nil
	}
	if c.Formula != "" || c.File != "" || c.Shape != "" || c.Benchmark != "" || len(c.Set) > 0 {
		return nil, usagef("--queries has the queries: it takes no formula, --file, --shape, --benchmark or --set")
	}
	set, err := a.openQueries(c.Queries, queryset.Options{Shapes: c.Types, Limit: c.Limit})
	if err != nil {
		return nil, err
	}
	var work []benchWork
	for _, g := range set.Groups {
		bind := func(p *compiler.Prepared, i int) (scq.Bindings, error) {
			b, err := p.BindingsByID(g.Queries[i].Args)
			if err != nil {
				err = fmt.Errorf("shape %s: %w", g.Name, err)
			}
			return b, err
		}
		work = append(work, benchWork{name: g.Name, query: g.Template, count: len(g.Queries), bind: bind})
	}
	return work, nil
}
