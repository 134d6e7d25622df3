package newrow

import (
	"math"
	"slices"

	"github.com/efoc/efoc/kernels"
	"github.com/efoc/efoc/kernels/simd"
	"github.com/efoc/efoc/runtime/model"
)

// sample is some entities that stand for all: Σ_e exp(s_e) is about Σ_i exp(s_i + logs[i]).
type sample struct {
	rows []float32 // side by side
	logs []float32
	at   map[int32]int // where an entity is
}

// sampleOf returns a sample for the tails of a relation, with some entities in it for certain.
// Those that are tails of facts are drawn by facts: the popular ones, which score high, are
// there nearly always, and count for themselves alone.
func (s *Solver) sampleOf(r model.RelationID, certain []int32) sample {
	c := sample{at: map[int32]int{}}
	add := func(e int32, weight float64) {
		if i, again := c.at[e]; again {
			c.logs[i] = float32(math.Log(math.Exp(float64(c.logs[i])) + weight))
			return
		}
		c.at[e] = len(c.logs)
		c.rows = append(c.rows, s.row(model.EntityID(e))...)
		c.logs = append(c.logs, float32(math.Log(weight)))
	}
	tails, _ := s.graph.Edges(r.Inverse())
	k := min(len(tails), rangeSample)
	for i := range k {
		e := tails[i*len(tails)/k]
		facts := len(s.graph.Tails(model.EntityID(e), r.Inverse()))
		add(e, float64(len(tails))/float64(k*facts))
	}
	n := s.graph.NumEntities()
	for _, e := range s.rest {
		if len(s.graph.Tails(model.EntityID(e), r.Inverse())) == 0 {
			add(e, float64(n)/float64(len(s.rest)))
		}
	}
	for _, e := range certain {
		if i, there := c.at[e]; there {
			c.logs[i] = 0
		} else {
			add(e, 1)
		}
	}
	return c
}

// askers are questions that other entities ask, (h, r): each stands for so many facts.
type askers struct {
	queries []float32 // E_h⊗W_r, side by side
	logs    []float64 // log Z_q
	weight  float64
}

// askersOf returns questions of a relation, drawn by facts.
func (s *Solver) askersOf(r model.RelationID) *askers {
	if a, ok := s.askers[r]; ok {
		return a
	}
	heads, _ := s.graph.Edges(r)
	k := min(len(heads), askerSample)
	a := &askers{weight: float64(len(heads)) / float64(max(1, k))}
	drawn := make([]int32, k)
	for i := range drawn {
		drawn[i] = heads[i*len(heads)/k]
	}
	s.ask(a, s.sampleOf(r, nil), r, drawn)
	s.askers[r] = a
	return a
}

// ask appends the questions of some entities. Of their known answers, which are most of the
// sum, each counts for itself.
func (s *Solver) ask(a *askers, c sample, r model.RelationID, heads []int32) {
	logs := append(slices.Clone(c.logs), make([]float32, maxTails)...)
	scores := make([]float32, len(logs))
	for _, h := range heads {
		query := make([]float32, s.width)
		kernels.Project(query, s.row(model.EntityID(h)), s.predictor.Relation(r), false, false)
		simd.DotRows(scores[:len(c.logs)], c.rows, query)
		copy(logs, c.logs)
		end := len(c.logs)
		for _, e := range s.graph.Tails(model.EntityID(h), r) {
			if i, there := c.at[e]; there {
				logs[i] = 0
			} else if end < len(scores) {
				s.predictor.EntityTable.DotRows(scores[end:end+1], int(e), int(e)+1, query)
				end++
			}
		}
		a.queries, a.logs = append(a.queries, query...), append(a.logs, logSum(scores[:end], logs[:end]))
	}
}

// logSum returns log Σ exp(scores + logs), −∞ without scores.
func logSum(scores, logs []float32) float64 {
	top := math.Inf(-1)
	for i, v := range scores {
		top = max(top, float64(v+logs[i]))
	}
	sum := 0.0
	for i, v := range scores {
		sum += math.Exp(float64(v+logs[i]) - top)
	}
	return top + math.Log(sum)
}
