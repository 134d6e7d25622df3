package lang

import (
	"cmp"
	"slices"
)

// maxMatchSteps bounds the search for a renaming that makes two SCQs equal. It
// suffices for any two SCQs of up to five existential variables: a literal
// has more than one candidate only while it brings in a new variable, so the
// search takes at most 64 · (1 + 5 + 5·4 + 5·4·3 + 5! + 5!) < 1<<15 steps.
const maxMatchSteps = 1 << 15

// maxMergeSteps bounds the searches of one query together.
const maxMergeSteps = 1 << 20

// mergeSCQs drops SCQs that are equal to an earlier one but for the order of
// the literals and the names of existential variables. Where the search for a
// renaming exceeds its bound the SCQs count as different, which costs time
// later on but changes no answer set.
func mergeSCQs(scqs []SCQ, free string) []SCQ {
	budget := maxMergeSteps
	var out []SCQ
	for _, s := range scqs {
		if !slices.ContainsFunc(out, func(o SCQ) bool { return sameSCQ(o, s, free, &budget) }) {
			out = append(out, s)
		}
	}
	return out
}

// sameSCQ reports whether some renaming of existential variables makes the two
// SCQs the same set of literals. It takes its steps from the budget.
func sameSCQ(a, b SCQ, free string, budget *int) bool {
	if len(a.Literals) != len(b.Literals) {
		return false
	}
	m := &matcher{free: free, b: b.Literals, used: make([]bool, len(b.Literals)), steps: min(maxMatchSteps, *budget)}
	// Literals must agree in number but for their existential variables.
	if !slices.EqualFunc(m.skeletons(a), m.skeletons(b), func(x, y Literal) bool { return compareLiterals(x, y) == 0 }) {
		return false
	}
	m.a = connected(a.Literals)
	start := m.steps
	same := m.match(0)
	*budget -= start - m.steps
	return same
}

// matcher searches for a renaming.
type matcher struct {
	free  string
	a, b  []Literal
	used  []bool
	pairs [][2]string
	steps int
}

// skeletons returns the literals with their existential variables blanked,
// sorted.
func (m *matcher) skeletons(s SCQ) []Literal {
	out := slices.Clone(s.Literals)
	for i := range out {
		out[i].Head, out[i].Tail = m.blank(out[i].Head), m.blank(out[i].Tail)
	}
	slices.SortFunc(out, compareLiterals)
	return out
}

// blank removes the name of an existential variable.
func (m *matcher) blank(t Term) Term {
	if t.Kind == Variable && t.Name != m.free {
		t.Name = ""
	}
	return t
}

// match extends the renaming to the literals of a from index i on.
func (m *matcher) match(i int) bool {
	if i == len(m.a) {
		return true
	}
	for j, l := range m.b {
		if m.used[j] {
			continue
		}
		if m.steps--; m.steps < 0 {
			return false
		}
		if l.Negated != m.a[i].Negated || !sameRelation(l.Relation, m.a[i].Relation) {
			continue
		}
		before := len(m.pairs)
		if m.pair(m.a[i].Head, l.Head) && m.pair(m.a[i].Tail, l.Tail) {
			m.used[j] = true
			if m.match(i + 1) {
				return true
			}
			m.used[j] = false
		}
		m.pairs = m.pairs[:before]
	}
	return false
}

// pair maps a term of a to one of b, and reports whether that agrees with the
// renaming so far.
func (m *matcher) pair(s, t Term) bool {
	existential := s.Kind == Variable && s.Name != m.free
	if s.Kind != t.Kind || existential != (t.Kind == Variable && t.Name != m.free) {
		return false
	}
	if !existential {
		return s.Name == t.Name
	}
	for _, p := range m.pairs {
		if p[0] == s.Name || p[1] == t.Name {
			return p[0] == s.Name && p[1] == t.Name
		}
	}
	m.pairs = append(m.pairs, [2]string{s.Name, t.Name})
	return true
}

// connected returns literals in an order in which each shares a variable with
// an earlier one where possible, so that the search fails early.
func connected(literals []Literal) []Literal {
	rest := slices.Clone(literals)
	seen := make(map[string]bool)
	var out []Literal
	for len(rest) > 0 {
		// Take the literal with the most variables seen, counting entities as
		// seen.
		best, bestScore := 0, -1
		for i, l := range rest {
			score := 0
			for _, t := range []Term{l.Head, l.Tail} {
				if t.Kind != Variable || seen[t.Name] {
					score++
				}
			}
			if score > bestScore {
				best, bestScore = i, score
			}
		}
		l := rest[best]
		rest = slices.Delete(rest, best, best+1)
		for _, t := range []Term{l.Head, l.Tail} {
			if t.Kind == Variable {
				seen[t.Name] = true
			}
		}
		out = append(out, l)
	}
	return out
}

// compareLiterals orders literals by all but their places.
func compareLiterals(a, b Literal) int {
	return cmp.Or(
		compareBools(a.Negated, b.Negated),
		cmp.Compare(a.Relation.Name, b.Relation.Name),
		compareBools(a.Relation.Param, b.Relation.Param),
		compareBools(a.Relation.Inverse, b.Relation.Inverse),
		compareTerms(a.Head, b.Head),
		compareTerms(a.Tail, b.Tail),
	)
}

// compareTerms orders terms by kind and name.
func compareTerms(a, b Term) int {
	return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name))
}

// compareBools orders false before true.
func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}
