package calibrate

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/efoc/efoc/cmd/internal/sample"
	"github.com/efoc/efoc/lang/benchmark"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
)

// leastAll is the number of answers below which nothing is fitted.
const leastAll = 50

// confidence asks validation queries of all benchmark shapes and fits how often predicted
// answers were true, for each semantics; there is nothing in it if the facts are too few for
// any such query. It returns the number of shapes that there was time for.
func confidence(ctx context.Context, m *model.Model, valid []graph.Triple, o Options) (c model.Confidence, shapes int, err error) {
	shuffled := slices.Clone(valid)
	rand.New(rand.NewPCG(o.Seed, 1)).Shuffle(len(valid), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	half := len(valid) / 2
	var graphs [3]*graph.Graph // with all facts, and with each half
	for i, part := range [][]graph.Triple{valid, shuffled[:half], shuffled[half:]} {
		graphs[i], _, _, err = m.Graph.With(part, nil)
		if err != nil {
			return nil, 0, err
		}
	}
	judged := cmp.Or(o.ConfidenceQueries, confidenceQueriesFor(m, o))
	x := &observer{
		model: runtime.NewModel(m), full: graphs[0], halves: graphs[1:], judged: judged, options: o, seen: map[model.Semantics]*observed{},
		sampler: sample.New(m.Graph, graphs[0], sample.Options{
			Count: judged, Seed: o.Seed, Like: sample.FIT, MinHard: 1, MaxHard: 100, Budget: answerBudget, Attempts: attemptsEach * judged,
		}),
		plain: sample.New(m.Graph, graphs[0], sample.Options{
			Count: max(2, judged/ordinaryShapes), Seed: o.Seed, MaxHard: 100, Budget: answerBudget, Attempts: attemptsEach * judged,
		}),
	}
	for _, s := range model.AllSemantics {
		x.seen[s] = &observed{relations: m.NumRelations(), hard: map[int]float64{}}
	}
	for i, shape := range benchmark.Shapes {
		if i > 0 && !o.Until.IsZero() && time.Now().After(o.Until) {
			break
		}
		o.stage("confidence")(i, len(benchmark.Shapes))
		if err := x.shape(ctx, shape.Name, valid); err != nil {
			return nil, 0, fmt.Errorf("shape %s: %w", shape.Name, err)
		}
		shapes++
	}
	c = model.Confidence{}
	for s, seen := range x.seen {
		if len(seen.answers) < leastAll {
			continue
		}
		fitted, err := seen.fit()
		if err != nil {
			return nil, 0, fmt.Errorf("confidence of %s: %w", s, err)
		}
		c[s.String()] = &fitted
	}
	return c, shapes, nil
}

// attemptsEach bounds the attempts for a query: a small graph has few of some shapes.
const attemptsEach = 300
