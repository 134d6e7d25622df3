package main

import (
	"cmp"
	"fmt"
	goruntime "runtime"
	"slices"
	"strings"

	"github.com/efoc/efoc/cmd/internal/benchmark"
	"github.com/efoc/efoc/cmd/internal/queryset"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/kernels/simd"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
)

type benchCmd struct {
	querySource
	Set     []string `group:"query" sep:"none" placeholder:"PARAM=NAME" help:"Value of a parameter of a template or shape; may be repeated."`
	Queries string   `group:"query" placeholder:"PATH" in:"" help:"Many queries: a .jsonl file with one object such as {type: 2p, s1: 4, r1: 10, r2: 3} per line, where relation i is 2i and its inverse 2i+1; or a BetaE or FIT folder. --shape 2p,3p selects shapes."`
	Limit   int      `least:"1" group:"query" default:"10" help:"Number of --queries of each shape."`

	modelFlag
	deviceFlag
	Engine    []string          `enum:"layers,interpreted,compiled,reference,cuda" default:"layers,interpreted,compiled" help:"Engines: layers, interpreted, compiled or reference; with --device cuda, cuda alone measures no other. compiled is skipped, with a note, for shapes without generated code."`
	Semantics []model.Semantics `enum:"mixed,nsmp,fit" placeholder:"SEMANTICS" help:"Semantics: nsmp, fit or mixed, each on the engines of --engine. By default that of the template file or of the model."`
	settingsFlags
	RowsMB int    `least:"0" most:"1048576" name:"rows-mb" default:"0" placeholder:"MB" help:"Memory for cached rows of truth degrees, in megabytes; by default none."`
	Batch  []int  `least:"1" default:"1,64" help:"Numbers of queries to ask at once."`
	Runs   int    `least:"1" default:"11" help:"Number of measurements of each, after a warm-up."`
	JSON   string `name:"json" placeholder:"FILE" out:"*" stdout:"" help:"Write the result as JSON, with every measurement; - writes it to standard output, in place of the tables."`
}

func (c *benchCmd) check() error {
	if len(c.Batch) == 0 || len(c.Engine) == 0 {
		return usagef("--batch and --engine need at least one value")
	}
	if slices.Contains(c.Engine, string(compiler.EngineCUDA)) && c.Device != "cuda" {
		return usagef("--engine cuda needs --device cuda")
	}
	return cmp.Or(c.readSettings(), writable(c.JSON))
}

func (c *benchCmd) Run(a *app) error {
	if err := c.check(); err != nil {
		return err
	}
	work, err := c.work(a)
	if err != nil {
		return err
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
		c.Semantics = append(c.Semantics, semanticsFlag{}.choose(c.file.Semantics, m.Bundle().Manifest.Semantics))
	}
	if err := c.checkRead(c.Semantics...); err != nil {
		return err
	}
	m.DegreeCache().SetBudget(c.RowsMB << 20)
	h := &benchmark.Harness{
		Model: m.Model, Plans: plans, Settings: c.apply(m.Settings()), Engines: c.Engine, Semantics: c.Semantics, Batches: c.Batch,
	}
	h.Placed, err = m.toDevice(c.deviceFlag, &h.Device)
	if err != nil {
		return err
	}
	r := &benchmark.Result{Model: m.summary(), Threads: goruntime.GOMAXPROCS(0), Kernels: simd.Engine(), Runs: c.Runs}
	if m.device != nil {
		r.Device = m.device.Name()
	}
	for _, w := range work {
		s, err := c.prepare(a, h, w)
		if err != nil {
			return err
		}
		r.Shapes = append(r.Shapes, s)
	}
	if m.Access().Bounds {
		m.Readouts().Prepare() // as in a model that has answered some queries
	}
	err = r.Measure(a.ctx, a.bar.Counter("measure"))
	out := a.printer()
	if c.JSON == "-" {
		return cmp.Or(writeJSON(a.stdout, r), err)
	}
	r.Text(out)
	return cmp.Or(out.Err, writeJSONFile(c.JSON, r), err)
}

// prepare prepares a shape for the engines, and shows warnings and notes.
func (c *benchCmd) prepare(a *app, h *benchmark.Harness, w benchmark.Work) (*benchmark.Shape, error) {
	s, notes, err := h.Prepare(w)
	if err != nil {
		return nil, err
	}
	a.warn(w.Query.Warnings)
	if len(s.Cells) == 0 {
		return nil, usagef("%s; or add another engine to --engine", strings.Join(notes, "\nefoc: "))
	}
	for _, note := range notes {
		a.notef("efoc: %s", note)
	}
	return s, nil
}

// work reads the queries from the command line.
func (c *benchCmd) work(a *app) ([]benchmark.Work, error) {
	if c.Queries == "" {
		q, err := c.load(a, &c.modelFlag)
		if err != nil {
			return nil, err
		}
		args, err := arguments(q, c.Set)
		if err != nil {
			return nil, err
		}
		values := func(p *compiler.Prepared, _ int) (runtime.Args, error) { return p.Args(args) }
		return []benchmark.Work{{Query: q, Count: 1, Args: values}}, nil
	}
	if c.Formula != "" || c.File != "" || len(c.Set) > 0 {
		return nil, usagef("--queries has the queries: it takes no formula, --file or --set")
	}
	var shapes []string
	if c.Shape != "" {
		shapes = strings.Split(c.Shape, ",")
	}
	set, err := a.openQueries(c.Queries, queryset.Options{Shapes: shapes, Limit: c.Limit})
	if err != nil {
		return nil, err
	}
	var work []benchmark.Work
	for _, g := range set.Groups {
		args := func(p *compiler.Prepared, i int) (runtime.Args, error) {
			a := runtime.Args(p.Spec().Args(g.Queries[i].Args...))
			if err := p.CheckArgs(a); err != nil {
				return nil, fmt.Errorf("shape %s: %w", g.Name, err)
			}
			return a, nil
		}
		work = append(work, benchmark.Work{Name: g.Name, Query: g.Template, Count: len(g.Queries), Args: args})
	}
	return work, nil
}
