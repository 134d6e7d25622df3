package claims

import (
	"context"
	"fmt"
	"strconv"

	"github.com/efoc/efoc/cmd/internal/eval"
	"github.com/efoc/efoc/cmd/internal/missing"
	"github.com/efoc/efoc/cmd/internal/queryset"
	"github.com/efoc/efoc/cmd/internal/sample"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/runtime/model/graph"
)

const (
	// answerBudget bounds the work for the answers of a query that is drawn, mostHard their number, and drawAttempts the
	// attempts to draw one.
	answerBudget, mostHard, drawAttempts = 1_000_000, 100, 100
	// rowShare is the number of questions to one for rows, and missingEach the questions to one that the likeliest missing
	// facts are looked for by.
	rowShare, missingEach = 4, 20
)

// drawn returns ordinary queries of a benchmark shape.
func (a *asker) drawn(ctx context.Context, shape string, count int) (*sample.Template, []queryset.Case, error) {
	t, err := sample.NewShape(shape)
	if err != nil {
		return nil, nil, err
	}
	s := sample.New(a.model.Bundle().Graph, a.full, sample.Options{
		Count: count, Seed: a.seed, MaxHard: mostHard, Budget: answerBudget, Attempts: drawAttempts * count,
	})
	d, err := s.Draw(ctx, t, a.model.Bundle().Pool().Size(), nil)
	if err != nil {
		return nil, nil, err
	}
	return t, d.Queries, nil
}

// prepare returns how questions are compiled.
func (a *asker) prepare() compiler.Options { return compiler.Options{Semantics: a.options.Semantics} }

// rows asks ordinary questions for rows of two entities.
func (a *asker) rows(ctx context.Context) (asked int, claims []claim, err error) {
	t, queries, err := a.drawn(ctx, "2p", max(1, a.count/rowShare))
	if err != nil {
		return 0, nil, err
	}
	for _, q := range queries {
		args := map[string]int32{}
		for i, p := range t.Query.Params {
			args[p.Name] = q.Args[i]
		}
		start, first, second := graph.EntityID(args["s1"]), graph.RelationID(args["r1"]), graph.RelationID(args["r2"])
		name := func(r graph.RelationID) string {
			if r.IsInverse() {
				return strconv.Quote(a.model.RelationName(r.Inverse())) + "^-1"
			}
			return strconv.Quote(a.model.RelationName(r))
		}
		text := fmt.Sprintf("x, y: %s(%q, x) & %s(x, y)", name(first), a.model.Bundle().EntityName(start), name(second))
		p, err := compiler.Prepare(a.model, text, a.prepare())
		if err != nil {
			return 0, nil, err
		}
		o := a.options.Options
		o.K = predictedEach
		o.Filter.Statuses = notKnown
		r, err := p.Ask(ctx, nil, o)
		if err != nil {
			return 0, nil, err
		}
		asked++
		for _, x := range r.Rows {
			holds := a.full.Has(start, first, x.Values[0].ID) && a.full.Has(x.Values[0].ID, second, x.Values[1].ID)
			claims = append(claims, claim{Claim: eval.Claim{Confidence: x.Confidence, True: holds}})
		}
	}
	return asked, claims, nil
}

// bestFacts are the numbers of likeliest missing facts that are summed up.
var bestFacts = []int{100, 300, 1000}

// best sums up the likeliest missing facts.
func (a *asker) best(ctx context.Context) (list []Best, err error) {
	s, err := missing.New(a.model, missing.Options{K: bestFacts[len(bestFacts)-1], Questions: missingEach * a.count, Semantics: a.options.Semantics})
	if err != nil {
		return nil, err
	}
	r, err := s.Run(ctx)
	if err != nil {
		return nil, err
	}
	for _, n := range bestFacts {
		b := Best{Facts: n}
		for _, f := range r.Facts[:min(n, len(r.Facts))] {
			relation, err := a.model.Relation(f.Relation)
			if err != nil {
				return nil, err
			}
			b.Expected += f.Confidence
			if a.full.Has(f.Head.ID, relation.ID(), f.Tail.ID) {
				b.True++
			}
		}
		list = append(list, b)
	}
	return list, nil
}
