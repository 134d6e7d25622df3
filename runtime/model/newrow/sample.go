package newrow

import (
	"math"
	"slices"

	"github.com/efoc/efoc/kernels"
	"github.com/efoc/efoc/kernels/reuse"
	"github.com/efoc/efoc/kernels/simd"
	"github.com/efoc/efoc/runtime/model/graph"
)

// sample is some entities that stand for all tails of a relation: Σ_e exp(s_e) is about Σ_i exp(s_i +
// logs[i]), over ids and then the solver's rest.
type sample struct {
	ids  []int32
	logs []float32
	at   map[int32]int // where an entity is in logs
}

var never = float32(math.Inf(-1))

// sampleOf returns a sample for the tails of a relation. Those that are tails of facts are
// drawn by facts: the popular ones, which score high, are there nearly always, and count for
// themselves alone. Of the rest those count that are no tails.
func (s *solver) sampleOf(r graph.RelationID) *sample {
	if c := s.samples[r]; c != nil {
		return c
	}
	c := &sample{at: map[int32]int{}}
	tails, _ := s.graph.Edges(r.Inverse())
	k := min(len(tails), rangeSample)
	weights := make([]float64, 0, k)
	for i := range k {
		e := tails[i*len(tails)/k]
		facts := len(s.graph.Tails(graph.EntityID(e), r.Inverse()))
		weight := float64(len(tails)) / float64(k*facts)
		if at, again := c.at[e]; again {
			weights[at] += weight
			continue
		}
		c.at[e] = len(c.ids)
		c.ids = append(c.ids, e)
		weights = append(weights, weight)
	}
	for _, w := range weights {
		c.logs = append(c.logs, float32(math.Log(w)))
	}
	other := float32(math.Log(float64(s.graph.NumEntities()) / float64(len(s.rest))))
	for _, e := range s.rest {
		if len(s.graph.Tails(graph.EntityID(e), r.Inverse())) > 0 {
			c.logs = append(c.logs, never)
			continue
		}
		c.at[e] = len(c.logs)
		c.logs = append(c.logs, other)
	}
	s.samples[r] = c
	return c
}

// rowsOf appends the rows of some entities to a list, side by side.
func (s *solver) rowsOf(list []float32, ids []int32) []float32 {
	list = slices.Grow(list, len(ids)*s.width)
	for _, e := range ids {
		list = append(list, s.row(graph.EntityID(e))...)
	}
	return list
}

// askers are questions that other entities ask, (h, r): each stands for weight facts.
type askers struct {
	queries []float32 // E_h⊗W_r, side by side
	logs    []float32 // log Z_q
	weight  float32
}

// askersOf returns questions of a relation, drawn by facts.
func (s *solver) askersOf(r graph.RelationID) *askers {
	if a, ok := s.askers[r]; ok {
		return a
	}
	heads, _ := s.graph.Edges(r)
	k := min(len(heads), askerSample)
	a := &askers{weight: float32(len(heads)) / float32(max(1, k))}
	drawn := make([]int32, k)
	for i := range drawn {
		drawn[i] = heads[i*len(heads)/k]
	}
	s.ask(a, r, drawn)
	s.askers[r] = a
	return a
}

// ask appends the questions of some entities. Of their known answers, which are most of the
// sum, each counts for itself.
func (s *solver) ask(a *askers, r graph.RelationID, heads []int32) {
	c := s.sampleOf(r)
	first := len(a.queries)
	own := len(c.ids)
	rest := len(s.rest)
	for _, h := range heads {
		a.queries = append(a.queries, s.blank...)
		kernels.Project(a.queries[len(a.queries)-s.width:], s.row(graph.EntityID(h)), s.predictor.Relation(r), false, false)
	}
	queries := a.queries[first:]
	s.rows = s.rowsOf(s.rows[:0], c.ids)
	s.products = reuse.Slice(s.products, len(heads)*(own+rest))
	products := s.products
	simd.GemmNT(products[:len(heads)*own], queries, s.rows, len(heads), own, s.width)
	simd.GemmNT(products[len(heads)*own:], queries, s.restRows, len(heads), rest, s.width)
	for i, h := range heads {
		query := queries[i*s.width : (i+1)*s.width]
		scores := append(s.scores[:0], products[i*own:(i+1)*own]...)
		scores = append(scores, products[len(heads)*own+i*rest:][:rest]...)
		simd.Add(scores, scores, c.logs)
		tails := s.graph.Tails(graph.EntityID(h), r) // of a hub there are many
		for at, e := range c.ids {
			if _, known := slices.BinarySearch(tails, e); known {
				scores[at] -= c.logs[at]
			}
		}
		for _, e := range tails[:min(len(tails), maxTails)] {
			if _, there := c.at[e]; !there {
				scores = append(scores, 0)
				s.predictor.EntityTable.DotRows(scores[len(scores)-1:], int(e), int(e)+1, query)
			}
		}
		s.scores = scores
		a.logs = append(a.logs, exponentials(scores))
	}
}

// exponentials replaces scores by their exponentials divided by the sum of these, and returns
// its logarithm, −∞ without scores.
func exponentials(scores []float32) float32 {
	if len(scores) == 0 {
		return never
	}
	top := simd.ExpMax(scores, scores, -math.MaxFloat32)
	sum := simd.SumAbove(scores, never)
	simd.Scale(scores, scores, 1/sum)
	return top + float32(math.Log(float64(sum)))
}
