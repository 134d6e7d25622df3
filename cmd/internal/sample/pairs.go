package sample

import (
	"slices"

	"github.com/efoc/efoc/cmd/internal/queryset"
	"github.com/efoc/efoc/runtime/model/exact"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/scq"
)

// answerPairs is answer for a template with two answer variables.
func (s *Sampler) answerPairs(t *Template, solver *exact.Solver, args []int32) (*queryset.Case, error) {
	b := t.slots.bind(args)
	most := s.options.MaxAnswers
	all, err := t.rows(solver, s.full, t.patterns, b, most)
	if err != nil || len(all) == 0 || len(all) > most {
		return nil, err
	}
	q := &queryset.Case{Args: args, Split: s.options.Split}
	if s.small != nil {
		q.EasyRows, err = t.rows(solver, s.small, t.patterns, b, most)
		if err != nil {
			return nil, err
		}
	}
	q.HardRows = slices.DeleteFunc(slices.Clone(all), func(r queryset.Row) bool {
		_, easy := slices.BinarySearchFunc(q.EasyRows, r, queryset.Row.Compare)
		return easy
	})
	hard := len(q.HardRows)
	if len(q.EasyRows)+hard > most || hard < s.options.MinHard || s.options.MaxHard > 0 && hard > s.options.MaxHard {
		return nil, nil
	}
	matter, err := t.negationsMatter(func(patterns []scq.Disjunct) (bool, error) {
		more, err := t.rows(solver, s.full, patterns, b, len(all))
		return !slices.Equal(more, all), err
	})
	if !matter || err != nil {
		return nil, err
	}
	return q, nil
}

// rows returns, ascending, the pairs of entities that satisfy one of the patterns in the graph, at most one more than
// most.
func (t *Template) rows(solver *exact.Solver, g *graph.Graph, patterns []scq.Disjunct, b scq.Bindings, most int) ([]queryset.Row, error) {
	var rows []queryset.Row
	for i := range patterns {
		p := &patterns[i]
		within := make([][]int32, len(p.Variables))
		firsts, err := solver.Values(exact.Facts{g}, p, b, 0, within)
		if err != nil {
			return nil, err
		}
		for _, first := range firsts {
			within[0] = []int32{first}
			seconds, err := solver.Values(exact.Facts{g}, p, b, t.second[i], within)
			if err != nil {
				return nil, err
			}
			for _, second := range seconds[:min(len(seconds), most+1)] {
				rows = append(rows, queryset.Row{first, second})
			}
			if len(rows) > most {
				slices.SortFunc(rows, queryset.Row.Compare)
				rows = slices.Compact(rows)
				if len(rows) > most {
					return rows[:most+1], nil
				}
			}
		}
	}
	slices.SortFunc(rows, queryset.Row.Compare)
	return slices.Compact(rows), nil
}
