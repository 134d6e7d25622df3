package reference_test

import (
	"math"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/scq"
)

// naiveDegrees computes truth degrees straight from the definition: dense rows in
// float64, and every assignment of the existential variables. It shares with the
// interpreter only the end from which each atom is read.
type naiveDegrees struct {
	model    *model.Model
	settings model.Degrees
	rows     map[model.RelationID][][]float64
	nearCut  bool // a degree was too near the threshold to tell its side
}

// matrix returns P_r, [head][tail].
func (r *naiveDegrees) matrix(rel model.RelationID) [][]float64 {
	if m, ok := r.rows[rel]; ok {
		return m
	}
	n, d := r.model.NumEntities(), r.model.Predictor.Rank
	w := r.model.Predictor.Relation(rel).Numbers
	vector := func(row []float32, k int) complex128 { return complex(float64(row[k]), float64(row[d+k])) }
	var m [][]float64
	for h := range n {
		row, sum := make([]float64, n), 0.0
		eh := r.model.Predictor.EntityTable.Row(model.EntityID(h), nil)
		for t := range n {
			et := r.model.Predictor.EntityTable.Row(model.EntityID(t), nil)
			score := 0.0
			for k := range d {
				z := vector(eh, k) * vector(w, k)
				score += real(z)*float64(et[k]) + imag(z)*float64(et[d+k])
			}
			row[t] = math.Exp(score / r.settings.Temperature)
			sum += row[t]
		}
		tails, mass := 0.0, 0.0
		for t := range n {
			row[t] /= sum
			if r.model.Graph.Has(model.EntityID(h), rel, model.EntityID(t)) {
				tails, mass = tails+1, mass+row[t]
			}
		}
		c := max(1, tails)
		if r.settings.Mass && tails > 0 {
			c = tails / max(mass, 1e-6)
		}
		for t := range n {
			p := min(0.9999, c*row[t])
			if math.Abs(p-r.settings.Threshold) < 1e-5*p {
				r.nearCut = true
			}
			if p < r.settings.Threshold {
				p = 0
			}
			if r.model.Graph.Has(model.EntityID(h), rel, model.EntityID(t)) {
				p = 1
			}
			row[t] = p
		}
		m = append(m, row)
	}
	r.rows[rel] = m
	return m
}

// degrees returns the degree of every entity under one pattern.
func (r *naiveDegrees) degrees(p *scq.Graph, fromTail []bool, b scq.Bindings) []float64 {
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
