package importer

import (
	"fmt"
	"strings"

	"github.com/efoc/efoc/runtime/model/values"
)

// Edge makes facts from two columns of a table: the entity in one has a relation to the entity in the other. With a
// Value, the other column has values of the entity, and Relation is the attribute.
type Edge struct {
	Head, Relation, Tail string
	Value                values.Kind
}

// ParseEdge parses an edge such as gene -associated_with-> phenotype, or one to values, such as city -population->
// inhabitants:number.
func ParseEdge(text string) (e Edge, err error) {
	left, tail, ok := strings.Cut(text, "->")
	head, relation, dash := strings.Cut(left, " -")
	e = Edge{Head: strings.TrimSpace(head), Relation: strings.TrimSpace(relation), Tail: strings.TrimSpace(tail)}
	for _, kind := range []values.Kind{values.NumberKind, values.DateKind} {
		if column, is := strings.CutSuffix(e.Tail, ":"+string(kind)); is {
			e.Tail = strings.TrimSpace(column)
			e.Value = kind
		}
	}
	if !ok || !dash || e.Head == "" || e.Relation == "" || e.Tail == "" {
		return e, fmt.Errorf("%q, want a column, a relation and another column, such as gene -associated_with-> phenotype", text)
	}
	return e, nil
}
