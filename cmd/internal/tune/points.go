package tune

import (
	"slices"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/query"
)

// traits say which settings make a difference for a shape.
type traits struct {
	variables int  // D
	links     bool // an atom has two variables
	negated   bool // an atom is negated
	alpha     bool // an atom of two variables is negated
	leaf      bool // an existential variable is unanchored
}

// traitsOf returns those of a plan for truth degrees, whose sets are the anchored
// existential variables.
func traitsOf(p *query.Plan) traits {
	var t traits
	existential := 0
	for _, pattern := range p.Patterns {
		t.variables = max(t.variables, len(pattern.Variables))
		existential += len(pattern.Variables) - 1
		for _, a := range pattern.Atoms {
			between := !a.Head.Constant && !a.Tail.Constant
			t.links = t.links || between
			t.negated = t.negated || a.Negated
			t.alpha = t.alpha || between && a.Negated
		}
	}
	t.leaf = existential > len(p.Sets)
	return t
}

// points returns the settings of message passing to run a shape with, of any λ, the
// base first.
func (g Grid) points(base model.Settings, t traits) []model.Settings {
	layers := []int{base.Layers}
	for _, over := range g.Over {
		if over == 1 {
			layers = append(layers, 0)
		} else {
			layers = append(layers, t.variables+over)
		}
	}
	slices.Sort(layers)
	list := []model.Settings{base}
	for _, l := range slices.Compact(layers) {
		for _, w := range with(g.Weight, base.Weight) {
			for _, a := range where(t.alpha, g.Alpha, base.Alpha) {
				s := base
				s.Layers, s.Weight, s.Alpha = l, w, a
				if s != base {
					list = append(list, s)
				}
			}
		}
	}
	return list
}

// degrees returns the settings of truth degrees to run a shape with, of any g, the
// base first. Those that read the same rows follow each other.
func (g Grid) degrees(base model.Settings, t traits) []model.Settings {
	list, own := []model.Settings{base}, base.Degrees
	for _, temperature := range with(g.Temperature, own.Temperature) {
		for _, threshold := range with(g.Threshold, own.Threshold) {
			for _, negation := range where(t.negated, g.Negation, own.Negation) {
				for _, leaf := range where(t.leaf, g.Leaf, own.Leaf) {
					for _, candidates := range where(t.links, g.Candidates, own.Candidates) {
						s := base
						s.Degrees.Temperature, s.Degrees.Threshold, s.Degrees.Negation = temperature, threshold, negation
						s.Degrees.Leaf, s.Degrees.Candidates = leaf, candidates
						if s != base {
							list = append(list, s)
						}
					}
				}
			}
		}
	}
	return list
}

// cheaper lists the rows that differ from one in a smaller K alone, the smallest
// first.
func (s *subject) cheaper(row int) []int {
	at := s.settings(row)
	var rows []int
	for k := range s.mrr {
		x := s.settings(k)
		if x.Degrees.Candidates >= at.Degrees.Candidates {
			continue
		}
		if x.Degrees.Candidates = at.Degrees.Candidates; x == at {
			rows = append(rows, k)
		}
	}
	slices.SortFunc(rows, func(a, b int) int {
		return s.settings(a).Degrees.Candidates - s.settings(b).Degrees.Candidates
	})
	return rows
}
