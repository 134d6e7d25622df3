package importer

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/efoc/efoc/kernels"
	"github.com/efoc/efoc/kernels/simd"
	"github.com/efoc/efoc/runtime/model/graph"
)

const (
	// checkTriples is the number of triples to score, in each direction.
	checkTriples = 1000
	// checkTails is the number of random tails to compare with each.
	checkTails = 4
	// minAUC is the least share of comparisons that the right layout wins.
	minAUC = 0.7
	// Another layout is clearly better if it loses at most this share of the comparisons that the first one loses,
	// and wins more by this number of standard deviations. A wrong pairing of real and imaginary parts still wins 91%
	// (FB15k-237) or 98% (NELL995) of comparisons, the right one 99.8%, so a fixed bound on the share would not
	// distinguish them.
	lossRatio  = 0.5
	deviations = 3
)

// reading is a layout with its share of won comparisons.
type reading struct {
	Layout
	auc float64
	// facts is the number of distinct directed triples scored.
	facts int
}

func (r reading) String() string { return fmt.Sprintf("%s, in %.1f%%", r.Layout, 100*r.auc) }

func (r reading) clearlyBeats(other reading) bool {
	chance := math.Sqrt(other.auc * (1 - other.auc) / float64(r.facts))
	return r.auc >= minAUC && r.auc-other.auc > deviations*chance && 1-r.auc <= lossRatio*(1-other.auc)
}

// detectLayout finds the layout that distinguishes the graph's triples from random ones. It refuses tables without
// such a layout, and a stated layout if another one fits clearly better. Ties go to the likely layouts, the trainer's
// first. The random tails are the tails of other triples, so that popularity does not help.
func (im *importer) detectLayout(ctx context.Context, g *graph.Graph, c *checkpoint) (Layout, error) {
	stated := im.options.Layout
	likely := c.likely(stated.Parts)
	choice := slices.IndexFunc(likely, func(l Layout) bool { return l.allows(stated) })
	if choice < 0 {
		return Layout{}, fmt.Errorf("the relation table has %d rows for %d relations, which cannot be read as %s",
			c.relations.shape[0], c.relations.order.count, stated.or(likely[0]))
	}
	if im.options.SkipCheck {
		return likely[choice], nil
	}
	check := newLayoutCheck(g, c)
	readings := make([]reading, len(likely))
	for i, l := range likely {
		im.options.Progress(stageCheck, int64(i), int64(len(likely)))
		auc, err := check.auc(ctx, l)
		if err != nil {
			return Layout{}, err
		}
		readings[i] = reading{l, auc, min(2*g.NumTriples(), len(check.samples))}
	}
	im.options.Progress(stageCheck, int64(len(likely)), int64(len(likely)))

	best, rest := chooseReading(readings, readings[choice], stated)
	distances, err := check.distances(ctx)
	if err != nil {
		return best.Layout, err
	}
	if (reading{Layout{}, distances, best.facts}).clearlyBeats(best) {
		return best.Layout, fmt.Errorf("%w: as distances |h + r − t| the embeddings prefer observed triples to random ones in %.1f%% of cases, as %s",
			refuseScorer("TransE"), 100*distances, best)
	}
	switch {
	case rest.clearlyBeats(best):
		return best.Layout, fmt.Errorf("read as %s, the embeddings prefer observed triples to random ones in %.1f%% of cases; read as %s: leave the layout to be found out, or state that one",
			best.Layout, 100*best.auc, rest)
	case best.auc < minAUC:
		return best.Layout, fmt.Errorf("the embeddings prefer observed triples to random ones in only %.1f%% of cases, and no other layout fits better: the rows probably belong to other ids, or the model is not one of %s",
			100*best.auc, takenScorers)
	}
	text := fmt.Sprintf("embeddings read as %s: observed triples win against random ones in %.1f%% of cases", best.Layout, 100*best.auc)
	if rest.auc >= 0 {
		text += fmt.Sprintf(", %.1f%% with the next best layout", 100*rest.auc)
		if !best.clearlyBeats(rest) {
			text += fmt.Sprintf(" (%s), too close to be sure", rest.Layout)
		}
	}
	if len(im.options.Checkpoints) > 1 {
		text = c.path + ": " + text
	}
	im.options.Note(text)
	return best.Layout, nil
}

