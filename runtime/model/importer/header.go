package importer

import (
	"slices"
	"strings"

	"github.com/efoc/efoc/runtime/model/graph"
)

// header has the names of the columns of heads, relations and tails in a line recognised as a header, nil without
// one.
type header []string

func (h header) String() string { return strings.Join(h, " ") }

// firstAlone reports whether no other fact has the relation or an entity of the first one, whose names may be the
// names of columns.
func firstAlone(facts []graph.Triple) bool {
	if len(facts) < 2 {
		return false
	}
	first := facts[0]
	return !slices.ContainsFunc(facts[1:], func(t graph.Triple) bool {
		return t.Relation == first.Relation || t.Head == first.Head || t.Head == first.Tail || t.Tail == first.Head || t.Tail == first.Tail
	})
}

// columnsAsFacts reports whether facts have too many relations for their middle column to be one.
func columnsAsFacts(facts []graph.Triple) bool {
	const many, most = 100, 1000
	relations := map[int32]bool{}
	for _, t := range facts {
		relations[t.Relation] = true
	}
	return len(relations) > most || len(relations) > many && 10*len(relations) > len(facts)
}
