package main

import (
	"context"
	"errors"
	"fmt"
	goruntime "runtime"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/efoc/efoc/cmd/internal/sample"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime/model/exact"
)

// sampleCmd draws benchmark queries.
type sampleCmd struct {
	Shape []string `placeholder:"SHAPES" predictor:"shape" help:"Benchmark shapes, such as 2p,3c; all 23 if there is no --file either."`
	File  string   `short:"f" placeholder:"FILE.efo" predictor:"efo" help:"File of query templates, whose parameters are to be drawn."`
	Query []string `short:"q" placeholder:"NAMES" help:"Templates of --file; all if not given."`

	modelFlag
	Graph string `short:"g" placeholder:"DIR" predictor:"file" help:"Folder of a graph with its splits, instead of a model: train, valid and test, as .tsv or in the layouts of BetaE and FIT. Without it the facts of the model are taken, and those that it holds back."`
	graphFlags
	Split string `enum:"test,valid,train" default:"test" help:"Where hard answers come from: test, valid or train. Easy answers are those without that split; for train there are none."`

	Output     string `short:"o" required:"" placeholder:"FILE.jsonl" predictor:"file" help:"File to write, a query a line."`
	Count      int    `least:"1" short:"n" default:"100" help:"Number of queries of each shape or template."`
	Seed       uint64 `default:"1" help:"Random seed; the same seed gives the same queries."`
	MaxAnswers int    `default:"100" help:"Most answers that a query may have, easy and hard ones together."`
	MinHard    int    `least:"0" default:"1" help:"Least number of hard answers."`
	Pni        string `enum:"existential,universal" default:"existential" help:"What a negated branch means, as in pni: existential, as the formula says and as in FIT, or universal, as in BetaE."`
	Budget     int    `least:"1" default:"5000000" help:"Work for the answers of a query, in edges looked at, after which it is given up."`
	Workers    int    `least:"1" placeholder:"N" help:"Number of workers; as many as there are processors if not given. It does not change the queries."`
	Resume     bool   `help:"Go on where an interrupted run with the same flags stopped."`
}

// check reports mistakes in the command line.
func (c *sampleCmd) check() error {
	switch {
	case c.MaxAnswers < max(1, c.MinHard):
		return usagef("--max-answers is %d, want %d or more", c.MaxAnswers, max(1, c.MinHard))
	case c.File != "" && len(c.Shape) > 0:
		return usagef("give --shape or --file, not both")
	case c.File == "" && len(c.Query) > 0:
		return usagef("--query picks templates of a file: give the file with --file")
	case c.Graph == "" && c.Split == "valid":
		return usagef("--split valid needs a folder with that split: give it with --graph")
	}
	return checkApart([]namedFile{{"--output", c.Output}, {"the file beside --output,", c.Output + ".part"}},
		[]namedFile{{"--graph", c.Graph}, {"--model", c.Model}, {"--file", c.File}})
}

// Run draws queries.
func (c *sampleCmd) Run(a *app) error {
	if err := c.check(); err != nil {
		return err
	}
	if err := writable(c.Output, c.Output+".part"); err != nil {
		return err
	}
	queries, err := c.queries()
	if err != nil {
		return err
	}
	bar := newBar(a.stderr)
	graphs, err := c.graphs(a, bar)
	bar.clear()
	if err != nil {
		return err
	}
	defer graphs.close()
	var templates []*sample.Template
	for _, q := range queries {
		t, err := q(graphs.names)
		if err != nil {
			return mistake(err)
		}
		templates = append(templates, t)
	}
	run := &sampleRun{
		path: c.Output, templates: templates, workers: c.Workers, bar: bar,
		sampler: sample.New(graphs.small, graphs.full, sample.Options{
			Count: c.Count, Seed: c.Seed, MaxAnswers: c.MaxAnswers, MinHard: c.MinHard,
			Reading: exact.Reading(c.Pni), Budget: c.Budget,
		}),
	}
	if run.workers == 0 {
		run.workers = goruntime.GOMAXPROCS(0)
	}
	if done, err := run.begin(c.Resume); err != nil {
		return err
	} else if done {
		_, err := fmt.Fprintf(a.stderr, "%s is complete\n", c.Output)
		return err
	}
	err = run.draw(a.ctx)
	bar.clear()
	if errors.Is(err, context.Canceled) {
		fmt.Fprintf(a.stderr, "kept %d queries in %s; --resume goes on from there\n", len(run.lines), run.partPath())
	}
	if err != nil {
		return err
	}
	return run.report(a, c.Count)
}

// makeTemplate prepares a template once the names of the graph are known.
type makeTemplate func(lang.Vocabulary) (*sample.Template, error)

// queries returns what is to be drawn.
func (c *sampleCmd) queries() ([]makeTemplate, error) {
	var list []makeTemplate
	if c.File == "" {
		names := c.Shape
		if len(names) == 0 {
			for _, s := range lang.Shapes {
				names = append(names, s.Name)
			}
		}
		for i, name := range names {
			if slices.Contains(names[:i], name) {
				return nil, usagef("--shape gives %s twice", name)
			}
			if _, err := lang.ShapeQuery(name); err != nil {
				return nil, err
			}
			list = append(list, func(lang.Vocabulary) (*sample.Template, error) { return sample.NewShape(name) })
		}
		return list, nil
	}
	f, err := parseFile(c.File)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(f.Queries))
	for i, q := range f.Queries {
		if names[i] = q.Name; len(c.Query) == 0 || slices.Contains(c.Query, q.Name) {
			list = append(list, func(v lang.Vocabulary) (*sample.Template, error) { return sample.NewTemplate(q, v) })
		}
	}
	for _, name := range c.Query {
		if !slices.Contains(names, name) {
			if near := lang.Nearest(name, names, 3); len(near) > 0 {
				names = near
			}
			return nil, usagef("%s has no query %s; there is %s", c.File, name, strings.Join(names, ", "))
		}
	}
	if len(list) == 0 {
		return nil, usagef("%s has no queries", c.File)
	}
	return list, nil
}

// report prints what was drawn. Less of a shape than was asked for is a warning, as
// a graph may have no more; nothing at all is an error.
func (r *sampleRun) report(a *app, count int) error {
	p := &printer{w: a.stdout}
	var rows []table.Row
	var short []string
	for _, st := range r.states {
		rows = append(rows, table.Row{st.Name, len(st.Keys), st.Attempts, st.OverBudget})
		if len(st.Keys) < count {
			short = append(short, fmt.Sprintf("%s (%d)", st.Name, len(st.Keys)))
		}
	}
	p.table([]string{"type", ">queries", ">attempts", ">over budget"}, rows)
	p.printf("\nwrote %d queries to %s\n", len(r.lines), r.path)
	if p.err != nil || len(short) == 0 {
		return p.err
	}
	few := fmt.Sprintf("fewer than %d queries were found of %s: the graph hardly has more of them within --max-answers, --min-hard and --budget",
		count, strings.Join(short, ", "))
	if len(r.lines) == 0 {
		return errors.New(few)
	}
	a.warnf("%s", few)
	return nil
}
