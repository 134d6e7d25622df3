package main

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/efoc/efoc/cmd/internal/claims"
	"github.com/efoc/efoc/cmd/internal/eval"
	"github.com/efoc/efoc/cmd/internal/queryset"
	"github.com/efoc/efoc/cmd/internal/sample"
	"github.com/efoc/efoc/cmd/internal/tables"
	"github.com/efoc/efoc/runtime/model/exact"
	"github.com/efoc/efoc/runtime/model/graph"
)

// ownQuestions is the default number of questions of each kind for --own.
const ownQuestions = 1000

// evalReport is the report of eval with the results of --own.
type evalReport struct {
	*eval.Report
	Own *claims.Report `json:"own,omitempty"`
}

// heldBackQueries makes queries of the model's held-back facts, at most limit or, by default, ownQuestions.
func (a *app) heldBackQueries(m *openModel, limit int) (*queryset.Set, error) {
	if len(heldBack(m)) == 0 {
		return nil, fmt.Errorf("the model holds no facts back: train it with --holdout 5%%, or give --heldout FILE to import or train")
	}
	full, err := exact.Union(m.Bundle().Graph, m.Bundle().Heldout)
	if err != nil {
		return nil, err
	}
	t, err := sample.NewShape("1p")
	if err != nil {
		return nil, err
	}
	sampler := sample.New(m.Bundle().Graph, full, sample.Options{ // 1p queries are facts, read in either direction
		Like: sample.BetaE, Count: cmp.Or(limit, ownQuestions), Seed: 1, MinHard: 1, Budget: ownBudget,
	})
	drawn, err := sampler.Draw(a.ctx, t, m.Bundle().Pool().Size(), nil)
	if err != nil {
		return nil, err
	}
	group := sampler.Group(t)
	group.Queries = append(group.Queries, drawn.Queries...)
	return &queryset.Set{Groups: []*queryset.Group{group}}, nil
}

// ownBudget bounds the work for the answers of a question.
const ownBudget = 5_000_000

// claimsOf measures confidence on the given number of questions of each kind, if the model has confidences.
func claimsOf(a *app, m *openModel, config eval.Config, questions int) (*claims.Report, error) {
	if len(m.Bundle().Manifest.Confidence) == 0 {
		a.warnf("the model has no confidence to measure: calibrate it, see efoc calibrate")
		return nil, nil
	}
	if m.Bundle().Manifest.Missing.HeldBack {
		a.warnf("the model was calibrated by the facts that --own asks for: the figures of its confidence are too good")
	}
	return claims.Measure(a.ctx, config.Model, heldBack(m), claims.Options{
		Questions: questions, Seed: 1, Semantics: &config.Semantics, Settings: &config.Settings, Progress: a.bar.Counter("confidence"),
	})
}

// heldBack returns the facts that a model holds back, without facts in its graph.
func heldBack(m *openModel) (facts []graph.Triple) {
	if m.Bundle().Heldout == nil {
		return nil
	}
	for r := graph.RelationID(0); int(r) < m.NumRelations(); r += 2 {
		heads, tails := m.Bundle().Heldout.Edges(r)
		for i, h := range heads {
			t := graph.Triple{Head: graph.EntityID(h), Relation: int32(r / 2), Tail: graph.EntityID(tails[i])}
			if !m.Bundle().Graph.Has(t.Head, r, t.Tail) {
				facts = append(facts, t)
			}
		}
	}
	return facts
}

// writeOwn prints the results of --own.
func (r *evalReport) writeOwn(p *printer) {
	if r.Own == nil {
		return
	}
	p.printf("Confidence of the ten best predicted answers: the sum, and how many are true\n%s\n\n%s\n\n", strings.Join(r.Own.Tables(), "\n\n"), tables.Text(nil, r.Own.Facts()))
}
