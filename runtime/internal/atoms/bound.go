package atoms

import (
	"math"
	"slices"

	"github.com/efoc/efoc/kernels/simd"
	"github.com/efoc/efoc/runtime/internal/fuzzy"
	"github.com/efoc/efoc/runtime/model/graph"
)

// maxTails bounds how many tails of a row are read to bound its degrees.
const maxTails = 256

// nearRows is the tolerance for errors of the scores that make rows.
const nearRows = 1.01

// Bound combines bounds of the entities in list with bounds on their degrees in row x, which are at most n·exp(s_e)/Σ
// exp s with n observed tails. The sum is at least that over some tails and the listed entities; in a trained model,
// tails make up most of it. In news it marks entities whose link is not observed: the others need no row.
func (r *Request) Bound(a *fuzzy.Arena, bounds []float32, news, list []int32, x Key) {
	head := graph.EntityID(x.H)
	table := &r.facts.Predictor.EntityTable
	tails := r.facts.Graph.Tails(head, x.R)
	read := tails[:min(len(tails), maxTails)]
	query := a.Floats.Take(table.Width())
	scores := a.Floats.Take(len(read) + len(list))
	r.scale.query(query, r.facts, table.Row(head, nil), x.R)
	for i, e := range read {
		table.DotRows(scores[i:i+1], int(e), int(e)+1, query)
	}
	own := scores[len(read):]
	for i, e := range list {
		table.DotRows(own[i:i+1], int(e), int(e)+1, query)
	}
	w := r.rows.factors.weightsOf(r.facts, r.scale, x.R, false)
	r.addTerms(scores[:len(read)], read, w, x.H)
	r.addTerms(own, list, w, x.H)
	top := simd.Max(scores)
	sum := float32(0)
	simd.ExpSum(scores, scores, top)
	for _, s := range scores[:len(read)] {
		sum += s
	}
	observed := func(e int32) bool {
		_, is := slices.BinarySearch(tails, e)
		return is
	}
	if !r.scale.mass || len(read) == 0 {
		for i, e := range list {
			if !observed(e) {
				sum += own[i]
			}
		}
	}
	by := nearRows * float32(w.share(tails)) / sum
	for i, e := range list {
		if observed(e) {
			continue
		}
		news[i] = 1
		p := min(Limit, own[i]*by)
		if p < r.scale.threshold {
			p = 0
		}
		bounds[i] = a.Norm.Both(bounds[i], p)
	}
}

// addTerms adds the contributions of regularities to the scores of entities.
func (r *Request) addTerms(scores []float32, entities []int32, w weights, head int32) {
	if !r.scale.terms.Any() {
		return
	}
	for i, e := range entities {
		scores[i] += float32(math.Log(w.weight(e, head)))
	}
}
