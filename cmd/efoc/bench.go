package main

import (
	"context"
	"errors"
	"fmt"
	goruntime "runtime"
	"slices"
	"strconv"

	"github.com/efoc/efoc/cmd/internal/queryset"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/kernels/simd"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime/atomicfile"
	"github.com/efoc/efoc/runtime/scq"
)

// benchCmd times the engines.
type benchCmd struct {
	querySource
	Set     []string `group:"query" sep:"none" placeholder:"PARAM=NAME" help:"Value of a parameter of a template or shape; may be repeated."`
	Queries string   `group:"query" placeholder:"PATH" predictor:"file" help:"Many queries: a .jsonl file with an object such as {type: 2p, s1: 4, r1: 10, r2: 3} a line, where relation i is 2i and its inverse 2i+1; or a BetaE or FIT folder."`
	Types   []string `group:"query" placeholder:"SHAPES" predictor:"shape" help:"Shapes of --queries, such as 2p,3p; all if not given."`
	Limit   int      `group:"query" default:"10" help:"Number of --queries of each shape."`

	modelFlag
	deviceFlag
	Engine []string `default:"layers,interpreted,compiled" predictor:"engine" help:"Engines, out of layers, interpreted, compiled and reference. Where a shape has no generated code, compiled is left out."`
	benchFITFlags
	Batch   []int `default:"1,64" help:"Numbers of queries that are asked at once."`
	Runs    int   `default:"11" help:"Number of measurements of each."`
	Warmup  int   `default:"1" help:"Number of runs before the measurements."`
	Threads int   `placeholder:"N" help:"Number of threads; as many as there are processors if not given."`

	Format string `enum:"table,json,tsv" default:"table" help:"Output: table, json or tsv."`
	JSON   string `name:"json" placeholder:"FILE.json" predictor:"file" help:"Write the result to a file too, with every measurement."`
	Plot   string `placeholder:"FILE.svg" predictor:"file" help:"Draw the times as bars, into an .svg or .png file."`
}

// Help shows examples.
func (c *benchCmd) Help() string {
	return `Times are for a query: of a batch, its share. Compiling, binding names to the plan and answering are timed separately. The
engines take turns, in an order that is reversed on every run, so that a machine that gets slower in between favours none.

GB/s is what passes over the entity table read; "of read" compares it with a plain read of that table by as many threads.
With --device cuda the engine cuda runs beside those of --engine; the predicted times and bytes read remain those of the processor.

--semantics nsmp,fit,mixed times each of them on the engines. Every row of truth degrees is computed again for each batch, as for a query
never asked before, unless --rows-mb keeps some, for all engines alike.

The predicted time is that of the cost model (efoc explain --calibrate), with constants measured between the runs.

An interrupt shows what is done.

Examples:

    efoc bench 'borders("France", x) & official_language(x, "German")'
    efoc bench --shape 2p --set s1=France --set r1=borders --set r2=capital --batch 1 --engine interpreted,layers
    efoc bench --model fb15k-237.efoc --queries queries-dev.jsonl --types 2p,3c --threads 1 --plot bench.svg
    efoc bench --model fb15k-237.efoc --queries queries-dev.jsonl --types 3c --semantics nsmp,fit --engine layers,compiled --batch 1`
}

// benchEngines are those that --engine may name; the reference is slow.
var benchEngines = []string{"layers", "interpreted", "compiled", "reference"}