// chooseReading returns the best reading that agrees with the stated layout, and the best of the others, whose auc is
// -1 if there are none. An insignificant difference does not outweigh the likely reading.
func chooseReading(readings []reading, likely reading, stated Layout) (best, rest reading) {
	best = likely
	for _, r := range readings {
		if r.auc > best.auc && r.allows(stated) {
			best = r
		}
	}
	if !best.clearlyBeats(likely) {
		best = likely
	}

	rest = readings[0]
	rest.auc = -1
	for _, r := range readings {
		if r.Layout != best.Layout && r.auc > rest.auc {
			rest = r
		}
	}
	return best, rest
}

// layoutCheck scores observed triples against random ones under any reading of
// the tables.
type layoutCheck struct {
	*checkpoint
	g       *graph.Graph
	samples []sample
	// h, t and t2 hold rows of entities; query and r hold the query of h and a relation.
	h, t, t2, query, r []float32
}

// sample is a directed triple with wrong tails.
type sample struct {
	head, tail graph.EntityID
	relation   graph.RelationID
	wrong      [checkTails]graph.EntityID
}

// newLayoutCheck draws the samples, always the same ones.
func newLayoutCheck(g *graph.Graph, tables *checkpoint) *layoutCheck {
	c := &layoutCheck{checkpoint: tables, g: g}
	for _, buf := range []*[]float32{&c.h, &c.t, &c.t2, &c.query, &c.r} {
		*buf = make([]float32, len(tables.row))
	}
	random := rand.New(rand.NewPCG(1, 2))
	total := 2 * g.NumTriples()
	for range 2 * checkTriples {
		s := sample{}
		s.head, s.relation, s.tail = g.Edge(random.IntN(total))
		for i := range s.wrong {
			// In a dense graph another tail may not exist: try a few times.
			for range 16 {
				_, _, s.wrong[i] = g.Edge(random.IntN(total))
				if !g.Has(s.head, s.relation, s.wrong[i]) {
					break
				}
			}
		}
		c.samples = append(c.samples, s)
	}
	return c
}

// auc returns the share of comparisons in which the observed triple scores
// higher than the random one, ties counting half.
func (c *layoutCheck) auc(ctx context.Context, l Layout) (float64, error) {
	p, err := c.predictor(c.g.NumRelations(), l)
	if err != nil {
		return 0, err
	}
	return c.won(ctx, l, func(r graph.RelationID) error {
		kernels.Project(c.query, c.h, p.Relation(r), false, false)
		return nil
	}, func(t []float32) (sum float64) {
		for k, v := range t {
			sum += float64(c.query[k]) * float64(v)
		}
		return sum
	})
}

// won is auc for any score of a tail; ask prepares it for the head c.h and a relation.
func (c *layoutCheck) won(ctx context.Context, l Layout, ask func(r graph.RelationID) error, scoreOf func(t []float32) float64) (float64, error) {
	won := 0.0
	all := 0
	for _, s := range c.samples {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		err := cmp.Or(c.entity(c.h, int(s.head), l), c.entity(c.t, int(s.tail), l))
		if err == nil {
			err = ask(s.relation)
		}
		if err != nil {
			return 0, err
		}
		score := scoreOf(c.t)
		for _, wrong := range s.wrong {
			if c.g.Has(s.head, s.relation, wrong) {
				continue
			}
			if err := c.entity(c.t2, int(wrong), l); err != nil {
				return 0, err
			}
			all++
			switch other := scoreOf(c.t2); {
			case score > other:
				won++
			case score == other:
				won += 0.5
			}
		}
	}
	if all == 0 {
		return 1, nil
	}
	return won / float64(all), nil
}

// distances is auc for TransE: −Σ|h + r − t| (Bordes et al. 2013, equation 1). It is 0 for tables that cannot be
// TransE's.
func (c *layoutCheck) distances(ctx context.Context) (float64, error) {
	if c.entities.shape[1] != c.relations.shape[1] {
		return 0, nil
	}
	forward := Layout{partsReal, inverseNone}
	return c.won(ctx, forward, func(r graph.RelationID) error {
		err := c.relation(c.r, int(r), forward)
		if r.IsInverse() {
			simd.Scale(c.r, c.r, -1)
		}
		return err
	}, func(t []float32) (sum float64) {
		for k, v := range t {
			sum -= math.Abs(float64(c.h[k] + c.r[k] - v))
		}
		return sum
	})
}
