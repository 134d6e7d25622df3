package main

import (
	goruntime "runtime"

	"github.com/efoc/efoc/compiler/cost"
	"github.com/efoc/efoc/compiler/explain"
	"github.com/efoc/efoc/runtime/model"
)

type explainCmd struct {
	querySource
	Layers    int    `placeholder:"L" help:"Number of layers; 0 for one more than there are variables."`
	Format    string `enum:"text,dot,json" default:"text" help:"Output: text, dot or json; dot is the query graph for graphviz."`
	Semantics string `enum:"nsmp,fit,mixed," default:"" placeholder:"SEMANTICS" help:"What answers mean, as with ask: nsmp, fit or mixed; with --model the model's default if not given, nsmp without."`
	Plan      bool   `short:"v" help:"Show the plan too, as it is before the passes and after each of them."`

	Entities   int    `group:"estimate" placeholder:"N" help:"Number of entities."`
	Rank       int    `group:"estimate" placeholder:"D" help:"Rank of the embeddings."`
	Model      string `group:"estimate" short:"m" placeholder:"FILE.efoc" predictor:"model" help:"Model to take the sizes of, instead."`
	Candidates int    `group:"estimate" placeholder:"K" help:"Number of best entities of a variable whose links are predicted, with --semantics fit or mixed; the model's if not given, or the usual number."`
	Shards     int    `least:"1" most:"1024" placeholder:"N" help:"Count what is exchanged when the question is answered on so many shards, with --model: see efoc split."`
	Calibrate  bool   `group:"estimate" help:"Measure how fast this machine is, and predict the time."`
}

// Bounds on the sizes that are asked for.
const (
	maxEntities  = 1 << 31
	maxRank      = 1 << 16
	maxSynthetic = 1 << 32 // bytes of a table that is made up for measuring
)

func (c *explainCmd) Run(a *app) error {
	if err := model.LayersRange.CheckWhole(c.Layers); err != nil {
		return usagef("--%w", err)
	}
	q, err := c.load(a)
	if err != nil {
		return err
	}
	if err := c.checkSizes(); err != nil {
		return err
	}
	var m *openModel
	standard := model.NSMP
	if c.Model != "" {
		if m, err = (modelFlag{Model: c.Model}).open(a); err != nil {
			return err
		}
		defer m.Close()
		standard = m.Manifest.Semantics
	}
	if err := c.bind(m); err != nil {
		return err
	}
	c.Semantics = c.chosen(c.Semantics, standard)
	if c.Layers != 0 && c.Semantics == model.FIT.String() {
		return usagef("--layers is a setting of message passing, which --semantics fit does not read")
	}
	if c.Candidates != 0 && c.Semantics == model.NSMP.String() {
		return usagef("--candidates is a setting of truth degrees: add --semantics fit or mixed")
	}
	if c.Layers == 0 && c.Semantics != model.FIT.String() {
		c.Layers = c.file.Layers
	}
	r, err := explain.New(q, c.Layers, semanticsOf(c.Semantics))
	if err != nil {
		return mistake(err)
	}
	a.warn(r.Warnings)
	if err := c.estimate(a, r, m); err != nil {
		return err
	}
	if c.Shards > 0 {
		if r.Cost.Exchanges, err = c.exchanges(a, q, m); err != nil {
			return err
		}
	}
	switch c.Format {
	case "dot":
		return r.DOT(a.stdout)
	case "json":
		return r.JSON(a.stdout, c.Plan)
	}
	return r.Text(a.stdout, c.Plan)
}

// checkSizes reports mistakes in the sizes to estimate for.
func (c *explainCmd) checkSizes() error {
	if c.Candidates != 0 {
		if err := model.CandidatesRange.CheckWhole(c.Candidates); err != nil {
			return usagef("--%w", err)
		}
	}
	switch {
	case c.Shards != 0 && c.Model == "":
		return usagef("--shards answers the question, to count what is exchanged: give a model with --model")
	case c.Model != "" && (c.Entities != 0 || c.Rank != 0):
		return usagef("--model has the sizes: it takes no --entities or --rank")
	case (c.Entities == 0) != (c.Rank == 0):
		return usagef("give both --entities and --rank, or neither")
	case c.Entities < 0 || c.Entities > maxEntities:
		return usagef("--entities is %d, want 1 to %d", c.Entities, maxEntities)
	case c.Rank < 0 || c.Rank > maxRank:
		return usagef("--rank is %d, want 1 to %d", c.Rank, maxRank)
	case c.Candidates != 0 && c.Model == "" && c.Entities == 0:
		return usagef("--candidates needs sizes: give --entities and --rank, or --model")
	case c.Calibrate && c.Model == "" && c.Entities == 0:
		return usagef("--calibrate needs sizes: give --entities and --rank, or --model")
	case c.Calibrate && c.Format == "dot":
		return usagef("--calibrate cannot be combined with --format dot")
	}
	if size := (cost.Sizes{Entities: c.Entities, Rank: c.Rank}).TableBytes(); c.Calibrate && size > maxSynthetic {
		return usagef("--calibrate: a table of %sB is too large to measure with, want at most %sB",
			cost.Scale(size), cost.Scale(maxSynthetic))
	}
	return nil
}

// estimate adds the cost on the tables of a model, or on tables of the size that is asked for.
func (c *explainCmd) estimate(a *app, r *explain.Report, m *openModel) error {
	if c.Model == "" && c.Entities == 0 {
		return nil
	}
	sizes := cost.Sizes{Entities: c.Entities, Rank: c.Rank}
	var table *model.Table
	var codes *explain.Codes
	var err error
	switch {
	case m != nil:
		sizes, table = cost.SizesOf(m.Model), &m.Predictor.EntityTable
		codes = explain.CodesOf(m.Model.Model)
		sizes.Candidates = m.Manifest.SettingsFor(r.Shape).Degrees.OrDefault().Candidates
	case c.Calibrate:
		if table, err = cost.Synthetic(c.Entities, c.Rank); err != nil {
			return err
		}
	}
	switch {
	case c.Semantics == model.NSMP.String():
		sizes.Candidates = 0 // which message passing has none of
	case c.Candidates > 0:
		sizes.Candidates = c.Candidates
	}
	var constants *cost.Constants
	if c.Calibrate {
		if constants, err = cost.Measure(a.ctx, table, goruntime.GOMAXPROCS(0)); err != nil {
			return err
		}
	}
	r.Estimate(sizes, codes, constants)
	return nil
}
