package main

import (
	"cmp"
	"fmt"

	"github.com/efoc/efoc/cmd/internal/claims"
	"github.com/efoc/efoc/cmd/internal/eval"
	"github.com/efoc/efoc/cmd/internal/queryset"
	"github.com/efoc/efoc/cmd/internal/sample"
	"github.com/efoc/efoc/cmd/internal/tables"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/exact"
)

// ownQuestions is the number of questions of each kind that --own asks by default.
const ownQuestions = 1000

// evalReport is the report of eval, with what --own adds.
type evalReport struct {
	*eval.Report
	Own *claims.Report `json:"own,omitempty"`
}

// queries reads the files of queries, or makes queries of the facts that the model holds back.
func (c *evalCmd) queries(a *app, m *openModel) (*queryset.Set, error) {
	if !c.Own {
		return c.openQueries(a)
	}
	if m.Heldout == nil || m.Heldout.NumTriples() == 0 {
		return nil, fmt.Errorf("the model holds no facts back: train it with --holdout 5%%, or give --heldout FILE to import or train")
	}
	full, err := exact.Union(m.Graph, m.Heldout)
	if err != nil {
		return nil, err
	}
	t, err := sample.NewShape("1p")
	if err != nil {
		return nil, err
	}
	sampler := sample.New(m.Graph, full, sample.Options{ // 1p are the facts, read in either direction
		Like: sample.BetaE, Count: cmp.Or(c.Limit, ownQuestions), Seed: 1, MinHard: 1, Budget: ownBudget,
	})
	drawn, err := sampler.Draw(a.ctx, t, m.Pool().Size(), nil)
	if err != nil {
		return nil, err
	}
	group := sampler.Group(t)
	for _, q := range drawn.Queries {
		q.Like = "" // but not those of a benchmark
		group.Queries = append(group.Queries, q)
	}
	return &queryset.Set{Groups: []*queryset.Group{group}}, nil
}

// ownBudget bounds the work for the answers of a question.
const ownBudget = 5_000_000

// claims measures confidence, if the model has any.
func (c *evalCmd) claims(a *app, m *openModel, placed *runtime.Model, prepare compiler.PrepareOptions, config eval.Config) (*claims.Report, error) {
	if len(m.Manifest.Confidence) == 0 {
		a.warnf("the model has no confidence to measure: calibrate it, see efoc calibrate")
		return nil, nil
	}
	var aside []model.Triple
	for r := model.RelationID(0); int(r) < m.NumRelations(); r += 2 {
		heads, tails := m.Heldout.Edges(r)
		for i, h := range heads {
			if t := model.EntityID(tails[i]); !m.Graph.Has(model.EntityID(h), r, t) {
				aside = append(aside, model.Triple{Head: model.EntityID(h), Relation: int32(r / 2), Tail: t})
			}
		}
	}
	prepare.Plans = plans
	prepare.Semantics = &config.Semantics
	return claims.Measure(a.ctx, placed, aside, claims.Options{
		Questions: cmp.Or(c.Limit, ownQuestions), Seed: 1, Prepare: prepare, Settings: &config.Settings, Progress: a.bar.counter("confidence"),
	})
}

// writeOwn prints what --own adds.
func (r *evalReport) writeOwn(p *printer) {
	if r.Own == nil {
		return
	}
	p.printf("Confidence of the ten best predicted answers: the sum, and how many are true\n%s\n\n%s\n\n", r.Own.Table(), tables.Text(nil, r.Own.Facts()))
}
