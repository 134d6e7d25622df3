package names

import (
	"fmt"

	"github.com/efoc/efoc/runtime/internal/grow"
	"github.com/efoc/efoc/runtime/internal/offsets"
)

// Grown returns the names with more ids, without labels. Numeric names stay numeric if the new ones are the next
// numbers.
func (x *Names) Grown(names []string) (*Names, error) {
	more, err := newStrings(names, true)
	if err != nil {
		return nil, fmt.Errorf("new %s names: %w", x.kind, err)
	}
	next := Numbered(x.kind, x.n+len(names))
	numbers := x.Numbered()
	for i, name := range names {
		if _, err := x.FindName(name); err == nil {
			return nil, fmt.Errorf("%s %q is there already", x.kind, name)
		}
		numbers = numbers && name == next.Name(int32(x.n+i))
	}
	old := x.names
	if x.Numbered() && !numbers {
		old, err = x.numbered()
		if err != nil {
			return nil, err
		}
	}
	end, own := x.sharedEnd.Take(x.n, len(names))
	next.sharedEnd = end
	if !numbers {
		next.names = old.appended(&more, own)
	}
	if x.hasLabels() {
		none := Strings{Offsets: offsets.List{Words: make([]int32, len(names)+1)}}
		next.labels = x.labels.appended(&none, own)
	}
	return next, nil
}

// Within returns x in the memory of names that Grown made of it. Nobody may read those any more: Grown of the result
// overwrites its further names.
func (x *Names) Within(grown *Names) *Names {
	if x.Numbered() || x.names.Offsets.Wide != grown.names.Offsets.Wide {
		return x
	}
	next := *x
	next.names = x.names.within(&grown.names)
	next.labels = x.labels.within(&grown.labels)
	next.sharedEnd = grow.At(x.n)
	return &next
}

// numbered returns numeric names as a table.
func (x *Names) numbered() (Strings, error) {
	list := make([]string, x.n)
	for id := range list {
		list[id] = x.Name(int32(id))
	}
	return newStrings(list, true)
}
