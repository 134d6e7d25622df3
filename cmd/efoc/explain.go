package main

import (
	"errors"

	"github.com/efoc/efoc/cmd/internal/cli"
	"github.com/efoc/efoc/cmd/internal/explain"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/compiler/stages"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/shards"
)

type explainCmd struct {
	querySource
	semanticsFlag
	settingsFlags
	Format string `enum:"text,json" default:"text" help:"Output: text or json."`
	Plan   bool   `short:"v" help:"Also show the plan before the passes and after each of them."`

	Model  string `short:"m" placeholder:"FILE.efoc" in:"" predictor:"model" help:"Model in which to look up the names of the question, and whose table the sweeps read."`
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
	if c.Shards > 0 {
		r.Cost.Exchanges, err = c.exchanges(a, analysis, m, semantics)
		if err != nil {
			return err
		}
	}
	if c.Format == "json" {
		return r.JSON(a.stdout, c.Plan)
	}
	return r.Text(a.stdout, c.Plan)
}

// checkShards reports invalid flags for counting exchanges.
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

// exchanges answers the question on shards of the model, which are views of it in this process, and counts their
// exchanges. Processes started by mpirun make the same exchanges: see TestMPITraffic.
func (c *explainCmd) exchanges(a *app, q *stages.Analysis, m *openModel, semantics model.Semantics) (e *explain.Exchanges, err error) {
	switch n := m.NumEntities(); {
	case len(q.Source.Params) > 0:
		return nil, usagef("--shards answers the question: give one without parameters, a formula")
	case c.Shards > n:
		return nil, usagef("--shards %d: the model has %d entities, a shard needs at least one", c.Shards, n)
	}
	var traffic shards.Traffic
	split, end, err := shards.Here(m.Now().Bundle(), c.Shards, stages.Distributed, &traffic)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, end()) }()
	settings := c.apply(m.Settings())
	p, err := compiler.Prepare(split, q, compiler.Options{Settings: &settings, Plans: plans, Semantics: &semantics})
	if err != nil {
		return nil, err
	}
	distributed, err := p.Compiled().Distribute()
	if err != nil {
		return nil, err
	}
	e = &explain.Exchanges{Shards: c.Shards, Plan: distributed.String()}
	before := sent(&traffic) // at the start
	if _, err := p.Ask(a.ctx, nil, runtime.Options{K: 10}); err != nil {
		return nil, err
	}
	after := sent(&traffic)
	e.Count = after.Count - before.Count
	e.Messages = after.Messages - before.Messages
	e.Bytes = after.Bytes - before.Bytes
	e.WireBytes = after.WireBytes - before.WireBytes
	return e, nil
}

// sent returns the exchanges so far.
func sent(t *shards.Traffic) explain.Exchanges {
	return explain.Exchanges{Count: t.Exchanges(), Messages: t.Messages(), Bytes: t.Bytes(), WireBytes: t.WireBytes()}
}
