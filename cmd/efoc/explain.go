package main

import (
	"github.com/efoc/efoc/cmd/internal/cli"
	"github.com/efoc/efoc/cmd/internal/explain"
	"github.com/efoc/efoc/compiler/stages"
	"github.com/efoc/efoc/runtime/model"
)

type explainCmd struct {
	querySource
	semanticsFlag
	settingsFlags
	Format string `enum:"text,json" default:"text" help:"Output: text or json."`
	Plan   bool   `short:"v" help:"Also show the plan before the passes and after each of them."`

	Model string `short:"m" placeholder:"FILE.efoc" in:"" help:"Model in which to look up the names of the question, and whose table the sweeps read."`
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
	for x := range c.values {
		if x != model.SettingNamed("layers") {
			return usagef("--with %s: the plan is the same with any value", x.Name)
		}
	}
	var m *openModel
	var own model.Semantics // the model's, or the default without a model
	if named != nil {
		m, err = named.open(a)
		if err != nil {
			return err
		}
		defer m.Close()
		own = m.Bundle().Manifest.Semantics
	}
	if err := c.bind(m); err != nil {
		return err
	}
	semantics := c.choose(c.file.Semantics, own)
	if err := c.checkRead(semantics); err != nil {
		return err
	}
	c.setDefaultLayers(c.file.Layers)
	analysis := stages.Analyze(q)
	r, err := explain.New(analysis, c.apply(model.DefaultSettings()).Layers, semantics)
	if err != nil {
		return cli.Mistake(err)
	}
	a.warn(r.Warnings)
	if m != nil {
		if _, err := q.Resolve(m.Bundle()); err != nil {
			return cli.Mistake(err)
		}
		r.Cost.Table = explain.TableOf(m.Bundle())
	}
	if c.Format == "json" {
		return r.JSON(a.stdout, c.Plan)
	}
	return r.Text(a.stdout, c.Plan)
}
