package judge

import (
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/rank"
	"github.com/efoc/efoc/runtime/scq"
)

// Filter selects answers. The zero Filter selects all.
type Filter struct {
	Statuses      Status // a set; 0 allows any
	InRange       bool
	MinConfidence float64
	Type          model.Type
	Limit         model.Type // the type that the question itself asks for
}

// Any reports whether the filter leaves anything out.
func (f *Filter) Any() bool { return *f != Filter{} }

// Admits reports whether answers of a status pass.
func (f *Filter) Admits(s Status) bool { return f.Statuses == 0 || f.Statuses&s != 0 }

// ofType reports whether an entity is of a type.
func ofType(m *model.Model, e model.EntityID, t model.Type) bool {
	return t == model.Type{} || m.Graph.Has(e, t.Relation.ID(), t.Entity.ID())
}

// ofTypes reports whether an entity is of the types that the filter and the question ask for.
func (j *Judge) ofTypes(e model.EntityID) bool {
	return ofType(j.Model, e, j.Filter.Type) && ofType(j.Model, e, j.Filter.Limit)
}

// excluded reports whether the question says that no answer is e. Its probability is 0, but
// where fewer entities have more than are asked for it is among the best.
func (j *Judge) excluded(e model.EntityID) bool {
	patterns := j.Plan.Patterns
	for i := range patterns {
		if !patterns[i].Excludes(j.Bindings, e) {
			return false
		}
	}
	return len(patterns) > 0
}

// outOfRange reports whether the graph has no fact that puts an entity where the answer variable stands.
func (j *Judge) outOfRange(e model.EntityID) bool {
	for _, relations := range j.ranges {
		if len(relations) == 0 {
			return false
		}
		for _, r := range relations {
			if len(j.Model.Graph.Tails(e, r)) > 0 {
				return false
			}
		}
	}
	return true
}

// rangesOf lists the relations of a pattern's positive atoms at the answer variable, read
// from there.
func rangesOf(p *scq.Graph, b scq.Bindings) []model.RelationID {
	var list []model.RelationID
	for _, a := range p.Atoms {
		if a.Negated {
			continue
		}
		r := b.Relations[a.Relation]
		if a.Head == scq.Var(0) {
			list = append(list, r)
		}
		if a.Tail == scq.Var(0) {
			list = append(list, r.Inverse())
		}
	}
	return list
}

// wants fills in status and range of a finding and reports whether the filter accepts it. Confidence is added
// later, for all findings at once, unless the filter needs it.
func (j *Judge) wants(a *Finding) (bool, error) {
	f := &j.Filter
	e := rank.Ranked{Entity: a.Entity, Score: a.Score}
	wanted := j.ofTypes(a.Entity)
	if wanted {
		a.OutOfRange = j.outOfRange(a.Entity)
		wanted = !(a.OutOfRange && (f.InRange || f.MinConfidence > 0 && j.atMost(e) < f.MinConfidence)) // nor can it be known
	}
	if !wanted && !j.seeks() {
		return false, nil
	}
	if !j.NoStatus {
		a.Status = j.status(a.Entity)
	}
	j.see(e, a.Status)
	if !wanted || !f.Admits(a.Status) {
		return false, nil
	}
	if f.MinConfidence == 0 {
		return true, nil
	}
	if a.Status != Known && j.atMost(e) < f.MinConfidence {
		return false, nil
	}
	err := j.confide([]*Finding{a})
	return a.Confidence >= f.MinConfidence, err
}
