package atoms

import (
	"math"
	"slices"

	"github.com/efoc/efoc/kernels/reuse"
	"github.com/efoc/efoc/kernels/simd"
	"github.com/efoc/efoc/runtime/internal/fuzzy"
	"github.com/efoc/efoc/runtime/internal/rows"
	"github.com/efoc/efoc/runtime/internal/sweep"
	"github.com/efoc/efoc/runtime/model/graph"
)

// exponentials computes the exponentials of the scores, and their sums.
func (k *maker) exponentials(keys []Key) {
	k.request(keys)
	_, longest := k.model.Predictor.EntityTable.CodesOff() // 0 if there are no codes
	for i, x := range keys {
		e := sweep.Exponential{X: k.score(i)}
		if given := k.given[x]; given.Scores != nil {
			e.From, e.By = given.Scores, given.Sign/k.scale.divisor(k.model, x.R)
		} else {
			e.Bounded = longest > 0 && rows.Length(k.query(i))*longest <= sweep.MaxBounded
		}
		k.reading.Exponentials = append(k.reading.Exponentials, e)
	}
	k.run()
}

// sharpen makes the large exponentials of row i of a sweep exact.
func (k *maker) sharpen(i int, room *workerRoom) {
	e := &k.reading.Exponentials[i]
	exps := k.score(i)
	table := &k.model.Predictor.EntityTable
	room.prepare(len(exps))
	share := math.Pow(sumOff*offDeviations/k.offs[i], 2)
	for _, t := range room.ids[:simd.IndexAbove(room.ids, exps, float32(share*e.Sum))] {
		var score [1]float32
		table.DotRows(score[:], int(t), int(t)+1, k.query(i))
		exact := float32(math.Exp(float64(score[0]) - float64(e.Top)))
		e.Sum += float64(exact) - float64(exps[t])
		exps[t] = exact
	}
}

// weigh applies the weights of a row to its exponentials and their sum.
func (k *maker) weigh(x Key, i int) {
	w := &k.weights[i]
	e := &k.reading.Exponentials[i]
	exps := k.score(i)
	before := e.Sum
	change := func(at int32, by float32) {
		old := exps[at]
		exps[at] *= by
		e.Sum += float64(exps[at]) - float64(old)
	}
	if w.tailFactors != nil {
		for j, t := range w.tails {
			change(t, w.factors[j])
		}
	}
	if at, mine := k.part.Local(x.H); mine && w.loop != 1 {
		change(at, w.loop)
	}
	if e.Sum < before/2 { // cancellation has lost digits
		e.Sum = 0
		for _, y := range exps {
			e.Sum += float64(y)
		}
	}
}

// normalize sets Sum of norm i to the factor of the row's exponentials in this part before clipping, from the norms of
// all parts.
func (k *maker) normalize(i int, all []norm) {
	total := norm{Top: math.Inf(-1)}
	own := k.norms[i].Top
	for at := i; at < len(all); at += len(k.norms) {
		total.Top = max(total.Top, all[at].Top)
	}
	for at := i; at < len(all); at += len(k.norms) {
		x := all[at]
		by := math.Exp(x.Top - total.Top)
		total.Sum, total.Mass, total.Tails = total.Sum+by*x.Sum, total.Mass+by*x.Mass, total.Tails+x.Tails
	}
	c := max(1, total.Tails)
	if k.scale.mass && total.Tails > 0 {
		c = total.Tails / max(total.Mass/total.Sum, 1e-6)
	}
	if total.Tails > 0 {
		c *= k.weights[i].second
	}
	k.norms[i].Sum = c / total.Sum * math.Exp(own-total.Top)
}

