package judge

import (
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/scq"
)

// ofType reports whether an entity is of a type.
func ofType(m *model.Model, e graph.EntityID, t model.Type) bool {
	return t == model.Type{} || m.Graph.Has(e, t.Relation.ID(), t.Entity.ID())
}

// ofTypes reports whether an entity is of the types that the filter and the question ask for.
func (j *Judge) ofTypes(e graph.EntityID) bool {
	return ofType(j.Model, e, j.Filter.Type) && ofType(j.Model, e, j.Filter.Limit)
}

// excluded reports whether the question excludes e as an answer.
func (j *Judge) excluded(e graph.EntityID) bool {
	return scq.Excludes(j.Plan.Disjuncts, j.Bindings, e)
}

// outOfRange reports whether the graph has no fact that puts an entity where the answer variable stands.
func (j *Judge) outOfRange(e graph.EntityID) bool {
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
