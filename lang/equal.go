package lang

import (
	"encoding/binary"
	"hash/fnv"
	"slices"
)

// maxMatchSteps bounds the search for a renaming that makes two SCQs equal. It
// suffices for any two SCQs of up to six existential variables: a step is a
// prefix of the literals with a renaming of its variables, of which there are
// at most 65 · 6! < 1<<16, since the renaming says which literals are matched.
const maxMatchSteps = 1 << 16

// maxMergeSteps bounds the searches of one query together.
const maxMergeSteps = 1 << 18

// mergeSCQs drops SCQs that are equal to an earlier one up to the order of
// the literals and the names of existential variables. Where the search for a
// renaming exceeds its bound the SCQs count as different, which costs time
// later on but does not change the answer set.
func mergeSCQs(scqs []SCQ, free string) []SCQ {
	budget := maxMergeSteps
	var kept []*colored
	var out []SCQ
	for _, s := range scqs {
		c := color(s, free)
		if !slices.ContainsFunc(kept, func(o *colored) bool { return o.same(c, &budget) }) {
			kept = append(kept, c)
			out = append(out, s)
		}
	}
	return out
}

// colored is an SCQ with a color for each variable. Colors do not depend on
// the names of existential variables, so equal SCQs have equal colors, and
// variables of different color cannot stand for each other.
type colored struct {
	// literals are in an order in which each shares a variable with an earlier
	// one where possible, so that a search fails early.
	literals []Literal
	free     string
	colors   map[string]uint64
	// print is the colors of the literals, sorted.
	print []uint64
}

// color refines the colors of an SCQ's variables: in each round, a variable
// takes up the colors of the literals that it stands in.
func color(s SCQ, free string) *colored {
	c := &colored{literals: connected(s.Literals), free: free, colors: make(map[string]uint64)}
	for _, l := range s.Literals {
		for _, t := range []Term{l.Head, l.Tail} {
			if c.existential(t) {
				c.colors[t.Name] = 0
			}
		}
	}
	for range len(c.colors) {
		// A sum does not depend on the order of the literals.
		next := make(map[string]uint64)
		for _, l := range s.Literals {
			h := c.literal(l)
			if c.existential(l.Head) {
				next[l.Head.Name] += mix("head", h, c.colors[l.Head.Name])
			}
			if c.existential(l.Tail) {
				next[l.Tail.Name] += mix("tail", h, c.colors[l.Tail.Name])
			}
		}
		c.colors = next
	}
	for _, l := range s.Literals {
		c.print = append(c.print, c.literal(l))
	}
	slices.Sort(c.print)
	return c
}

// existential reports whether a term is an existential variable.
func (c *colored) existential(t Term) bool { return t.Kind == Variable && t.Name != c.free }

// literal returns the color of a literal.
func (c *colored) literal(l Literal) uint64 {
	var flags uint64
	for i, f := range []bool{l.Negated, l.Relation.Param, l.Relation.Inverse, sameTerm(l.Head, l.Tail)} {
		if f {
			flags |= 1 << i
		}
	}
	return mix(l.Relation.Name, flags, c.term(l.Head), c.term(l.Tail))
}

// term returns the color of a term.
func (c *colored) term(t Term) uint64 {
	if c.existential(t) {
		return mix("", c.colors[t.Name])
	}
	return mix(t.Name, uint64(t.Kind)+1)
}

// mix hashes a text and numbers.
func mix(text string, numbers ...uint64) uint64 {
	buf := binary.AppendUvarint(nil, uint64(len(text)))
	buf = append(buf, text...)
	for _, n := range numbers {
		buf = binary.BigEndian.AppendUint64(buf, n)
	}
	h := fnv.New64a()
	h.Write(buf)
	return h.Sum64()
}

// same reports whether some renaming of existential variables makes the two
// SCQs the same set of literals. It takes its steps from the budget.
func (c *colored) same(o *colored, budget *int) bool {
	if len(c.colors) != len(o.colors) || !slices.Equal(c.print, o.print) {
		return false
	}
	m := &matcher{a: c, b: o, used: make([]bool, len(o.literals)), steps: min(maxMatchSteps, *budget)}
	start := m.steps
	same := m.match(0)
	*budget -= start - max(m.steps, 0)
	return same
}

// matcher searches for a renaming.
type matcher struct {
	a, b  *colored
	used  []bool
	pairs [][2]string
	steps int
}

// match extends the renaming to the literals of a from index i on.
func (m *matcher) match(i int) bool {
	if i == len(m.a.literals) {
		return true
	}
	if m.steps--; m.steps < 0 {
		return false
	}
	want := m.a.literals[i]
	for j, l := range m.b.literals {
		if m.used[j] || l.Negated != want.Negated || !sameRelation(l.Relation, want.Relation) {
			continue
		}
		before := len(m.pairs)
		if m.pair(want.Head, l.Head) && m.pair(want.Tail, l.Tail) {
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
	existential := m.a.existential(s)
	if s.Kind != t.Kind || existential != m.b.existential(t) {
		return false
	}
	if !existential {
		return s.Name == t.Name
	}
	if m.a.colors[s.Name] != m.b.colors[t.Name] {
		return false
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
// an earlier one where possible.
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
