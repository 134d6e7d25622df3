package main

import (
	"context"
	"fmt"
	"time"

	"github.com/efoc/efoc/cmd/internal/trial"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/train"
)

const (
	// probeNumbers bounds the table that steps are measured with: more entities than
	// fullSoftmax are taken for others beyond that. They are too many for the caches then, and
	// a step draws candidates, so that the rest costs it nothing.
	probeNumbers = 1 << 26
	// probeSteps is the number of steps that the facts of a measurement are enough for.
	probeSteps = 8
	// probeRanks is the number of ranks that are measured: a batch.
	probeRanks = 256
)

// trainProbe measures steps on a part of a graph.
type trainProbe struct {
	graph   *model.Graph
	threads int
	// most bounds the time of a measurement, which is of one step at least.
	most time.Duration
}

// probePart returns a graph with at most so many facts and as many relations as g: of
// each relation an even share, with all tails of a head together, as a step has them.
// Entities from n on are taken for others.
func probePart(g *model.Graph, n, facts int) (*model.Graph, error) {
	n = min(n, g.NumEntities())
	if n == g.NumEntities() && g.NumTriples() <= facts {
		return g, nil
	}
	share := min(1, float64(facts)/float64(max(1, g.NumTriples())))
	taken := 0.0
	list := firstFacts(g, n, func(facts int) float64 { taken += share * float64(facts); return taken })
	return model.NewGraph(n, g.NumRelations()/2, list)
}

// measure takes some steps and ranks some facts.
func (p *trainProbe) measure(ctx context.Context, o train.Options) (trainCost, error) {
	var c trainCost
	part, err := probePart(p.graph, max(fullSoftmax, probeNumbers/(2*o.Rank)), probeSteps*o.Batch/2)
	if err != nil {
		return c, err
	}
	start := time.Now()
	t, err := train.New(part, o, p.threads)
	if err != nil {
		return c, err
	}
	more := float64(p.graph.NumEntities()) / float64(part.NumEntities())
	c.begin = more * time.Since(start).Seconds()
	// The first step allocates memory, and many after it touch parts of it for the first time.
	var took []float64
	for begun := time.Now(); len(took) < 2 || time.Since(begun) < p.most; {
		if err := ctx.Err(); err != nil {
			return c, err
		}
		start = time.Now()
		if _, err := t.Step(); err != nil {
			return c, fmt.Errorf("measuring a step: %w", err)
		}
		took = append(took, time.Since(start).Seconds())
	}
	c.step = trial.Median(took[len(took)/2:])
	test := train.NewTest(firstFacts(part, part.NumEntities(), func(int) float64 { return probeRanks / 2 }), part)
	for range 2 { // the first takes memory
		start = time.Now()
		if _, err := t.Evaluate(ctx, test, nil); err != nil {
			return c, err
		}
	}
	c.rank = more * time.Since(start).Seconds() / float64(2*test.Facts())
	return c, nil
}

// firstFacts returns facts of a graph, with entities from n on taken for others: of each
// relation the first ones, while there are fewer than most says, which gets the number of
// the relation's facts.
func firstFacts(g *model.Graph, n int, most func(facts int) float64) []model.Triple {
	var list []model.Triple
	for r := 0; r < g.NumRelations(); r += 2 {
		heads, tails := g.Edges(model.RelationID(r))
		limit := most(len(heads))
		for i := 0; i < len(heads) && float64(len(list)) < limit; i++ {
			list = append(list, model.Triple{
				Head: model.EntityID(int(heads[i]) % n), Relation: int32(r / 2), Tail: model.EntityID(int(tails[i]) % n),
			})
		}
	}
	return list
}
