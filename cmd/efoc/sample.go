package main

import (
	"cmp"
	"errors"
	"fmt"
	goruntime "runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/efoc/efoc/cmd/internal/cli"
	"github.com/efoc/efoc/cmd/internal/sample"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/exact"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/importer"
)

type sampleCmd struct {
	Shape []string `xor:"what" placeholder:"SHAPES" predictor:"shape" help:"Benchmark shapes, such as 2p,3c; by default all, unless there is a --file."`
	File  string   `short:"f" xor:"what" placeholder:"FILE.efo" in:"" predictor:"efo" help:"File of query templates for which to draw parameters."`
	Query []string `short:"q" placeholder:"NAMES" help:"Templates of --file; by default all."`

	modelFlag
	Graph string `short:"g" placeholder:"GRAPH" in:"" predictor:"file" help:"Graph instead of a model: a folder with its splits (train, valid and test, as .tsv or in the layouts of BetaE and FIT), or a file of triples. By default, the facts of the model and those that it holds back."`
	graphFlags
	holdoutFlag
	Split string `enum:"test,valid,train" default:"test" help:"Split of the hard answers: test, valid or train. Easy answers follow without that split; for train there are none."`

	Like       string `enum:",betae,fit" default:"" placeholder:"PROTOCOL" predictor:"protocol" help:"Draw queries with the distribution of published ones: betae or fit. Their scores are not comparable with those on efoc's own queries, which have fewer answers."`
	Output     string `short:"o" required:"" placeholder:"FILE.jsonl" out:"*" predictor:"file" help:"File to write, one query per line."`
	Count      int    `least:"1" short:"n" default:"100" help:"Number of queries of each shape or template."`
	Seed       uint64 `default:"1" help:"Random seed; the same seed gives the same queries."`
	MaxAnswers int    `least:"1" placeholder:"N" help:"Maximum number of answers per query, easy and hard ones together; by default 100, with --like any number."`
	Hard       string `placeholder:"MIN..MAX" help:"Number of hard answers, such as 1..80, 2 or 5..; by default 1.., with --like as in the published queries: 1..80 over NELL995, otherwise 1..100."`
	MinMissing string `placeholder:"N" help:"Keep hard answers that need at least N links that the facts before the split lack, or all of their links (all); others count as easy."`
	Pni        string `enum:"existential,universal" default:"existential" help:"Reading of a negated branch, as in pni: existential, as the formula says and as in FIT, or universal, as in BetaE."`
	MaxEdges   int    `least:"1" default:"5000000" placeholder:"N" help:"Give up a query after visiting this many edges for its answers (default: ${default})."`
	Threads    int    `least:"1" placeholder:"N" help:"Number of threads; by default one per processor. It does not change the queries."`

	minHard, maxHard int // from --hard; maxHard 0 means no bound
}

func (c *sampleCmd) check() error {
	if err := c.readHard(); err != nil {
		return err
	}
	switch {
	case c.maxAnswers() > 0 && c.maxAnswers() < c.minHard:
		return usagef("--max-answers is %d, want %d or more", c.maxAnswers(), c.minHard)
	case c.MinMissing != "" && c.Split == "train":
		return usagef("--min-missing: --split train has no facts before it that could lack links")
	case c.File == "" && len(c.Query) > 0:
		return usagef("--query picks templates of a file: give the file with --file")
	case c.Graph == "" && c.Holdout != nil:
		return usagef("--holdout puts facts of a graph aside: give the graph with --graph; a model has its own put aside by efoc train --holdout")
	case c.Graph == "" && c.Split == "valid":
		return usagef("--split valid needs a folder with that split: give it with --graph")
	}
	return writable(c.Output)
}

