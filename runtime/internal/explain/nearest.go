package explain

import (
	"context"
	"math"
	"slices"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/runtime/scq"
)

// Refuted is the factor in the degree of an assignment for each part that stored facts refute: a negated link of the
// graph, a value that fails a filter, equal ends of an inequality, and a link that the graph lacks although its
// relation is complete, or that is marked as not true.
const Refuted = 0.001

// leastDegree stands for the degree of a predicted link that is 0 after rounding.
const leastDegree = 1e-30

// None is the value of a variable that has none.
const None = graph.EntityID(-1)

// Row identifies the truth degrees of the links from an entity by a directed relation.
type Row struct {
	From     graph.EntityID
	Relation graph.RelationID
}

// Claim says that given values of the answer variables satisfy a disjunct.
type Claim struct {
	Model    *model.Model
	Disjunct *scq.Disjunct
	Bindings scq.Bindings
	// Given holds the values of the answer variables, by variable of the disjunct, and None for others.
	Given []graph.EntityID
	// Rows returns the truth degrees of the links to all entities, for each row.
	Rows func(context.Context, []Row) ([][]float32, error)
}

// Nearest finds the values of the existential variables that come closest to satisfying the disjunct: the largest
// product over its parts. A part that holds in the graph has degree 1: a stored link, a negated link that the graph
// lacks, an inequality of two entities, a filter. A link that the graph lacks has the truth degree that the link
// predictor gives it, however small, and a refuted part has Refuted, times the degree of a link. An atom is read from
// the constant or the answer if it has one, otherwise from the variable with the lower index. So the degree is 1 if
// and only if the claim follows from the graph.
//
// It reports false if the search ended at its bound, so that other values may come closer.
func Nearest(ctx context.Context, c Claim) (w Witness, proved bool, err error) {
	return c.nearest(ctx, bounds{mostDegrees, mostWaiting})
}

// nearest is Nearest within bounds.
func (c Claim) nearest(ctx context.Context, most bounds) (w Witness, proved bool, err error) {
	s := &nearest{Claim: c, lost: math.Inf(-1), bounds: most}
	for v, e := range c.Given {
		if e == None {
			s.free = append(s.free, v)
		}
	}
	if err := s.prepare(ctx); err != nil {
		return w, false, err
	}
	found, err := s.search(ctx)
	if err != nil {
		return w, false, err
	}
	values := slices.Clone(c.Given)
	for at := found; at.before != nil; at = at.before {
		values[s.free[at.depth-1]] = at.value
	}
	w, err = c.at(ctx, values)
	return w, s.lost <= found.bound, err
}

// read returns the row that has the degree of an atom, and the entity to look up in it, given the values of both ends.
func (c *Claim) read(a scq.Atom, values []graph.EntityID) (Row, graph.EntityID) {
	head := c.end(a.Head, values)
	tail := c.end(a.Tail, values)
	if c.rank(a.Tail) < c.rank(a.Head) {
		return Row{tail, c.Bindings.Relations[a.Relation].Inverse()}, head
	}
	return Row{head, c.Bindings.Relations[a.Relation]}, tail
}

// end returns the value of a term.
func (c *Claim) end(t scq.Term, values []graph.EntityID) graph.EntityID {
	if t.Constant {
		return c.Bindings.Constants[t.Index]
	}
	return values[t.Index]
}

// rank orders the terms of an atom: it is read from the lower one.
func (c *Claim) rank(t scq.Term) int {
	if t.Constant || c.Given[t.Index] != None {
		return -1
	}
	return t.Index
}

// degree returns the degree of the link from the entity of a row, which has the given predicted degree.
func (c *Claim) degree(r Row, to graph.EntityID, predicted float32) (degree float64, fails Failure) {
	degree = max(float64(predicted), leastDegree)
	switch m := c.Model; {
	case m.Graph.Has(r.From, r.Relation, to):
		return 1, ""
	case m.Complete(r.Relation), m.Untrue != nil && m.Untrue.Has(r.From, r.Relation, to):
		return Refuted * degree, FailsRefuted
	}
	return degree, FailsPredicted
}

// at returns the witness with the given values, all parts included.
func (c *Claim) at(ctx context.Context, values []graph.EntityID) (Witness, error) {
	w := Witness{Answer: values[0], Values: values}
	var keys []Row
	for _, a := range c.Disjunct.Atoms {
		if !a.Negated {
			row, _ := c.read(a, values)
			keys = append(keys, row)
		}
	}
	rows, err := c.Rows(ctx, keys)
	if err != nil {
		return w, err
	}

	product := 1.0
	for i, a := range c.Disjunct.Atoms {
		atom := Atom{
			Link:  plan.Link{Degree: 1, Relation: Same, Head: c.end(a.Head, values), Tail: c.end(a.Tail, values)},
			Index: i, Negated: a.Negated,
		}
		if a.Unequal() {
			atom.Observed = atom.Head == atom.Tail
		} else {
			atom.Relation = c.Bindings.Relations[a.Relation]
			atom.Observed = c.Model.Graph.Has(atom.Head, atom.Relation, atom.Tail)
		}
		switch {
		case !a.Negated:
			row, to := c.read(a, values)
			atom.Degree, atom.Fails = c.degree(row, to, rows[0][to])
			rows = rows[1:]
		case atom.Observed:
			atom.Degree = Refuted
			atom.Fails = FailsNegated
		}
		product *= atom.Degree
		w.Atoms = append(w.Atoms, atom)
	}
	for _, f := range c.Disjunct.Filters {
		filter := FilterAtom{c.Bindings.Filters[f.Slot], values[f.Variable]}
		product *= filterDegree(filter.Selection, filter.Entity)
		w.Filters = append(w.Filters, filter)
	}
	w.Degree = float32(product)
	return w, nil
}

// filterDegree returns the degree to which an entity meets a filter.
func filterDegree(f *model.Selection, e graph.EntityID) float64 {
	if factor := f.Factor(e); factor > 0 {
		return float64(factor)
	}
	return Refuted
}
