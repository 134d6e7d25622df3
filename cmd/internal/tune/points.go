package tune

import (
	"slices"

	"github.com/efoc/efoc/runtime/query"
	"github.com/efoc/efoc/runtime/scq"
)

// traits say which settings make a difference for a shape.
type traits struct {
	variables int  // D
	links     bool // an atom has two variables
	negated   bool // an atom is negated
	alpha     bool // an atom of two variables is negated
	leaf      bool // no entity informs an existential variable
	cyclic    bool // several variables form a cycle
}

// matters reports whether a setting makes a difference.
func (t traits) matters(setting string) bool {
	switch setting {
	case "alpha":
		return t.alpha
	case "negation":
		return t.negated
	case "leaf":
		return t.leaf
	case "candidates":
		return t.links
	}
	return true
}

// traitsOf returns those of a plan for truth degrees, whose sets are the existential
// variables that entities inform.
func traitsOf(p *query.Plan) traits {
	var t traits
	existential := 0
	for _, pattern := range p.Patterns {
		t.variables = max(t.variables, len(pattern.Variables))
		t.cyclic = t.cyclic || cyclic(pattern)
		existential += len(pattern.Variables) - 1
		for _, a := range pattern.Atoms {
			between := !a.Head.Constant && !a.Tail.Constant
			t.links = t.links || between
			negated := a.Negated && !a.Unequal()
			t.negated = t.negated || negated
			t.alpha = t.alpha || between && negated
		}
	}
	t.leaf = existential > len(p.Sets)
	return t
}

// cyclic reports whether atoms and inequalities between variables close a cycle. Several
// between the same two are none.
func cyclic(g scq.Graph) bool {
	parts := make([]int, len(g.Variables)) // the variables of a part have the same number
	for v := range parts {
		parts[v] = v
	}
	seen := map[[2]int]bool{}
	terms := g.Terms()
	for i := 0; i < len(terms); i += 2 { // the two of each edge
		a, b := terms[i], terms[i+1]
		x, y := min(a.Index, b.Index), max(a.Index, b.Index)
		if a.Constant || b.Constant || x == y || seen[[2]int{x, y}] {
			continue
		}
		seen[[2]int{x, y}] = true
		if parts[x] == parts[y] {
			return true
		}
		for v, old := 0, parts[y]; v < len(parts); v++ {
			if parts[v] == old {
				parts[v] = parts[x]
			}
		}
	}
	return false
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