func (c *sampleCmd) Run(a *app) error {
	if err := c.check(); err != nil {
		return err
	}
	templates, queries, err := c.templates(a)
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
	small, full, names, err := c.graphs(a, m)
	if err != nil {
		return err
	}
	for _, q := range queries {
		t, err := sample.NewTemplate(q, names)
		if err != nil {
			return cli.Mistake(err)
		}
		templates = append(templates, t)
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
		drawn, err := s.Draw(a.ctx, t, cmp.Or(c.Threads, goruntime.GOMAXPROCS(0)), func(found, of int) {
			a.bar.Counts("sample "+t.Name, found, of)
		})
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
	p.table([]string{"type", ">queries", ">attempts", ">over budget"}, rows)
	p.printf("\nwrote %d queries to %s\n", all, c.Output)
	if p.err != nil || len(short) == 0 {
		return p.err
	}
	few := fmt.Sprintf("fewer than %d queries were found of %s: the graph hardly has more of them within --max-answers, --hard, --min-missing and --max-edges",
		c.Count, strings.Join(short, ", "))
	if all == 0 {
		return errors.New(few)
	}
	a.warnf("%s", few)
	return nil
}

// readHard parses --hard.
func (c *sampleCmd) readHard() (err error) {
	c.minHard = 1
	if c.Hard == "" {
		return nil
	}
	low, high, isRange := strings.Cut(c.Hard, "..")
	c.minHard, err = strconv.Atoi(low)
	c.maxHard = c.minHard
	if isRange && err == nil {
		c.maxHard = 0
		if high != "" {
			c.maxHard, err = strconv.Atoi(high)
		}
	}
	if err != nil || c.minHard < 0 || high != "" && c.maxHard < max(1, c.minHard) || !isRange && c.minHard == 0 {
		return usagef("--hard is %q, want MIN..MAX, MIN.. or a number above 0", c.Hard)
	}
	return nil
}

// maxAnswers returns --max-answers or its default, 0 for no bound.
func (c *sampleCmd) maxAnswers() int {
	if c.Like == "" {
		return cmp.Or(c.MaxAnswers, 100)
	}
	return c.MaxAnswers
}

// options returns the sampler's options. full has all facts.
func (c *sampleCmd) options(full *graph.Graph) (sample.Options, error) {
	o := sample.Options{
		Like: sample.Protocol(c.Like), Count: c.Count, Seed: c.Seed, MaxAnswers: c.maxAnswers(), MaxHard: c.maxHard, MinHard: c.minHard,
		Reading: exact.Reading(c.Pni), Budget: c.MaxEdges, Split: c.Split, AllMissing: c.MinMissing == "all",
	}
	if release := sample.ReleaseOf(full); c.Like != "" {
		if c.Hard == "" {
			o.MaxHard = release.MaxHard
		}
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

// templates returns the templates to draw from: shapes, or the queries of a file, which become templates once the
// names of the graph are known.
func (c *sampleCmd) templates(a *app) (shapes []*sample.Template, queries []*lang.Query, err error) {
	if c.File != "" {
		_, queries, refused, err := pickQueries(c.File, c.Query)
		queries = slices.DeleteFunc(queries, func(q *lang.Query) bool {
			several := len(q.Others) > 0
			if several {
				a.warnf("query %s is left out: it has %d answer variables, and queries are drawn with one", q.Name, len(q.Others)+1)
			}
			return several
		})
		switch {
		case err != nil:
			return nil, nil, err
		case len(queries)+len(refused) == 0:
			return nil, nil, usagef("%s has no query with one answer variable", c.File)
		case len(queries) == 0:
			return nil, nil, refused
		case len(refused) > 0:
			a.refuse(refused)
		}
		return nil, queries, nil
	}
	names := c.Shape
	if len(names) == 0 {
		names = sample.Protocol(c.Like).Shapes()
	}
	if name, ok := cli.Repeated(names); ok {
		return nil, nil, usagef("--shape gives %s twice", name)
	}
	for _, name := range names {
		t, err := sample.NewShape(name)
		if err != nil {
			return nil, nil, cli.Mistake(err)
		}
		shapes = append(shapes, t)
	}
	return shapes, nil, nil
}

// advice explains how to give a graph a test split.
func (c *sampleCmd) advice() string {
	if c.Split == "test" {
		return ": put some aside with --holdout 5%"
	}
	return ""
}

// graphs returns the graphs without and with the split to draw from, of the folder or of the model, whose test split
// is its held-back facts. small is nil for the training split.
func (c *sampleCmd) graphs(a *app, m *openModel) (small, full *graph.Graph, names lang.Vocabulary, err error) {
	if m != nil {
		switch {
		case c.Split != "test":
			return nil, m.Bundle().Graph, m.Bundle(), nil
		case m.Bundle().Heldout == nil:
			return nil, nil, nil, fmt.Errorf("model %s holds no facts back: draw from its own with --split train, or from a folder with --graph", c.Model)
		}
		full, err = exact.Union(m.Bundle().Graph, m.Bundle().Heldout)
		return m.Bundle().Graph, full, m.Bundle(), err
	}
	s, err := importer.ReadDataset(a.ctx, c.importOptions(a, c.Graph), importer.SplitFiles{})
	if err != nil {
		return nil, nil, nil, err
	}
	if err := c.putAside(a, s); err != nil {
		return nil, nil, nil, err
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
		return nil, nil, nil, fmt.Errorf("%s has no facts of the %s split%s", c.Graph, c.Split, c.advice())
	}
	if c.Split != "train" {
		small, err = s.Graph(before)
		if err != nil {
			return nil, nil, nil, err
		}
	}
	full, err = s.Graph(before, split)
	// Looking names up needs only the model's two name tables.
	return small, full, &model.Model{Entities: s.Entities, Relations: s.Relations}, err
}
