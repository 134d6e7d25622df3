package importer

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/efoc/efoc/runtime"
)

const (
	// checkTriples is the number of triples that are scored, in each direction.
	checkTriples = 1000
	// checkTails is the number of random tails that each is compared with.
	checkTails = 4
	// minAUC is the least share of comparisons that a fitting layout wins.
	minAUC = 0.7
	// Another layout is the better one if it loses at most this share of what
	// the stated one loses, and that makes a difference of clearGap at least. A
	// wrong pairing of real and imaginary parts still wins 91% (FB15k-237) or
	// 98% (NELL995) where the right one wins 99.8%, so a fixed bound on what is
	// won would not tell them apart.
	lossRatio = 0.5
	clearGap  = 0.005
)

// layoutCheck scores observed triples against random ones under any reading of
// the tables.
type layoutCheck struct {
	g *runtime.Graph
	p *runtime.Predictor
	// stated is the layout by which the tables were read.
	stated      Layout
	reciprocal  bool
	samples     []sample
	h, r, t, t2 []float32
	row         []float32 // that entity may fill
}

// sample is a directed triple with tails that it does not have.
type sample struct {
	head, tail runtime.EntityID
	relation   runtime.RelationID
	wrong      [checkTails]runtime.EntityID
}

// checkLayout refuses tables that do not tell the graph's triples from random
// ones, and names the layout that would. The random tails are the tails of
// other triples, so that popular entities are no help.
func (im *importer) checkLayout(ctx context.Context, g *runtime.Graph, p *runtime.Predictor, reciprocal bool) error {
	im.progress(StageCheck, 0, 1)
	c := newLayoutCheck(g, p, im.options.Layout, reciprocal)
	stated, err := c.auc(ctx, c.stated)
	if err != nil {
		return err
	}
	best, bestAUC := c.stated, stated
	for _, l := range c.others() {
		auc, err := c.auc(ctx, l)
		if err != nil {
			return err
		}
		if auc > bestAUC {
			best, bestAUC = l, auc
		}
	}
	im.progress(StageCheck, 1, 1)
	switch {
	case bestAUC >= minAUC && bestAUC-stated > clearGap && 1-bestAUC <= lossRatio*(1-stated):
		return fmt.Errorf("%s: read as %s, the embeddings prefer observed triples to random ones in %.1f%% of cases; read as %s, in %.1f%%: import it with that layout",
			im.options.Checkpoint, c.stated, 100*stated, best, 100*bestAUC)
	case stated < minAUC:
		return fmt.Errorf("%s: the embeddings prefer observed triples to random ones in only %.1f%% of cases, and no other layout fits better: the rows probably belong to other ids, or the model is not ComplEx",
			im.options.Checkpoint, 100*stated)
	}
	return nil
}

// newLayoutCheck draws the samples, the same ones every time.
func newLayoutCheck(g *runtime.Graph, p *runtime.Predictor, stated Layout, reciprocal bool) *layoutCheck {
	w := 2 * p.Rank
	c := &layoutCheck{g: g, p: p, stated: stated, reciprocal: reciprocal,
		h: make([]float32, w), r: make([]float32, w), t: make([]float32, w), t2: make([]float32, w), row: make([]float32, w)}
	random := rand.New(rand.NewPCG(1, 2))
	edges := edgeIndex(g)
	total := edges[len(edges)-1]
	for range 2 * checkTriples {
		s := sample{}
		s.relation, s.head, s.tail = pick(g, edges, random.IntN(total))
		for i := range s.wrong {
			// A graph may be so dense that there is no other tail: try a few times.
			for range 16 {
				_, _, s.wrong[i] = pick(g, edges, random.IntN(total))
				if !g.Has(s.head, s.relation, s.wrong[i]) {
					break
				}
			}
		}
		c.samples = append(c.samples, s)
	}
	return c
}

// edgeIndex returns the running count of edges by directed relation.
func edgeIndex(g *runtime.Graph) []int {
	index := make([]int, g.NumRelations()+1)
	for r := range g.NumRelations() {
		heads, _ := g.Edges(runtime.RelationID(r))
		index[r+1] = index[r] + len(heads)
	}
	return index
}

// pick returns the directed triple of the given number.
func pick(g *runtime.Graph, index []int, at int) (runtime.RelationID, runtime.EntityID, runtime.EntityID) {
	r, found := slices.BinarySearch(index, at)
	if !found {
		r--
	}
	// Relations without edges share a start with the next one.
	for index[r+1] == index[r] {
		r++
	}
	heads, tails := g.Edges(runtime.RelationID(r))
	return runtime.RelationID(r), runtime.EntityID(heads[at-index[r]]), runtime.EntityID(tails[at-index[r]])
}

// others lists the layouts that the tables could have instead of the stated
// one. Without rows for inverses there is but one numbering.
func (c *layoutCheck) others() []Layout {
	var list []Layout
	for _, interleaved := range []bool{false, true} {
		for _, offset := range []bool{false, true} {
			l := Layout{Interleaved: interleaved, InverseOffset: offset}
			if l != c.stated && (c.reciprocal || offset == c.stated.InverseOffset) {
				list = append(list, l)
			}
		}
	}
	return list
}

// auc returns the share of comparisons in which the observed triple scores
// higher than the random one, ties counting half.
func (c *layoutCheck) auc(ctx context.Context, l Layout) (float64, error) {
	won, all := 0.0, 0
	for _, s := range c.samples {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		row := s.relation
		if c.reciprocal {
			row = c.relationRow(s.relation, l)
		}
		c.read(c.h, c.entity(s.head), l)
		c.read(c.r, c.p.Relation(row), l)
		c.read(c.t, c.entity(s.tail), l)
		score := c.score(c.t)
		for _, wrong := range s.wrong {
			if c.g.Has(s.head, s.relation, wrong) {
				continue
			}
			c.read(c.t2, c.entity(wrong), l)
			all++
			switch other := c.score(c.t2); {
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

// entity returns an embedding as it is stored, valid until the next call.
func (c *layoutCheck) entity(e runtime.EntityID) []float32 { return c.p.EntityTable.Row(e, c.row) }

// relationRow returns the row at which the table, read by the stated layout,
// has what layout l takes for relation r.
func (c *layoutCheck) relationRow(r runtime.RelationID, l Layout) runtime.RelationID {
	if l.InverseOffset == c.stated.InverseOffset {
		return r
	}
	half := runtime.RelationID(c.g.NumRelations() / 2)
	if l.InverseOffset {
		return r/2 + r%2*half
	}
	// The table was read as offset: the file's row q is now at this place.
	q := r
	return q%half*2 + q/half
}

// read copies a row as layout l would have read it.
func (c *layoutCheck) read(to, row []float32, l Layout) {
	d := len(row) / 2
	switch {
	case l.Interleaved == c.stated.Interleaved:
		copy(to, row)
	case l.Interleaved:
		splitHalves(to, row)
	default:
		// Undo splitHalves.
		for k := range d {
			to[2*k], to[2*k+1] = row[k], row[d+k]
		}
	}
}

// score is ComplEx: Re⟨h, r, conj(t)⟩ (Trouillon et al. 2016, equation 9).
func (c *layoutCheck) score(t []float32) float64 {
	d := len(t) / 2
	sum := 0.0
	for k := range d {
		re := c.h[k]*c.r[k] - c.h[d+k]*c.r[d+k]
		im := c.h[k]*c.r[d+k] + c.h[d+k]*c.r[k]
		sum += float64(re*t[k] + im*t[d+k])
	}
	return sum
}
