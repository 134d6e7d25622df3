package tune

import (
	"slices"

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
