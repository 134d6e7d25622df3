package exact

import (
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/scq"
)

// problem is a disjunct with filled slots, in the course of being solved.
type problem struct {
	// domains holds the candidates of each variable, nil for all entities: an empty domain is not nil. Each
	// occurrence of a constant is a variable with one candidate.
	domains [][]int32
	// links are the remaining atoms between two variables.
	links []link
	// loops are the atoms between a variable and itself.
	loops []link
	// filters are the disjunct's, selections the entities that meet them, by slot.
	filters    []scq.Filter
	selections []*model.Selection
}

// link is an atom between two variables.
type link struct {
	edge
	head, tail int
}

// edge is the relation of an atom with the facts to look the atom up in. For an inequality, it is negated identity,
// which has no facts.
type edge struct {
	facts    Facts
	relation graph.RelationID
	negated  bool
}

// identity reports whether the edge belongs to an inequality.
func (e edge) identity() bool { return e.facts == nil }

func (e edge) back() edge {
	e.relation = e.relation.Inverse()
	return e
}

// Facts are the triples of several graphs with the same entities and relations.
type Facts []*graph.Graph
