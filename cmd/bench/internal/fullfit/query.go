package fullfit

import (
	"context"
	"fmt"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/query"
	"github.com/efoc/efoc/runtime/scq"
)

// Query returns a query that answers the shape of q by the matrices: those that Needs
// names must be among them.
func (x *Matrices) Query(q *query.Query) (*query.Query, error) {
	p := q.Plan()
	if q.Model() != x.model {
		return nil, fmt.Errorf("the matrices are of another model than the query %s", p.Shape)
	}
	for i := range p.Patterns {
		if len(p.Patterns[i].Unequal) > 0 {
			return nil, fmt.Errorf("%s: the matrices are of links, they answer no inequality", p.Shape)
		}
	}
	return query.New(x.model, &query.Plan{
		ABI: query.ABI, Shape: p.Shape, Layers: p.Layers, Constants: p.Constants, Relations: p.Relations, Patterns: p.Patterns,
		Run: func(w *query.Workspace) error {
			answer, err := x.degrees(w.Context(), p.Patterns, w.Bindings(), w.Settings().Degrees.OrDefault())
			if err != nil {
				return err
			}
			w.SetAnswer(answer)
			return nil
		},
	}, query.Names{})
}

// Needs returns the keys of the matrices that a query with these bindings reads.
func Needs(patterns []scq.Graph, b scq.Bindings, d model.Degrees) []Key {
	var keys []Key
	for i := range patterns {
		for _, st := range order(&patterns[i]) {
			for j := range st.links {
				keys = append(keys, KeyOf(st.links[j].directed(b), d))
			}
		}
	}
	return keys
}

// directed returns the relation that a link reads.
func (l *link) directed(b scq.Bindings) model.RelationID {
	if l.inverse {
		return b.Relations[l.relation].Inverse()
	}
	return b.Relations[l.relation]
}

// degrees returns the degree of each entity: the probabilistic sum over the disjuncts.
func (x *Matrices) degrees(ctx context.Context, patterns []scq.Graph, b scq.Bindings, d model.Degrees) ([]float32, error) {
	union := make([]float32, x.model.NumEntities())
	for i := range patterns {
		steps := order(&patterns[i])
		for _, st := range steps {
			for j := range st.links {
				l := &st.links[j]
				if l.matrix = x.byKey[KeyOf(l.directed(b), d)]; l.matrix == nil {
					return nil, fmt.Errorf("there is no matrix of relation %d with these settings: make it first", l.directed(b))
				}
			}
		}
		s := &solver{ctx: ctx, steps: steps, bindings: b, negation: float32(d.Negation), n: len(union), answer: make([]float32, len(union))}
		vars := make([][]float32, len(patterns[i].Variables))
		for v := range vars {
			vars[v] = make([]float32, len(union))
			for e := range vars[v] {
				vars[v][e] = 1
			}
		}
		if err := s.run(0, vars, 1); err != nil {
			return nil, err
		}
		for e, p := range s.answer {
			union[e] += (1 - union[e]) * p
		}
	}
	return union, nil
}
