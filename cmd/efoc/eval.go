package main

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/efoc/efoc/cmd/internal/cli"
	"github.com/efoc/efoc/cmd/internal/eval"
	"github.com/efoc/efoc/cmd/internal/queryset"
	"github.com/efoc/efoc/cmd/internal/tables"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/runtime/model"
)

type evalCmd struct {
	Queries string   `arg:"" optional:"" in:"folder" help:"Queries with their answers: a BetaE or FIT folder, a FIT file, or JSON Lines."`
	Split   string   `default:"test" placeholder:"NAME" help:"Split of the queries, if there are several (default: ${default})."`
	Shape   []string `placeholder:"SHAPES" help:"Shapes to ask, such as 2p,3p; by default all."`
	Limit   int      `least:"1" placeholder:"N" help:"Number of queries of each shape; by default all, with --own 1000."`
	Own     bool     `help:"Instead of queries, ask for the facts that the model holds back (train --holdout), and report what confidence is worth for such questions and for ordinary ones."`

	splitModelFlags
	Engine string `enum:"auto,compiled,interpreted,layers,reference" default:"auto" help:"Engine that runs the plans: auto, compiled, interpreted, layers or reference, as with ask."`
	Filter string `enum:"released,strict" default:"released" help:"Easy answers to remove from the ranking: released removes all in the file, as published figures do; strict only those that the full graph entails."`
	Graph  string `placeholder:"FOLDER" in:"" help:"The full graph: train, valid and test. By default the model's facts and those that it holds back, if any. Confidence then knows how many facts were held out for the queries."`
	graphFlags
	semanticsFlag
	settingsFlags
	rowsFlag
	deviceFlag

	State string `placeholder:"FILE.jsonl" out:"*" help:"Keep the result of each query in this file, and continue from those in it."`
	JSON  string `name:"json" placeholder:"FILE" out:"*" stdout:"" help:"Write the report as JSON; - writes it to standard output, in place of the tables."`
}

// batch is the number of queries of a shape asked together.
const batch = 64

// check reads the settings and refuses incompatible flags.
func (c *evalCmd) check() error {
	if err := cmp.Or(c.readSettings(), writable(c.JSON)); err != nil {
		return err
	}
	switch {
	case c.Own && c.Queries != "":
		return usagef("--own asks for facts that the model holds back: leave out %s, and give the model with --model", c.Queries)
	case c.Own && (c.Graph != "" || c.isSplit()):
		return usagef("--own asks for facts that the model holds back: leave out --graph, and give a whole model")
	case !c.Own && c.Queries == "":
		return usagef("give a file of queries, or --own to ask for facts that the model holds back")
	}
	return nil
}

func (c *evalCmd) Run(a *app) error {
	if err := c.check(); err != nil {
		return err
	}
	m, err := c.openSplit(a, model.Mapped())
	if err != nil {
		return err
	}
	defer m.Close()
	putBack := 0
	if c.Own {
		putBack, err = m.putBack()
		if err != nil {
			return err
		}
	}
	set, config, err := c.prepare(a, m)
	if err != nil {
		return err
	}
	r, interrupted := c.evaluate(a, set, config)
	if r == nil {
		return interrupted
	}
	report := &evalReport{Report: r, PutBack: putBack}
	report.About.Model.File = m.path
	report.About.Queries.File = c.Queries
	report.About.Queries.Split = c.Split
	if c.Own && interrupted == nil {
		report.About.Queries.File = "facts that the model holds back"
		report.Own, err = claimsOf(a, m, config, cmp.Or(c.Limit, ownQuestions))
		if err != nil {
			return err
		}
	}
	return c.write(a, report, interrupted)
}

// prepare reads or makes the queries, with the configuration for asking them.
func (c *evalCmd) prepare(a *app, m *openModel) (*queryset.Set, eval.Config, error) {
	config := eval.Config{
		Plans: plans, Settings: c.apply(m.Settings()), Semantics: c.choose("", m.Bundle().Manifest.Semantics),
		Filter: eval.EasyFilter(c.Filter), Batch: batch,
	}
	if err := c.checkRead(config.Semantics); err != nil {
		return nil, config, err
	}
	set, err := c.queries(a, m)
	if err != nil {
		return nil, config, err
	}
	config.Full, err = openFullGraph(a, c.Graph, c.Split, c.graphFlags, m)
	if err != nil {
		return nil, config, err
	}
	if config.Full == nil && c.Filter == string(eval.Strict) {
		return nil, config, usagef("--filter strict needs the full graph: give its folder with --graph")
	}
	m.DegreeCache().SetBudget(c.RowsMB << 20)
	prepare := compiler.Options{Engine: compiler.Engine(c.Engine)}
	config.Model, err = m.toDevice(c.deviceFlag, &prepare)
	config.Engine = prepare.Engine
	config.Kernels = prepare.Kernels
	return set, config, err
}

// queries reads the queries, or makes queries of the facts that the model holds back.
func (c *evalCmd) queries(a *app, m *openModel) (*queryset.Set, error) {
	if c.Own {
		return a.heldBackQueries(m, c.Limit)
	}
	return a.openQueries(c.Queries, queryset.Options{Split: c.Split, Shapes: c.Shape, Limit: c.Limit})
}

// write prints the figures and writes the requested reports. After an interrupt, which it returns, it writes none:
// partial figures must not replace a complete file.
func (c *evalCmd) write(a *app, r *evalReport, interrupted error) error {
	if c.JSON == "-" && interrupted == nil {
		return writeJSON(a.stdout, r)
	}
	p := a.printer()
	if r.PutBack > 0 {
		p.Printf("%d of the facts that the model holds back calibrated it: here its graph has them, and the others test it\n\n", r.PutBack)
	}
	for _, t := range r.Tables() {
		if t.Title != "" {
			p.Printf("%s\n", t.Title)
		}
		p.Table(t.Header, t.Rows)
		p.Printf("\n")
	}
	r.writeOwn(p)
	p.Table(nil, r.Report.Facts())
	if r.Done < r.Total {
		p.Printf("\npartial: %d of %d queries are done\n", r.Done, r.Total)
	}
	p.Printf("\nasked %d of %d queries in %s\n", r.Asked, r.Total, tables.Seconds(r.Seconds))
	if p.Err != nil || interrupted != nil {
		return cmp.Or(p.Err, interrupted)
	}
	return writeJSONFile(c.JSON, r)
}

// evaluate runs the queries. The report is nil if there are no results; after an interrupt it covers the finished
// queries.
func (c *evalCmd) evaluate(a *app, set *queryset.Set, config eval.Config) (report *eval.Report, err error) {
	if c.State != "" {
		config.State, err = eval.OpenState(c.State, set, config)
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, config.State.Close()) }()
	}
	config.Progress = a.bar.Counter("evaluate")
	start := time.Now()
	outcome, err := eval.Run(a.ctx, set, config)
	switch {
	case is[*eval.PrepareError](err):
		return nil, cli.Mistake(err)
	case err != nil && !errors.Is(err, context.Canceled):
		return nil, err
	}
	report = eval.Summarize(set, config, outcome)
	report.Seconds = time.Since(start).Seconds()
	return report, err
}