// check reports mistakes in the command line.
func (c *benchCmd) check() error {
	switch {
	case c.Runs < 1:
		return usagef("--runs is %d, want 1 or more", c.Runs)
	case c.Warmup < 0:
		return usagef("--warmup is %d, want 0 or more", c.Warmup)
	case c.Limit < 1:
		return usagef("--limit is %d, want 1 or more", c.Limit)
	case c.Threads < 0:
		return usagef("--threads is %d, want 1 or more", c.Threads)
	case len(c.Batch) == 0 || len(c.Engine) == 0:
		return usagef("--batch and --engine need at least one value")
	case len(c.Types) > 0 && c.Queries == "":
		return usagef("--types picks shapes of a file: give the file with --queries")
	case c.Plot != "" && plotFormat(c.Plot) == "":
		return usagef("--plot %s: want a name that ends in .svg or .png", c.Plot)
	}
	for i, b := range c.Batch {
		if b < 1 {
			return usagef("--batch is %d, want 1 or more", b)
		}
		if slices.Contains(c.Batch[:i], b) {
			return usagef("--batch gives %d twice", b)
		}
	}
	for i, e := range c.Engine {
		if !slices.Contains(benchEngines, e) {
			return usagef("--engine: unknown %q, want some of %v", e, benchEngines)
		}
		if slices.Contains(c.Engine[:i], e) {
			return usagef("--engine gives %s twice", e)
		}
	}
	if err := checkApart([]namedFile{{"--json", c.JSON}, {"--plot", c.Plot}},
		[]namedFile{{"--queries", c.Queries}, {"--model", c.Model}, {"--file", c.File}}); err != nil {
		return err
	}
	return c.benchFITFlags.check()
}

// Run measures and prints.
func (c *benchCmd) Run(a *app) error {
	if err := c.check(); err != nil {
		return err
	}
	if err := writable(c.JSON, c.Plot); err != nil {
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
	c.keepRows(m.Model)
	b := &bench{model: m.Model, threads: goruntime.GOMAXPROCS(0), engines: c.Engine, batches: c.Batch, fit: c.benchFITFlags}
	placed, release, err := c.place(m.Model, &b.options)
	if err != nil {
		return err
	}
	defer release()
	b.placed = placed
	if c.cuda() {
		b.engines = append(b.engines, string(compiler.EngineCUDA))
	}
	if err := b.calibrate(a.ctx); err != nil {
		return err
	}
	for _, w := range work {
		if err := b.prepare(w); err != nil {
			return err
		}
	}
	for _, g := range b.groups {
		a.warn(g.warnings)
	}
	interrupted := b.measure(a.ctx, c.Warmup, c.Runs, newBar(a.stderr))
	if interrupted != nil && !errors.Is(interrupted, context.Canceled) {
		return interrupted
	}
	r := b.result()
	r.Model, r.Kernels, r.Runs, r.Interrupted = m.summary(), simd.Engine(), c.Runs, interrupted != nil
	if err := c.write(a, r); err != nil {
		return err
	}
	return interrupted
}

// write prints the result and writes the files.
func (c *benchCmd) write(a *app, r *benchResult) error {
	if err := r.write(a.stdout, c.Format); err != nil {
		return err
	}
	if c.JSON != "" {
		if err := atomicfile.Write(c.JSON, r.writeJSON); err != nil {
			return err
		}
	}
	if c.Plot != "" {
		return atomicfile.Write(c.Plot, r.plotter(plotFormat(c.Plot)))
	}
	return nil
}

// benchWork is a shape with its queries.
type benchWork struct {
	// name is the benchmark's name of the shape, empty if it has none.
	name  string
	query *lang.Query
	// count is the number of queries, bind makes the bindings of one of them.
	count int
	bind  func(p *compiler.Prepared, i int) (scq.Bindings, error)
}

// work reads the queries that the command line gives.
func (c *benchCmd) work(a *app) ([]benchWork, error) {
	if c.Queries == "" {
		q, err := c.load(a)
		if err != nil {
			return nil, err
		}
		args, err := arguments(q, c.Set)
		if err != nil {
			return nil, err
		}
		bind := func(p *compiler.Prepared, _ int) (scq.Bindings, error) { return p.Bindings(args) }
		return []benchWork{{query: q, count: 1, bind: bind}}, nil
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

// benchTitle names a group: the benchmark's name, or a short shape, or the number
// of atoms.
func benchTitle(name, shape string) string {
	switch {
	case name != "":
		return name
	case len(shape) <= maxShapeText/2:
		return shape
	}
	return strconv.Itoa(countAtoms(shape)) + " atoms"
}

func benchLabel(engine string, batch int, several bool) string {
	if several {
		return fmt.Sprintf("%s, batch %d", engine, batch)
	}
	return engine
}
