package reference_test

import (
	"math"

	"github.com/efoc/efoc/lang/ast"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/scq"
	"github.com/efoc/efoc/testdata/plantest"
)

// naiveDegrees computes truth degrees directly from the definition: dense rows in float64, and every assignment
// of the existential variables. It shares with the interpreter only the direction in which each atom is read.
type naiveDegrees struct {
	model    *model.Model
	settings model.Degrees
	rows     map[graph.RelationID][][]float64
	filters  []ast.Condition // by slot
	nearCut  bool            // a degree was too close to the threshold to decide
}

// matrix returns P_r, [head][tail].
func (r *naiveDegrees) matrix(rel graph.RelationID) [][]float64 {
	if m, ok := r.rows[rel]; ok {
		return m
	}
	n, d := r.model.NumEntities(), r.model.Predictor.Rank
	w := r.model.Predictor.Relation(rel)
	vector := func(row []float32, k int) complex128 { return complex(float64(row[k]), float64(row[d+k])) }
	var m [][]float64
	for h := range n {
		row, sum := make([]float64, n), 0.0
		eh := r.model.Predictor.EntityTable.Row(graph.EntityID(h), nil)
		for t := range n {
			et := r.model.Predictor.EntityTable.Row(graph.EntityID(t), nil)
			score := 0.0
			for k := range d {
				z := vector(eh, k) * vector(w, k)
				score += real(z)*float64(et[k]) + imag(z)*float64(et[d+k])
			}
			row[t] = math.Exp((score + r.terms(rel, h, t)) / r.settings.Temperature)
			sum += row[t]
		}
		tails, mass := 0.0, 0.0
		for t := range n {
			row[t] /= sum
			if r.model.Graph.Has(graph.EntityID(h), rel, graph.EntityID(t)) {
				tails, mass = tails+1, mass+row[t]
			}
		}
		c := max(1, tails)
		if r.settings.Mass && tails > 0 {
			c = tails / max(mass, 1e-6)
		}
		if tails > 0 {
			c *= r.second(rel)
		}
		for t := range n {
			p := min(0.9999, c*row[t])
			if math.Abs(p-r.settings.Threshold) < 1e-5*p {
				r.nearCut = true
			}
			if p < r.settings.Threshold {
				p = 0
			}
			if r.model.Graph.Has(graph.EntityID(h), rel, graph.EntityID(t)) {
				p = 1
			}
			row[t] = p
		}
		m = append(m, row)
	}
	r.rows[rel] = m
	return m
}

// degrees returns the degree of every entity under one disjunct.
func (r *naiveDegrees) degrees(p *scq.Disjunct, fromTail []bool, b scq.Bindings) []float64 {
	n := r.model.NumEntities()
	best := make([]float64, n)
	values := make([]int, len(p.Variables))
	for {
		product := 1.0
		value := func(t scq.Term) int {
			if t.Constant {
				return int(b.Constants[t.Index])
			}
			return values[t.Index]
		}
		for _, f := range p.Filters {
			product *= plantest.Factors(r.model, r.filters[f.Slot])[values[f.Variable]]
		}
		for i, a := range p.Atoms {
			if a.Unequal() {
				if value(a.Head) == value(a.Tail) {
					product = 0
				}
				continue
			}
			rel, h, t := b.Relations[a.Relation], value(a.Head), value(a.Tail)
			if fromTail[i] {
				rel, h, t = rel.Inverse(), t, h
			}
			d := r.matrix(rel)[h][t]
			if a.Negated {
				d = 1 - min(1, r.settings.Negation*d)
			}
			product *= d
		}
		best[values[0]] = max(best[values[0]], product)
		i := 0
		for ; i < len(values); i++ {
			if values[i]++; values[i] < n {
				break
			}
			values[i] = 0
		}
		if i == len(values) {
			return best
		}
	}
}

// terms returns the sum that regularities add to the score of a link.
func (r *naiveDegrees) terms(rel graph.RelationID, h, t int) float64 {
	g, w := r.model.Graph, r.model.Manifest.ScoreTerms
	if !r.settings.Regularities {
		return 0
	}
	frequency := len(g.Tails(graph.EntityID(t), rel.Inverse()))
	sum := w.Frequency * math.Log(0.1+float64(frequency))
	if h != t {
		return sum
	}
	facts, loops := 0, 0
	for e := range r.model.NumEntities() {
		facts += len(g.Tails(graph.EntityID(e), rel))
		if g.Has(graph.EntityID(e), rel, graph.EntityID(e)) {
			loops++
		}
	}
	return sum + w.Loop*math.Log((0.01+float64(loops))/(1+float64(facts)))
}

// second returns the factor for the links of a head with a known tail.
func (r *naiveDegrees) second(rel graph.RelationID) float64 {
	if !r.settings.Regularities {
		return 1
	}
	heads := [3]float64{} // number of heads with no tail, with one, with more
	for e := range r.model.NumEntities() {
		heads[min(2, len(r.model.Graph.Tails(graph.EntityID(e), rel)))]++
	}
	odds := (heads[2] + 0.5) / (heads[1] + 0.5)
	return math.Pow(min(1, odds), r.model.Manifest.ScoreTerms.Second)
}
