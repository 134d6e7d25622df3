package values

import (
	"fmt"
	"slices"
)

// valueEdit adds or removes a value.
type valueEdit struct {
	Fact
	there bool
}

// valueEdits returns the edits of a settled change, by attribute, entity and number.
func valueEdits(add, remove []Fact) (edits []valueEdit) {
	for _, v := range add {
		edits = append(edits, valueEdit{v, true})
	}
	for _, v := range remove {
		edits = append(edits, valueEdit{v, false})
	}
	slices.SortFunc(edits, func(a, b valueEdit) int { return a.Fact.Compare(b.Fact) })
	return edits
}

// With returns the values of n entities after adding and removing some, with their attributes and the numbers of
// added and removed values. Both lists have no duplicates. With adds unknown attributes, and keeps
// attributes that lose their last value.
func (v *Values) With(list []Attribute, add, remove []Fact, n int) (next Values, attributes []Attribute, added, removed int, err error) {
	edits := valueEdits(add, remove)
	next.columns = slices.Clone(v.columns)
	attributes = slices.Clone(list)
	for len(edits) > 0 {
		name := edits[0].Attribute
		end := slices.IndexFunc(edits, func(x valueEdit) bool { return x.Attribute != name })
		if end < 0 {
			end = len(edits)
		}
		mine := edits[:end]
		edits = edits[end:]

		at, known := Search(attributes, name)
		if !known {
			attributes = slices.Insert(attributes, at, Attribute{Name: name, Kind: mine[0].Kind})
			next.columns = slices.Insert(next.columns, at, nil)
		}
		a := &attributes[at]
		for _, x := range mine {
			err := x.check(a.Kind, n)
			if x.Kind != a.Kind {
				err = WantKind(*a)
			}
			if err != nil {
				return next, nil, 0, 0, fmt.Errorf("value of %q: %w", name, err)
			}
		}
		column, more, less := next.columns[at].with(mine)
		next.columns[at] = column
		a.Values += more - less
		added += more
		removed += less
	}
	if added+removed == 0 && len(attributes) == len(list) {
		return *v, list, 0, 0, nil
	}
	return next, attributes, added, removed, CheckAttributes(attributes)
}
