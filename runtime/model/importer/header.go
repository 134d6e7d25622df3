package importer

import (
	"fmt"
	"slices"
	"strings"

	"github.com/efoc/efoc/runtime/model/graph"
)

// headerWords are the names of columns of heads, relations and tails in a header line above triples.
var headerWords = [3][]string{
	{"head", "h", "subject", "subj", "s", "source", "src", "from", "head_id", "head_label", "subject_id", "source_id"},
	{"relation", "rel", "r", "predicate", "pred", "p", "edge", "property", "type", "relation_id", "relation_label", "predicate_id"},
	{"tail", "t", "object", "obj", "o", "target", "tgt", "dst", "to", "tail_id", "tail_label", "object_id", "target_id"},
}

// header has the names of the columns of heads, relations and tails in a line recognised as a header, nil without
// one.
type header []string

func (h header) String() string { return strings.Join(h, " ") }

// check reports names of columns that later lines use as names, so that the line may be a fact.
func (h header) check(entities, relations *idTable) error {
	if h == nil || entities == nil || relations == nil {
		return nil // numbers follow: the words were no fact
	}
	for i, t := range []*idTable{entities, relations, entities} {
		if _, ok := t.ids[h[i]]; ok {
			return fmt.Errorf("the first line, %s, looks like the names of the columns, but other facts have the %s %q too: remove the line, or rename these",
				h, t.kind, h[i])
		}
	}
	return nil
}

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
