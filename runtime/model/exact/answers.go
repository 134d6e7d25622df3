package exact

import (
	"cmp"
	"slices"

	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/scq"
)

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
