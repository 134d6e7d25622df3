package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/efoc/efoc/cmd/internal/calibrate"
	"github.com/efoc/efoc/cmd/internal/claims"
	"github.com/efoc/efoc/cmd/internal/eval"
	"github.com/efoc/efoc/cmd/internal/print"
	"github.com/efoc/efoc/cmd/internal/queryset"
	"github.com/efoc/efoc/cmd/internal/sample"
	"github.com/efoc/efoc/cmd/internal/tables"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/exact"
)

// ownQuestions is the default number of questions of each kind for --own.
const ownQuestions = 1000

// evalReport is the report of eval with the results of --own.
type evalReport struct {
	*eval.Report
	Own *claims.Report `json:"own,omitempty"`
	// PutBack is the number of facts held back that calibrated the model and are in its graph here.
	PutBack int `json:"put_back,omitempty"`
}

// heldBackQueries makes queries of the model's held-back facts, at most limit or, by default, ownQuestions.
func (a *app) heldBackQueries(m *openModel, limit int) (*queryset.Set, error) {
	if used, unused := calibrate.HeldBack(m.Bundle()); len(used)+len(unused) == 0 {
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
	used, unused := calibrate.HeldBack(m.Bundle())
	if len(unused) == 0 {
		a.warnf("the model was calibrated by the facts that --own asks for: the figures of its confidence are too good")
	}
	return claims.Measure(a.ctx, config.Model, slices.Concat(used, unused), claims.Options{
		Questions: questions, Seed: 1, Semantics: &config.Semantics, Settings: &config.Settings, Progress: a.bar.Counter("confidence"),
	})
}

// putBack adds the facts held back that calibrated a model to its graph, and has it assume that all others are missing,
// which alone can test it. It returns their number. If there are no others, it changes nothing.
func (m *openModel) putBack() (int, error) {
	used, unused := calibrate.HeldBack(m.Bundle())
	if len(used) == 0 || len(unused) == 0 {
		return 0, nil
	}
	if _, err := m.Change(model.Change{Add: used}); err != nil {
		return 0, err
	}
	share, err := calibrate.Share(m.Bundle().Graph, unused)
	m.Bundle().Manifest.Missing.Assumed = share
	return len(used), err
}

// writeOwn prints the results of --own.
func (r *evalReport) writeOwn(p *print.Printer) {
	if r.Own == nil {
		return
	}
	p.Printf("Confidence of the ten best predicted answers: the sum, and how many are true\n%s\n\n%s\n\n", strings.Join(r.Own.Tables(), "\n\n"), tables.Text(nil, r.Own.Facts()))
}
