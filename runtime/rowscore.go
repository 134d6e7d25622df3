package runtime

import (
	"cmp"
	"context"
	"slices"

	"github.com/efoc/efoc/runtime/internal/judge"
	"github.com/efoc/efoc/runtime/internal/search"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
)

// ScoreRows replaces the search by a scorer that scores every row, for references on small graphs.
func (q *Question) ScoreRows(by ScoreRows) { q.score = by }

// find returns the best rows.
func (x *rowsAsked) find(ctx context.Context, s *search.Search) (*search.Found, error) {
	if x.score == nil {
		return s.Run(ctx)
	}
	scorer, err := x.score(ctx, s.Model(), *s.Settings, x.args)
	if err != nil {
		return nil, err
	}
	var rows []search.Row
	row := make([]graph.EntityID, len(x.spec.Variables))
	var each func(position int, values []graph.EntityID)
	each = func(position int, values []graph.EntityID) {
		if position == len(row) {
			if score, excluded := scorer.Score(row); !excluded && score > 0 {
				rows = append(rows, search.Row{Values: slices.Clone(values), Score: float32(score)})
			}
			return
		}
		for e := range graph.EntityID(s.Model().NumEntities()) {
			row[x.spec.Searched(position)] = e
			each(position+1, append(values, e))
		}
	}
	each(0, nil)
	slices.SortStableFunc(rows, func(a, b search.Row) int { return cmp.Compare(b.Score, a.Score) })
	if s.Semantics == model.NSMP && s.Statuses && s.Known {
		rows = x.knownFirst(ctx, rows)
	}
	return &search.Found{Rows: rows[:min(len(rows), s.Keep)], Proved: true}, ctx.Err()
}

// knownFirst puts known rows before the others.
func (x *rowsAsked) knownFirst(ctx context.Context, rows []search.Row) []search.Row {
	values := make([][]graph.EntityID, len(rows))
	for i, row := range rows {
		values[i] = row.Values
	}
	var known, others []search.Row
	for i, status := range x.judge.Statuses(ctx, values) {
		if status == judge.Known {
			known = append(known, rows[i])
		} else {
			others = append(others, rows[i])
		}
	}
	return append(known, others...)
}
