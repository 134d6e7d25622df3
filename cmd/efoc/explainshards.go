package main

import (
	"errors"

	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/compiler/explain"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/collective"
	"github.com/efoc/efoc/runtime/model"
)

// exchanges answers the question on shards of the model, views of it in this process, and
// counts what they exchange. Processes that mpirun has started exchange the same: see
// TestMPITraffic.
func (c *explainCmd) exchanges(a *app, q *compiler.Analysis, m *openModel, semantics model.Semantics) (e *explain.Exchanges, err error) {
	switch n := m.NumEntities(); {
	case len(q.Source.Params) > 0:
		return nil, usagef("--shards answers the question: give one without parameters, a formula")
	case c.Shards > n:
		return nil, usagef("--shards %d: the model has %d entities, a shard needs at least one", c.Shards, n)
	}
	var traffic collective.Traffic
	split, end, err := runtime.SplitHere(m.Now().Model, runtime.Split{Of: c.Shards, Traffic: &traffic}, compiler.Distributed)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, end()) }()
	settings := c.apply(m.Manifest.Settings)
	p, err := q.Prepare(split, compiler.PrepareOptions{Settings: &settings, Plans: plans, Semantics: &semantics})
	if err != nil {
		return nil, err
	}
	distributed, err := p.Compiled.Distribute()
	if err != nil {
		return nil, err
	}
	e = &explain.Exchanges{Shards: c.Shards, Plan: distributed.String()}
	before := sent(&traffic) // at the start
	if _, err := p.Answer(a.ctx, runtime.Options{K: 10}); err != nil {
		return nil, err
	}
	after := sent(&traffic)
	e.Count, e.Messages = after.Count-before.Count, after.Messages-before.Messages
	e.Bytes, e.WireBytes = after.Bytes-before.Bytes, after.WireBytes-before.WireBytes
	return e, nil
}

// sent returns what was exchanged so far.
func sent(t *collective.Traffic) explain.Exchanges {
	return explain.Exchanges{Count: t.Exchanges(), Messages: t.Messages(), Bytes: t.Bytes(), WireBytes: t.WireBytes()}
}
