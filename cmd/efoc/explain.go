package main

import (
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/compiler/explain"
	"github.com/efoc/efoc/runtime/model"
)

type explainCmd struct {
	querySource
	semanticsFlag
	settingsFlags
	Format string `enum:"text,json" default:"text" help:"Output: text or json."`
	Plan   bool   `short:"v" help:"Also show the plan before the passes and after each of them."`

	Model  string `short:"m" placeholder:"FILE.efoc" in:"" predictor:"model" help:"Model in which to look up the names of the question, and whose table the passes read."`
	Shards int    `least:"1" most:"1024" placeholder:"N" help:"Count what this many shards exchange to answer the question, with --model: see efoc split."`
}

func (c *explainCmd) Run(a *app) error {
	if err := c.readSettings(); err != nil {
		return err
	}
	var named *modelFlag
	if c.Model != "" {
		named = &modelFlag{c.Model}
	}
	q, err := c.load(a, named)
	if err != nil {
		return err
	}
	if err := c.checkShards(); err != nil {
		return err
	}
	var m *openModel
	var own model.Semantics // of the model, the default without one
	if named != nil {
		if m, err = named.open(a); err != nil {
			return err
		}
		defer m.Close()
		own = m.Manifest.Semantics
	}
	if err := c.bind(m); err != nil {
		return err
	}
	semantics := c.choose(c.file.Semantics, own)
	if err := c.checkRead(semantics); err != nil {
		return err
	}
	if semantics != model.FIT {
		c.setDefault("layers", float64(c.file.Layers))
	}
	analysis := compiler.Analyze(q)
	r, err := explain.New(analysis, c.apply(model.DefaultSettings()).Layers, semantics)
	if err != nil {
		return mistake(err)
	}
	a.warn(r.Warnings)
	if m != nil {
		r.Cost.Table = explain.TableOf(m.Model.Model)
	}
	if c.Shards > 0 {
		if r.Cost.Exchanges, err = c.exchanges(a, analysis, m, semantics); err != nil {
			return err
		}
	}
	if c.Format == "json" {
		return r.JSON(a.stdout, c.Plan)
	}
	return r.Text(a.stdout, c.Plan)
}

// checkShards reports mistakes in what is to be counted.
func (c *explainCmd) checkShards() error {
	switch {
	case c.Shards != 0 && c.Model == "":
		return usagef("--shards answers the question, to count what is exchanged: give a model with --model")
	case c.Shards == 0:
		for x := range c.values {
			if x != model.SettingNamed("layers") {
				return usagef("--with %s changes what shards exchange: give their number with --shards", x.Name)
			}
		}
	}
	return nil
}
