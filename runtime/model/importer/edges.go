package importer

import (
	"bytes"
	"fmt"
	"slices"
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

// pick selects the fields of a record that form a fact.
type pick struct {
	at [3]int // at[1] is negative if relation is the name
	// relation is the relation of an edge. An empty cell means no fact.
	relation []byte
	// value is the edge if it has values, otherwise nil.
	value *Edge
}

// fact returns the fact of a record, or nil.
func (p *pick) fact(parts [][]byte) *[3][]byte {
	if p.at[1] >= 0 {
		return &[3][]byte{parts[p.at[0]], parts[p.at[1]], parts[p.at[2]]}
	}
	head := parts[p.at[0]]
	tail := parts[p.at[2]]
	if len(bytes.TrimSpace(head)) == 0 || len(bytes.TrimSpace(tail)) == 0 {
		return nil
	}
	return &[3][]byte{head, p.relation, tail}
}

// edgePicks finds the columns of edges.
func edgePicks(edges []Edge, names []string) (picks []pick, err error) {
	for _, e := range edges {
		p := pick{at: [3]int{slices.Index(names, e.Head), -1, slices.Index(names, e.Tail)}, relation: []byte(e.Relation)}
		if e.Value != "" {
			p.value = &e
		}
		for i, column := range map[int]string{0: e.Head, 2: e.Tail} {
			if p.at[i] < 0 {
				err = fmt.Errorf("there is no column %q among %s", column, list(names))
			}
		}
		picks = append(picks, p)
	}
	return picks, err
}