// normOf returns the norm of row x, the i-th of the sweep, over the entities of this part. It makes the large
// exponentials exact.
func (k *maker) normOf(x Key, i int, room *workerRoom) norm {
	if k.offs[i] > 0 {
		k.sharpen(i, room)
	}
	if k.scale.terms.Any() {
		k.weigh(x, i)
	}
	e := &k.reading.Exponentials[i]
	n := norm{Top: float64(e.Top), Sum: e.Sum}
	tails := k.graph.Tails(graph.EntityID(x.H), x.R)
	n.Tails = float64(len(tails))
	if k.scale.mass {
		exps := k.score(i)
		for _, t := range tails {
			n.Mass += float64(exps[t])
		}
	}
	return n
}

// row converts the results of a sweep for row i, of x, to degrees. It also returns how it was made, nil on a part of a
// split model.
func (k *maker) row(x Key, i int, room *workerRoom) (*fuzzy.Set, *making) {
	exps := k.score(i)
	by := float32(k.norms[i].Sum)
	tails := k.graph.Tails(graph.EntityID(x.H), x.R)
	room.prepare(len(exps))
	least := k.scale.threshold * float32(math.Exp(-k.offs[i]))
	count := simd.ScaleClip(room.degrees, exps, by, least, Limit)
	c := k.scoredOf(x, i)
	if k.part != nil {
		return k.finish(x, count, tails, c, room), nil
	}
	made := &making{scored: c, entities: len(exps), tails: tails, below: room.below(exps, by, least/belowShare)}
	return k.finish(x, count, tails, c, room), made
}

// below lists the degrees from least on among those that were cut at the threshold.
func (room *workerRoom) below(exps []float32, by, least float32) (x fuzzy.Set) {
	room.uncut = reuse.Slice(room.uncut, len(exps))
	simd.ScaleClip(room.uncut, exps, by, least, Limit)
	simd.ScaleAdd(room.uncut, room.uncut, -1, room.degrees)
	x.IDs = slices.Clone(room.ids[:simd.IndexAbove(room.ids, room.uncut, math.SmallestNonzeroFloat32)])
	x.Deg = make([]float32, len(x.IDs))
	for i, e := range x.IDs {
		x.Deg[i] = room.uncut[e]
	}
	return x
}

// finish makes a row of the room's degrees of links that are not observed, count of them positive, and of the observed
// tails.
func (k *maker) finish(x Key, count int, tails []int32, c *scored, room *workerRoom) *fuzzy.Set {
	degrees := room.degrees
	for _, t := range tails {
		if degrees[t] == 0 {
			count++
		}
		degrees[t] = 1
	}
	if x.Detail == CoarseNegated && c.most > 0 {
		k.sharpenNegated(c, degrees, room)
	}
	y := &fuzzy.Set{}
	if c.most > 0 {
		y.Exact = c
	}
	if fuzzy.Crowded(count, len(degrees)) {
		room.degrees = nil
		y.Full = degrees
		return y
	}
	y.IDs = make([]int32, 0, count)
	y.Deg = make([]float32, 0, count)
	for _, e := range room.ids[:simd.IndexAbove(room.ids, degrees, math.SmallestNonzeroFloat32)] {
		y.IDs = append(y.IDs, e)
		y.Deg = append(y.Deg, degrees[e])
	}
	return y
}

// sharpenNegated makes the large degrees of predicted links exact: the error of a negated degree is relative to 1 − P.
func (k *maker) sharpenNegated(c *scored, degrees []float32, room *workerRoom) {
	for _, e := range room.ids[:simd.IndexAbove(room.ids, degrees, LargeDegree)] {
		if degrees[e] < 1 {
			degrees[e] = c.Degree(e)
		}
	}
}

// scoredOf returns the computation of exact degrees for row i of a sweep.
func (k *maker) scoredOf(x Key, i int) *scored {
	return &scored{
		table: &k.model.Predictor.EntityTable, query: slices.Clone(k.query(i)), head: x.H, top: float64(k.reading.Exponentials[i].Top), by: k.norms[i].Sum,
		threshold: float64(k.scale.threshold), weights: k.weights[i], most: k.offs[i],
	}
}
