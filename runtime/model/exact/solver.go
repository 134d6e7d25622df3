package exact

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/pause"
	"github.com/efoc/efoc/runtime/scq"
)

// defaultBudget bounds the work for a query, in candidates and edges visited: about a second's work. Benchmark
// queries need a thousandth of it.
const defaultBudget = 100_000_000

// ErrBudget reports that a query exceeded the budget, so that its answers are unknown.
var ErrBudget = errors.New("the query needs more work than the budget of exact answers allows")

// Reading selects the meaning of a negated atom that is the only link between its existential variable and the free
// one, as in pni: r1(s1,e1) & !r2(e1,f) & r3(s2,f).
type Reading string

// The readings. All other formulas mean the same under both.
const (
	// Existential follows the formula, and FIT: some e1 with r1(s1,e1) has no edge r2 to f.
	Existential Reading = "existential"
	// Universal follows BetaE, which negates the whole branch: no e1 with r1(s1,e1) has an edge
	// r2 to f.
	Universal Reading = "universal"
)

// Solver finds exact answers. It serves one goroutine at a time. The zero Solver uses the existential reading and the
// default budget.
type Solver struct {
	// Budget bounds the work for each call; 0 means defaultBudget.
	Budget int
	// Reading of negated branches; empty means Existential.
	Reading Reading
	// Context ends calls with its error, and may suspend them (package pause). nil does neither.
	Context context.Context

	n     int
	all   []int32 // all entities, or nil before they are needed
	union collector
	room
	left  int
	look  int   // the remaining work at which to check the context
	err   error // why the call failed
	spent int
}

// lookEvery is the work between checks of the context.
const lookEvery = 1 << 16

// Reset sets the context and the budget of later calls, and keeps the solver's memory.
func (s *Solver) Reset(ctx context.Context, budget int) {
	s.Context = ctx
	s.Budget = budget
	s.spent = 0
	s.forget()
}

// Spent returns the work of all calls since the solver was reset.
func (s *Solver) Spent() int { return s.spent }

// Answers returns, ascending, the entities that satisfy one of the disjuncts in the graph. It returns ErrBudget if
// that takes too much work. The bindings must be in range.
func (s *Solver) Answers(g *graph.Graph, disjuncts []scq.Disjunct, b scq.Bindings) ([]int32, error) {
	found, err := s.Among(Facts{g}, disjuncts, b, nil)
	return slices.Clone(found), err
}

// Among returns, ascending, the given entities that satisfy one of the disjuncts. within is ascending too; nil means
// all entities. The result is valid until the next call.
func (s *Solver) Among(f Facts, disjuncts []scq.Disjunct, b scq.Bindings, within []int32) ([]int32, error) {
	return s.answers(disjuncts, func(p *scq.Disjunct) *problem {
		return s.newProblem(p, b, func(int) Facts { return f })
	}, f[0].NumEntities(), within)
}

// Values returns, ascending, the values of the given variable in the assignments that satisfy the disjunct. within,
// if not nil, restricts the entities of each variable; nil entries allow any.
func (s *Solver) Values(f Facts, p *scq.Disjunct, b scq.Bindings, variable int, within [][]int32) ([]int32, error) {
	s.start(f[0].NumEntities())
	q := s.newProblem(p, b, func(int) Facts { return f })
	for v, entities := range within {
		s.within(q, v, entities)
	}
	return s.finish(slices.Clone(s.run(q, variable)))
}

// answers returns the union of the disjuncts' answers. within, if not nil, restricts them.
func (s *Solver) answers(disjuncts []scq.Disjunct, build func(*scq.Disjunct) *problem, n int, within []int32) ([]int32, error) {
	s.start(n)
	var found []int32
	for i := range disjuncts {
		p := build(&disjuncts[i])
		if within != nil {
			s.within(p, 0, s.subtract(within, found))
			if len(p.domains[0]) == 0 {
				break
			}
		}
		found = s.unite(found, s.run(p, 0))
	}
	return s.finish(found)
}

// start prepares for a call on a graph of n entities.
func (s *Solver) start(n int) {
	if s.n != n {
		s.n = n
		s.all = nil
		s.union = collector{n: n}
	}
	s.union.take(&s.room) // left over from a failed call
	s.used = 0
	s.left = cmp.Or(s.Budget, defaultBudget)
	s.err = nil
	s.look = s.left
}

func (s *Solver) finish(set []int32) ([]int32, error) {
	if s.err != nil {
		return nil, s.err
	}
	return set, nil
}

func (s *Solver) unite(a, b []int32) []int32 {
	switch {
	case len(a) == 0:
		return b
	case len(b) == 0:
		return a
	}
	s.union.add(a...)
	s.union.add(b...)
	return s.union.take(&s.room)
}

// spend deducts work from the budget and reports whether the call may continue.
func (s *Solver) spend(work int) bool {
	s.left -= work
	s.spent += work
	switch {
	case s.err != nil:
	case s.left < 0:
		s.err = ErrBudget
	case s.Context != nil && s.left <= s.look:
		s.look = s.left - lookEvery
		s.err = pause.Here(s.Context)
	}
	return s.err == nil
}

// Union returns a graph with the triples of both, which have the same entities and relations.
func Union(g, other *graph.Graph) (*graph.Graph, error) {
	var more []graph.Triple
	for r := 0; r < other.NumRelations(); r += 2 {
		heads, tails := other.Edges(graph.RelationID(r))
		for i, h := range heads {
			more = append(more, graph.Triple{Head: graph.EntityID(h), Relation: int32(r / 2), Tail: graph.EntityID(tails[i])})
		}
	}
	both, _, _, err := g.With(more, nil)
	return both, err
}
