package scq

import (
	"iter"
	"math/bits"

	"github.com/efoc/efoc/runtime/model"
)

// maxKnownVariables bounds the variables of a pattern that a Search decides: sets
// of variables are bits of a word.
const maxKnownVariables = 64

// unbound is the value of a variable that has none yet.
const unbound = -1

// Search decides for one entity after the other whether it is an answer of a pattern.
//
// It is a backtracking search. The variable with the fewest candidates comes first; parts of
// the pattern that share no unbound variable are solved separately.
type Search struct {
	graphs []*model.Graph
	atoms  []knownAtom
	// undecidable patterns have too many variables, or no graph; impossible ones have an
	// atom among constants that does not hold.
	undecidable, impossible bool
	// values holds the entity of each variable or unbound, then the constants.
	values []int32
	// touching lists the atoms of each variable, next the variables that share
	// an atom with it.
	touching  [][]int
	next      []uint64
	budget    int
	exhausted bool
	visited   int
}

// Visited returns the number of entities tried as values of variables in all calls of Holds.
func (s *Search) Visited() int { return s.visited }

// Holds reports whether the pattern, with its free variable bound to answer,
// holds in the union of the graphs: whether its existential variables have
// values such that every atom is among the triples and no negated atom is. It gives up after
// budget candidates for variables, and then returns false for complete.
func (s *Search) Holds(answer model.EntityID, budget int) (holds, complete bool) {
	s.visited++
	if s.undecidable || s.impossible {
		return false, !s.undecidable
	}
	s.values[0] = int32(answer)
	if !s.consistent(0) {
		return false, true
	}
	s.budget, s.exhausted = budget, false
	all := ^uint64(0) >> (maxKnownVariables - len(s.next))
	holds = s.solve(all &^ 1)
	s.visited += budget - s.budget
	return holds, holds || !s.exhausted
}

// knownAtom is an atom with its relation, or Identity; its ends are indices into values.
type knownAtom struct {
	relation   model.RelationID
	head, tail int
	negated    bool
}

// NewSearch resolves the slots of a pattern. The graphs must have the same entities and
// relations, and the bindings must be in range.
func NewSearch(graphs []*model.Graph, p *Graph, b Bindings) *Search {
	count := len(p.Variables)
	if count > maxKnownVariables || len(graphs) == 0 {
		return &Search{undecidable: true}
	}
	s := &Search{
		graphs:   graphs,
		atoms:    make([]knownAtom, len(p.Atoms)),
		values:   make([]int32, count, count+len(b.Constants)),
		touching: make([][]int, count),
		next:     make([]uint64, count),
	}
	for v := range s.values {
		s.values[v] = unbound
	}
	for _, e := range b.Constants {
		s.values = append(s.values, int32(e))
	}
	place := func(t Term) int {
		if t.Constant {
			return count + t.Index
		}
		return t.Index
	}
	for i, a := range p.Atoms {
		k := knownAtom{relation: Identity, head: place(a.Head), tail: place(a.Tail), negated: a.Negated}
		if !a.Unequal() {
			k.relation = b.Relations[a.Relation]
		}
		s.atoms[i] = k
		if k.head < count {
			s.touching[k.head] = append(s.touching[k.head], i)
		}
		if k.tail < count && k.tail != k.head {
			s.touching[k.tail] = append(s.touching[k.tail], i)
		}
		switch {
		case k.head < count && k.tail < count:
			s.next[k.head] |= 1 << k.tail
			s.next[k.tail] |= 1 << k.head
		case k.head >= count && k.tail >= count && !s.agrees(&k): // it touches no variable
			s.impossible = true
		}
	}
	return s
}

// agrees reports whether an atom with both ends bound holds.
func (s *Search) agrees(a *knownAtom) bool {
	h, t := model.EntityID(s.values[a.head]), model.EntityID(s.values[a.tail])
	if a.relation == Identity {
		return (h == t) != a.negated
	}
	for _, g := range s.graphs {
		if g.Has(h, a.relation, t) {
			return !a.negated
		}
	}
	return a.negated
}

// consistent reports whether the atoms of v hold that have both ends bound.
func (s *Search) consistent(v int) bool {
	for _, i := range s.touching[v] {
		a := &s.atoms[i]
		if s.values[a.head] != unbound && s.values[a.tail] != unbound && !s.agrees(a) {
			return false
		}
	}
	return true
}

// solve reports whether the variables of the set have values, part by part.
func (s *Search) solve(open uint64) bool {
	for open != 0 {
		part := s.part(open)
		if !s.solvePart(part) {
			return false
		}
		open &^= part
	}
	return true
}

// part returns the variables of the set that are connected with its first one.
func (s *Search) part(open uint64) uint64 {
	part, todo := uint64(0), open&-open
	for todo != 0 {
		v := bits.TrailingZeros64(todo)
		part |= 1 << v
		todo = (todo | s.next[v]) & open &^ part
	}
	return part
}

// solvePart reports whether the variables of a connected set have values.
func (s *Search) solvePart(part uint64) (found bool) {
	c := s.choose(part)
	for e := range s.candidates(c) {
		if found = s.try(c.variable, e, part&^(1<<c.variable)); found || s.exhausted {
			break
		}
	}
	s.values[c.variable] = unbound
	return found
}

// try binds v to e and goes on with the rest. It fails at once when the budget
// is used up.
func (s *Search) try(v int, e int32, rest uint64) bool {
	if s.budget <= 0 {
		s.exhausted = true
	}
	if s.exhausted {
		return false
	}
	s.budget--
	s.values[v] = e
	return s.consistent(v) && s.solve(rest)
}

// choice is the variable to bind next and where its candidates come from: the
// tails of relation from a bound entity, the heads of relation if from is
// unbound, or all entities if there is no atom.
type choice struct {
	variable int
	atom     *knownAtom
	relation model.RelationID
	from     int32
}

// choose returns the variable of the set that has the fewest candidates.
func (s *Search) choose(part uint64) choice {
	best, fewest := choice{variable: bits.TrailingZeros64(part)}, 0
	for set := part; set != 0; set &= set - 1 {
		v := bits.TrailingZeros64(set)
		for _, i := range s.touching[v] {
			a := &s.atoms[i]
			if a.negated {
				continue
			}
			// Read the atom so that v is its tail, or its head if both are open.
			c := choice{variable: v, atom: a, relation: a.relation, from: s.values[a.head]}
			if a.tail != v {
				c.relation, c.from = a.relation.Inverse(), s.values[a.tail]
			}
			if c.from == unbound {
				c.relation = c.relation.Inverse()
			}
			n := 0
			for _, g := range s.graphs {
				n += len(c.in(g))
			}
			if best.atom == nil || n < fewest {
				best, fewest = c, n
			}
		}
	}
	return best
}

// in returns the candidates that a graph has for a choice with an atom, in ascending order. Heads
// are there once for each of their edges.
func (c choice) in(g *model.Graph) []int32 {
	if c.from == unbound {
		heads, _ := g.Edges(c.relation)
		return heads
	}
	return g.Tails(model.EntityID(c.from), c.relation)
}

// candidates yields those of a choice, each once for every graph that has it.
func (s *Search) candidates(c choice) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		if c.atom == nil { // any entity will do
			for e := range int32(s.graphs[0].NumEntities()) {
				if !yield(e) {
					return
				}
			}
			return
		}
		for _, g := range s.graphs {
			last := int32(unbound)
			for _, e := range c.in(g) {
				if e != last && !yield(e) {
					return
				}
				last = e
			}
		}
	}
}
