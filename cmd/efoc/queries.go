package main

import (
	"fmt"

	"github.com/efoc/efoc/cmd/internal/queryset"
)

// openQueries reads a set of queries, with a bar, and shows the warnings.
func (a *app) openQueries(path string, o queryset.Options) (*queryset.Set, error) {
	bar := newBar(a.stderr)
	o.Progress = bar.show
	set, warnings, err := queryset.Open(a.ctx, path, o)
	bar.clear()
	if err != nil {
		return nil, err
	}
	for _, w := range warnings {
		fmt.Fprintf(a.stderr, "efoc: warning: %s\n", w)
	}
	return set, nil
}
