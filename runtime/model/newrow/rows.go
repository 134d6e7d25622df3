package newrow

import (
	"context"

	"github.com/efoc/efoc/kernels/simd"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/pause"
)

// Rows returns the rows of new entities, 2d numbers each, side by side, as model.Grown takes
// them. The facts refer to the names by ids from NumEntities on, in order. Other facts play no
// part.
//
// An entity's row is computed from its facts with entities of the model. Without any, it is
// computed from its facts with new entities that already have rows. An entity that no chain of
// facts links to the model gets the mean of the entities with facts of its relations.
func Rows(ctx context.Context, m *model.Model, names []string, facts []graph.Triple) ([]float32, error) {
	if err := m.Hold(); err != nil {
		return nil, err
	}
	defer m.Release()
	n := m.NumEntities()
	of := factsOf(n, len(names), facts)
	s := takeSolver(m)
	defer s.give()
	s.more = make([][]float32, len(names))
	for left := len(names); left > 0; {
		made := map[int][]float32{}
		for i, list := range of {
			if err := pause.Here(ctx); err != nil {
				return nil, err
			}
			if usable := s.usable(list, n); s.more[i] == nil && len(usable) > 0 {
				made[i] = s.rowFor(usable)
			}
		}
		if len(made) == 0 { // nothing links the rest with the model
			for i, list := range of {
				if s.more[i] == nil {
					made[i] = s.typical(list)
				}
			}
		}
		for i, row := range made {
			s.more[i] = row
		}
		left -= len(made)
	}
	var rows []float32
	for _, row := range s.more {
		rows = append(rows, row...)
	}
	return rows, nil
}

// factsOf returns the facts of each new entity, whose ids begin at n. A loop stands with the entity at both ends.
func factsOf(n, fresh int, facts []graph.Triple) [][]fact {
	of := make([][]fact, fresh)
	for _, f := range facts {
		r := graph.RelationID(2 * f.Relation)
		if int(f.Head) >= n {
			of[int(f.Head)-n] = append(of[int(f.Head)-n], fact{r, f.Tail})
		}
		if int(f.Tail) >= n {
			of[int(f.Tail)-n] = append(of[int(f.Tail)-n], fact{r.Inverse(), f.Head})
		}
	}
	return of
}

// usable returns the facts with entities that have rows.
func (s *solver) usable(facts []fact, n int) (list []fact) {
	for _, f := range facts {
		if int(f.Other) < n || s.more[int(f.Other)-n] != nil {
			list = append(list, f)
		}
	}
	return list
}

// row returns the row of an entity, which may be a new one.
func (s *solver) row(e graph.EntityID) []float32 {
	if n := s.predictor.EntityTable.Rows(); int(e) >= n {
		return s.more[int(e)-n]
	}
	return s.predictor.EntityTable.Row(e, nil)
}

// typical returns the mean row of entities that have the relations of some facts, zeros if
// there are none.
func (s *solver) typical(facts []fact) []float32 {
	sum := make([]float32, s.width)
	count := 0
	for _, f := range facts {
		heads, _ := s.graph.Edges(f.Relation)
		k := min(len(heads), askerSample)
		for i := range k {
			simd.Add(sum, sum, s.row(graph.EntityID(heads[i*len(heads)/k])))
		}
		count += k
	}
	simd.Scale(sum, sum, 1/float32(max(1, count)))
	return sum
}
