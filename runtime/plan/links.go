package plan

import (
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/scq"
)

// Link is the weakest predicted link of an answer, by truth degrees.
type Link struct {
	Degree float64 // of the answer
	// Relation is the link's relation, -1 if no link is predicted. Head and Tail are its ends, -1 for a variable that
	// no entity informs.
	Relation   graph.RelationID
	Head, Tail graph.EntityID
	// Needed says that the answer is wrong without the link: each end is a constant or the answer itself, so every
	// witness of the disjunct contains it.
	Needed bool
	// Disjunct is the disjunct of the answer's best witness. Values are the entities of its variables; nil without a witness.
	Disjunct int
	Values   []int32
}

// NoLink returns the Link of an answer whose best witness, if any, predicts no link.
func NoLink(degree float64) Link { return Link{Degree: degree, Relation: -1, Head: -1, Tail: -1} }

// HasLinks reports whether Links can be called: the run computed truth degrees.
func (w *Workspace) HasLinks() bool { return w.degrees != nil && w.degrees.Answered() }

// Links returns the weakest predicted link of each entity, after a run of a plan of truth degrees or of a mixture.
func (w *Workspace) Links(p *Plan, entities []graph.EntityID) ([]Link, error) {
	list := make([]Link, len(entities))
	most := 0
	for i := range p.Disjuncts {
		most = max(most, len(p.Disjuncts[i].Variables))
	}
	values := make([]int32, 0, most*len(entities))
	complete := func(slot int) bool { return slot >= 0 && w.model.Complete(w.bindings.Relations[slot]) }
	for i, e := range entities {
		w.Rest()
		if err := w.Err(); err != nil {
			return nil, err
		}
		x, err := w.degrees.Weakest(int32(e), p.Disjuncts, complete)
		if err != nil {
			return nil, err
		}
		list[i] = NoLink(float64(x.Degree))
		list[i].Disjunct = x.Disjunct
		if x.Values != nil {
			values = append(values, x.Values...)
			list[i].Values = values[len(values)-len(x.Values):]
		}
		if x.Atom < 0 {
			continue
		}
		a := &p.Disjuncts[x.Disjunct].Atoms[x.Atom]
		list[i].Relation = w.bindings.Relations[a.Relation]
		list[i].Head, list[i].Tail = w.end(a.Head, x.Head), w.end(a.Tail, x.Tail)
		list[i].Needed = a.Given()
	}
	return list, nil
}

// end returns the entity of a term: the constant's, or value for a variable.
func (w *Workspace) end(t scq.Term, value int32) graph.EntityID {
	if t.Constant {
		return w.bindings.Constants[t.Index]
	}
	return graph.EntityID(value)
}
