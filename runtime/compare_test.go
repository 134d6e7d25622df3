package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/testdata/require"
)

// TestAskAgainst compares the answers to questions with those on a changed graph, page by page and for any K. The rows
// and the next page are those of Ask, and each change is what the whole lists of both say.
func TestAskAgainst(t *testing.T) {
	m := calibrated(t)
	france, err := m.Entity("France")
	require.NoError(t, err)
	spain, err := m.Entity("Spain")
	require.NoError(t, err)
	borders, err := m.Relation("borders")
	require.NoError(t, err)
	gone := graph.TripleOf(france.ID(), borders.ID(), spain.ID())
	changed, err := m.Assume(func(now *model.Model) (*model.Model, error) {
		next, _, err := now.With(model.Change{Remove: []graph.Triple{gone}, Add: []graph.Triple{{Head: gone.Head, Relation: gone.Relation, Tail: gone.Head}}})
		return next, err
	})
	require.NoError(t, err)

	kinds := map[string]int{}
	for _, formula := range []string{
		`borders("France", y)`, `borders("France", y) & y != "Italy" & y != "Peru"`, `y: in_continent("Europe") & borders("France", y)`,
		`exists x. borders("France", x) & official_language(x, y)`, `x, y: borders("France", x) & capital(x, y)`,
	} {
		p, err := compiler.Prepare(changed, formula, compiler.Options{})
		require.NoError(t, err)
		base, err := compiler.Prepare(m, formula, compiler.Options{})
		require.NoError(t, err)
		rows := len(p.Spec().Variables) > 1
		before := ranks(t, base, rows)
		after := ranks(t, p, rows)
		for _, x := range []struct{ k, offset int }{{0, 0}, {1, 0}, {3, 5}, {300, 2}, {m.NumEntities(), 0}, {runtime.MaxRows, 0}, {runtime.MaxRows - 9, 9}, {math.MaxInt, 0}} {
			o := runtime.Options{K: x.k, Offset: x.offset}
			if rows && x.k > 300 { // as much work as there is, or beyond the limit
				ctx, cancel := context.WithCancel(t.Context())
				cancel()
				_, want := p.Ask(ctx, nil, o)
				if _, err := p.AskAgainst(ctx, base.Question, nil, o); fmt.Sprint(err) != fmt.Sprint(want) {
					t.Errorf("%s, %+v: error %v, want %v", formula, x, err, want)
				}
				continue
			}
			want, err := p.Ask(t.Context(), nil, o)
			require.NoError(t, err)
			got, err := p.AskAgainst(t.Context(), base.Question, nil, o)
			require.NoError(t, err)
			if ids(got.Rows) != ids(want.Rows) || got.Next != want.Next {
				t.Errorf("%s, %+v: the rows are\n%s\nnext %d, want\n%s\nnext %d", formula, x, ids(got.Rows), got.Next, ids(want.Rows), want.Next)
			}

			for _, c := range got.Changes {
				kinds[c.Change]++
				name := ids([]runtime.Row{{Values: c.Values}})
				was := before[name]
				is := after[name]
				ok := c.Before == nil || c.Before.Rank == was
				ok = ok && (c.After == nil || c.After.Rank == is)
				switch c.Change {
				case "came":
					ok = ok && c.Before == nil && c.After != nil
				case "went":
					ok = ok && c.Before != nil && c.After == nil
				default:
					ok = ok && c.Before != nil && c.After != nil
				}
				if !ok {
					t.Errorf("%s, %+v: %s %s from %+v to %+v, ranks %d and %d", formula, x, name, c.Change, c.Before, c.After, was, is)
				}
			}
		}
	}
	for _, kind := range []string{"came", "went", "rose", "fell"} {
		if kinds[kind] == 0 {
			t.Errorf("nothing %s: %v", kind, kinds)
		}
	}
}

// ranks returns the ranks of all answers, or of the best rows.
func ranks(t *testing.T, p *compiler.Prepared, rows bool) map[string]int {
	t.Helper()
	o := runtime.Options{K: p.Model().NumEntities()}
	if rows {
		o.K = 700
	}
	r, err := p.Ask(t.Context(), nil, o)
	require.NoError(t, err)
	all := map[string]int{}
	for i, row := range r.Rows {
		all[ids([]runtime.Row{row})] = i + 1
	}
	return all
}

// ids lists the values of rows.
func ids(rows []runtime.Row) (list string) {
	for _, r := range rows {
		for _, v := range r.Values {
			list += fmt.Sprint(v.ID, " ")
		}
		list += "\n"
	}
	return list
}

// TestAskAgainstEnd ends a comparison of rows early, at any of its steps: the rows found so far are returned, all of them
// once only those of the other question are missing.
func TestAskAgainstEnd(t *testing.T) {
	m := calibrated(t)
	p, err := compiler.Prepare(m, `x, y: borders("France", x) & capital(x, y)`, compiler.Options{Semantics: new(model.FIT)})
	require.NoError(t, err)
	o := runtime.Options{K: 5, Filter: runtime.AnswerFilter{Statuses: runtime.Known}}
	whole, err := p.Ask(t.Context(), nil, o)
	require.NoError(t, err)
	found := map[int]int{}
	for steps := 1; ; steps++ {
		ctx, ended := endAfter(t, steps)
		r, err := p.AskAgainst(ctx, p.Question, nil, o)
		if !ended() {
			break
		}
		if !errors.Is(err, context.Canceled) || r == nil || !r.Incomplete || r.Changes != nil || len(r.Rows) > o.K {
			t.Fatalf("after %d steps: %+v, error %v", steps, r, err)
		}
		found[len(r.Rows)]++
		if len(r.Rows) == len(whole.Rows) && ids(r.Rows) != ids(whole.Rows) {
			t.Errorf("after %d steps the rows are %s, want %s", steps, ids(r.Rows), ids(whole.Rows))
		}
	}
	if found[0] == 0 || found[len(whole.Rows)] < 2 {
		t.Errorf("%d rows were found so often: %v", len(whole.Rows), found)
	}
}
