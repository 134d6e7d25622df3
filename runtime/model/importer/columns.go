package importer

import (
	"fmt"
	"slices"
	"strings"
)

// headerWords are the names of columns of heads, relations and tails in a header line above triples.
var headerWords = [3][]string{
	{"head", "h", "subject", "subj", "s", "source", "src", "from", "head_id", "head_label", "subject_id", "source_id", "source_ref"},
	{"relation", "rel", "r", "predicate", "pred", "p", "edge", "property", "type", "relation_id", "relation_label", "predicate_id", "relationship_type"},
	{"tail", "t", "object", "obj", "o", "target", "tgt", "dst", "to", "tail_id", "tail_label", "object_id", "target_id", "target_ref"},
}

// isHeaderWord reports whether a column has a usual name for heads, relations or tails: i is 0, 1 or 2.
func isHeaderWord(i int, name string) bool {
	word := strings.ToLower(strings.TrimPrefix(strings.TrimSpace(name), "#"))
	return slices.Contains(headerWords[i], word)
}

// columns are the names of the columns of heads, relations and tails, nil by default.
type columns []string

func (c columns) check() error {
	switch {
	case len(c) == 0:
		return nil
	case len(c) != 3 || c[0] == c[1] || c[0] == c[2] || c[1] == c[2]:
		return fmt.Errorf("columns %q, want three names: of heads, relations and tails", []string(c))
	}
	return nil
}

// find returns the indices of the columns among a file's. By default it recognises them by name.
func (c columns) find(names []string) (at [3]int, err error) {
	for i := range at {
		if c != nil {
			at[i], err = position(names, c[i])
			if err != nil {
				return at, err
			}
			continue
		}
		at[i] = -1
		for j, name := range names {
			if !isHeaderWord(i, name) {
				continue
			}
			if at[i] >= 0 {
				return at, &OptionError{fmt.Errorf("column %q and column %q may both hold the %ss", names[at[i]], name, headerWords[i][0]), "", optionColumns}
			}
			at[i] = j
		}
		if at[i] < 0 {
			return at, &OptionError{fmt.Errorf("the columns are %s, none with a usual name for %ss (if a line has several facts, set %s for each)", list(names), headerWords[i][0], optionEdge), "", optionColumns}
		}
	}
	return at, nil
}

// position returns the index of a column.
func position(names []string, name string) (int, error) {
	at := slices.Index(names, name)
	if at < 0 {
		return at, fmt.Errorf("there is no column %q among %s", name, list(names))
	}
	return at, nil
}

// list quotes the first names, for an error.
func list(names []string) string {
	const most = 20
	var quoted []string
	for _, name := range names[:min(most, len(names))] {
		quoted = append(quoted, fmt.Sprintf("%q", clip([]byte(name))))
	}
	if len(names) > most {
		quoted = append(quoted, fmt.Sprintf("%d more", len(names)-most))
	}
	return strings.Join(quoted, ", ")
}
