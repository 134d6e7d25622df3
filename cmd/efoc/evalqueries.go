package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"slices"

	"github.com/efoc/efoc/cmd/internal/queryset"
	"github.com/efoc/efoc/lang"
)

// openQueries reads a set of queries with their answers: JSON Lines, an object a
// query, with the name of its shape, the ids in its slots, and its answers.
func openQueries(path, split string) (*queryset.Set, error) {
	_ = split // a file of JSON Lines holds one split
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	groups := make([]*queryset.Group, len(lang.Shapes))
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 64<<20)
	for n := 1; lines.Scan(); n++ {
		var fields map[string]json.RawMessage
		var shape string
		var q queryset.Query
		if err = json.Unmarshal(lines.Bytes(), &fields); err == nil {
			err = json.Unmarshal(fields["type"], &shape)
		}
		i := slices.IndexFunc(lang.Shapes, func(s lang.Shape) bool { return s.Name == shape })
		if err != nil || i < 0 {
			return nil, fmt.Errorf("%s:%d: want a JSON object with the name of a benchmark shape as type", path, n)
		}
		if groups[i] == nil {
			groups[i] = &queryset.Group{Name: shape}
			if groups[i].Template, err = lang.ShapeQuery(shape); err != nil {
				return nil, err
			}
		}
		q.Args = make([]int32, len(groups[i].Template.Params))
		into := map[string]any{"easy": &q.Easy, "hard": &q.Hard}
		for k, p := range groups[i].Template.Params {
			into[p.Name] = &q.Args[k]
		}
		for name, to := range into {
			if err := json.Unmarshal(fields[name], to); err != nil {
				return nil, fmt.Errorf("%s:%d: field %s of a query of shape %s: %w", path, n, name, shape, err)
			}
		}
		slices.Sort(q.Easy)
		slices.Sort(q.Hard)
		groups[i].Queries = append(groups[i].Queries, q)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &queryset.Set{Groups: slices.DeleteFunc(groups, func(g *queryset.Group) bool { return g == nil })}, nil
}
