package importer

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// headerWords are what columns of heads, relations and tails are called in a line of
// names above the triples.
var headerWords = [3][]string{
	{"head", "h", "subject", "subj", "s", "source", "src", "from", "head_id", "head_label", "subject_id", "source_id"},
	{"relation", "rel", "r", "predicate", "pred", "p", "edge", "property", "type", "relation_id", "relation_label", "predicate_id"},
	{"tail", "t", "object", "obj", "o", "target", "tgt", "dst", "to", "tail_id", "tail_label", "object_id", "target_id"},
}

var errColumns = errors.New("the columns are named head, relation and tail, but in another order: reorder them, or state their names with --triples columns=HEAD,RELATION,TAIL")

// header is the line of the names of the columns above triples, nil where there is
// none.
type header []string

// headerOf returns the fields as a header if they are the names of columns.
func headerOf(parts [][]byte) (header, error) {
	var words header
	var columns []int
	for _, part := range parts {
		word := columnWord(string(part))
		column := slices.IndexFunc(headerWords[:], func(list []string) bool { return slices.Contains(list, word) })
		if column < 0 {
			return nil, nil
		}
		words, columns = append(words, string(part)), append(columns, column)
	}
	if slices.Equal(columns, []int{0, 1, 2}) {
		return words, nil
	}
	if slices.Sort(columns); slices.Equal(columns, []int{0, 1, 2}) {
		return nil, errColumns
	}
	return nil, nil
}

// check reports names of columns that later lines use as names of things, so that the
// line may be a fact.
func (h header) check(entities, relations *idTable) error {
	if h == nil || entities == nil || relations == nil {
		return nil // numbers below: words were no fact
	}
	for i, t := range []*idTable{entities, relations, entities} {
		if _, ok := t.ids[h[i]]; ok {
			return fmt.Errorf("the first line, %s, looks like the names of the columns, but other facts have the %s %q too: remove the line, or rename these",
				strings.Join(h, " "), t.kind, h[i])
		}
	}
	return nil
}
