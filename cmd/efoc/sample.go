package main

import (
	"errors"
	"fmt"
	goruntime "runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/efoc/efoc/cmd/internal/cli"
	"github.com/efoc/efoc/cmd/internal/sample"
	"github.com/efoc/efoc/runtime/model/exact"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/importer"
)

type sampleCmd struct {
	Shape []string `placeholder:"SHAPES" help:"Benchmark shapes, such as 2p,3c; by default all."`

	modelFlag
	Graph string `short:"g" placeholder:"GRAPH" in:"" help:"Graph instead of a model: a folder with its splits (train, valid and test, as .tsv or in the layouts of BetaE and FIT), or a file of triples. By default, the facts of the model and those that it holds back."`
	graphFlags
	Split string `enum:"test,valid,train" default:"test" help:"Split of the hard answers: test, valid or train. Easy answers follow without that split; for train there are none."`

	Like       string `enum:",betae,fit" default:"" placeholder:"PROTOCOL" help:"Draw queries with the distribution of published ones: betae or fit. betae reads pni as BetaE does. Their scores are not comparable with those on efoc's own queries, which have fewer answers."`
	Output     string `short:"o" required:"" placeholder:"FILE.jsonl" out:"*" help:"File to write, one query per line."`
	Count      int    `least:"1" short:"n" default:"100" help:"Number of queries of each shape."`
	Seed       uint64 `default:"1" help:"Random seed; the same seed gives the same queries."`
	MinMissing string `placeholder:"N" help:"Keep hard answers that need at least N links that the facts before the split lack, or all of their links (all); others count as easy."`
}

func (c *sampleCmd) check() error {
	switch {
	case c.MinMissing != "" && c.Split == "train":
		return usagef("--min-missing: --split train has no facts before it that could lack links")
	case c.Graph == "" && c.Split == "valid":
		return usagef("--split valid needs a folder with that split: give it with --graph")
	}
	return writable(c.Output)
}

func (c *sampleCmd) Run(a *app) error {
	if err := c.check(); err != nil {
		return err
	}
	templates, err := c.templates()
	if err != nil {
		return err
	}
	var m *openModel
	if c.Graph == "" {
		m, err = c.open(a)
		if err != nil {
			return err
		}
		defer m.Close()
	}
	small, full, err := c.graphs(a, m)
	if err != nil {
		return err
	}
	options, err := c.options(full)
	if err != nil {
		return err
	}
	sampler := sample.New(small, full, options)
	for _, t := range templates {
		if err := sampler.Check(t); err != nil {
			return usagef("%w", err)
		}
	}
	return c.draw(a, sampler, templates)
}

// draw draws the queries, writes them once complete, and prints a summary. Fewer queries of a shape than requested
// are a warning, as a graph may have no more; none at all is an error.
func (c *sampleCmd) draw(a *app, s *sample.Sampler, templates []*sample.Template) error {
	var lines []byte
	var rows []table.Row
	var short []string
	all := 0
	for _, t := range templates {
		drawn, err := s.Draw(a.ctx, t, goruntime.GOMAXPROCS(0), a.bar.Counter("sample "+t.Name))
		if err != nil {
			return err
		}
		line := s.Group(t).LineWriter()
		for _, q := range drawn.Queries {
			lines = line(lines, q)
		}
		n := len(drawn.Queries)
		all += n
		rows = append(rows, table.Row{t.Name, n, drawn.Attempts, drawn.OverBudget})
		if n < c.Count {
			short = append(short, fmt.Sprintf("%s (%d)", t.Name, n))
		}
	}
	if err := writeBytes(c.Output, lines); err != nil {
		return err
	}
	p := a.printer()
	p.Table([]string{"type", ">queries", ">attempts", ">over budget"}, rows)
	p.Printf("\nwrote %d queries to %s\n", all, c.Output)
	if p.Err != nil || len(short) == 0 {
		return p.Err
	}
	few := fmt.Sprintf("fewer than %d queries were found of %s: the graph hardly has more",
		c.Count, strings.Join(short, ", "))
	if all == 0 {
		return errors.New(few)
	}
	a.warnf("%s", few)
	return nil
}

// Bounds on a query: on the answers of efoc's own, and on the edges that are visited for its answers.
const (
	maxAnswers = 100
	maxEdges   = 5_000_000
)

// options returns the sampler's options. full has all facts.
func (c *sampleCmd) options(full *graph.Graph) (sample.Options, error) {
	o := sample.Options{
		Like: sample.Protocol(c.Like), Count: c.Count, Seed: c.Seed, MaxAnswers: maxAnswers, MinHard: 1,
		Budget: maxEdges, Split: c.Split, AllMissing: c.MinMissing == "all",
	}
	if release := sample.ReleaseOf(full); c.Like != "" {
		o.MaxAnswers = 0
		o.MaxHard = release.MaxHard
		if c.MinMissing == "" {
			o.Pool = release.Queries
		}
	}
	if c.MinMissing != "" && !o.AllMissing {
		n, err := strconv.Atoi(c.MinMissing)
		if err != nil || n < 1 {
			return o, usagef("--min-missing is %q, want a number from 1 on, or all", c.MinMissing)
		}
		o.MinMissing = n
	}
	return o, nil
}

// templates returns the shapes to draw.
func (c *sampleCmd) templates() (shapes []*sample.Template, err error) {
	names := c.Shape
	if len(names) == 0 {
		names = sample.Protocol(c.Like).Shapes()
	}
	if len(slices.Compact(slices.Sorted(slices.Values(names)))) < len(names) {
		return nil, usagef("--shape gives a shape twice")
	}
	for _, name := range names {
		t, err := sample.NewShape(name)
		if err != nil {
			return nil, cli.Mistake(err)
		}
		shapes = append(shapes, t)
	}
	return shapes, nil
}

// graphs returns the graphs without and with the split to draw from, of the folder or of the model, whose test split
// is its held-back facts. small is nil for the training split.
func (c *sampleCmd) graphs(a *app, m *openModel) (small, full *graph.Graph, err error) {
	if m != nil {
		switch {
		case c.Split != "test":
			return nil, m.Bundle().Graph, nil
		case m.Bundle().Heldout == nil:
			return nil, nil, fmt.Errorf("model %s holds no facts back: draw from its own with --split train, or from a folder with --graph", c.Model)
		}
		full, err = exact.Union(m.Bundle().Graph, m.Bundle().Heldout)
		return m.Bundle().Graph, full, err
	}
	s, err := importer.ReadDataset(a.ctx, c.importOptions(a, c.Graph), importer.SplitFiles{})
	if err != nil {
		return nil, nil, err
	}
	before := slices.Concat(s.Train, s.Valid)
	split := s.Test
	switch c.Split {
	case "valid":
		before = s.Train
		split = s.Valid
	case "train":
		before = nil
		split = s.Train
	}
	if len(split) == 0 {
		return nil, nil, fmt.Errorf("%s has no facts of the %s split", c.Graph, c.Split)
	}
	if c.Split != "train" {
		small, err = s.Graph(before)
		if err != nil {
			return nil, nil, err
		}
	}
	full, err = s.Graph(before, split)
	return small, full, err
}
