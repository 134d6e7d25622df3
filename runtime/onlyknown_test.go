package runtime_test

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/efoc/efoc/cmd/efoc/world"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/pause"
	"github.com/efoc/efoc/testdata/require"
)

// joined is a question for rows with the join over stored facts that finds its known rows.
type joined struct {
	formula string
	negated bool
	join    func(tails func(head graph.EntityID, relation string) []int32, france graph.EntityID, found func(row ...int32))
}

var joins = []joined{
	{`x, y: borders("France", x) & official_language(x, y)`, false, func(tails func(graph.EntityID, string) []int32, france graph.EntityID, found func(...int32)) {
		for _, x := range tails(france, "borders") {
			for _, y := range tails(graph.EntityID(x), "official_language") {
				found(x, y)
			}
		}
	}},
	{`y, x: borders("France", x) & (capital(x, y) | official_language(x, y))`, false, func(tails func(graph.EntityID, string) []int32, france graph.EntityID, found func(...int32)) {
		for _, x := range tails(france, "borders") {
			for _, y := range slices.Concat(tails(graph.EntityID(x), "capital"), tails(graph.EntityID(x), "official_language")) {
				found(y, x)
			}
		}
	}},
	{`x, y, z: borders("France", x) & borders(x, y) & official_language(y, z) & y != "France"`, false, func(tails func(graph.EntityID, string) []int32, france graph.EntityID, found func(...int32)) {
		for _, x := range tails(france, "borders") {
			for _, y := range tails(graph.EntityID(x), "borders") {
				for _, z := range tails(graph.EntityID(y), "official_language") {
					if y != int32(france) {
						found(x, y, z)
					}
				}
			}
		}
	}},
	{`x, y: borders("France", x) & official_language(x, y) & !official_language("France", y)`, true, func(tails func(graph.EntityID, string) []int32, france graph.EntityID, found func(...int32)) {
		for _, x := range tails(france, "borders") {
			for _, y := range tails(graph.EntityID(x), "official_language") {
				if !slices.Contains(tails(france, "official_language"), y) {
					found(x, y)
				}
			}
		}
	}},
}

// rows returns the rows of the join, ascending, each once.
func (j *joined) rows(t *testing.T, m *runtime.Model) (all [][]int32) {
	france, err := m.Entity("France")
	require.NoError(t, err)
	j.join(func(head graph.EntityID, relation string) []int32 {
		r, err := m.Relation(relation)
		require.NoError(t, err)
		return m.Bundle().Graph.Tails(head, r.ID())
	}, france.ID(), func(row ...int32) { all = append(all, row) })
	slices.SortFunc(all, slices.Compare)
	return slices.CompactFunc(all, slices.Equal)
}

// idsOf returns the entities of rows.
func idsOf(rows []runtime.Row) (list [][]int32) {
	for _, r := range rows {
		var ids []int32
		for _, v := range r.Values {
			ids = append(ids, int32(v.ID))
		}
		list = append(list, ids)
	}
	return list
}

// TestOnlyKnownRows asks for known rows alone, and compares them with a join over the stored facts: these rows, those
// with the largest scores first. A score is 1 under model.FIT unless an atom is negated, and otherwise that of the
// search for all rows.
func TestOnlyKnownRows(t *testing.T) {
	m, err := world.Open()
	require.NoError(t, err)
	defer m.Close()
	for _, j := range joins {
		want := j.rows(t, m)
		for _, semantics := range model.AllSemantics {
			p, err := compiler.Prepare(m, j.formula, compiler.Options{Semantics: &semantics})
			require.NoError(t, err)
			o := runtime.Options{K: len(want) + 1, Filter: runtime.AnswerFilter{Statuses: runtime.Known}}
			all, err := p.Ask(t.Context(), nil, o)
			require.NoError(t, err)
			got := idsOf(all.Rows)
			slices.SortFunc(got, slices.Compare)
			if !slices.EqualFunc(got, want, slices.Equal) || all.Incomplete || !all.Proved || all.Searched != 0 {
				t.Fatalf("%s, %s: %d rows, want %d; incomplete %t, proved %t, searched %d", j.formula, semantics, len(got), len(want), all.Incomplete, all.Proved, all.Searched)
			}
			// None is undecided, since the budget suffices to find them all.
			o.Filter.Statuses |= runtime.Undecided
			same, err := p.Ask(t.Context(), nil, o)
			require.NoError(t, err)
			if !slices.EqualFunc(idsOf(same.Rows), idsOf(all.Rows), slices.Equal) || same.Searched != 0 {
				t.Errorf("%s, %s: with undecided rows there are %d, want %d; searched %d", j.formula, semantics, len(same.Rows), len(all.Rows), same.Searched)
			}
			o.Filter.Statuses = runtime.Known
			inOrder := slices.IsSortedFunc(all.Rows, func(a, b runtime.Row) int {
				order := cmp.Compare(b.Score, a.Score)
				for i := range a.Values {
					v := p.Spec().Searched(i)
					order = cmp.Or(order, cmp.Compare(a.Values[v].ID, b.Values[v].ID))
				}
				return order
			})
			if !inOrder {
				t.Errorf("%s, %s: rows are not in order", j.formula, semantics)
			}
			checkScores(t, p, &j, all.Rows)

			for _, page := range []runtime.Options{{K: 5}, {K: 3, Offset: 4}} {
				page.Filter = o.Filter
				some, err := p.Ask(t.Context(), nil, page)
				require.NoError(t, err)
				if !slices.EqualFunc(idsOf(some.Rows), idsOf(all.Rows)[page.Offset:page.Offset+page.K], slices.Equal) || some.Next != page.Offset+page.K {
					t.Errorf("%s, %s: rows from %d are %v, next %d", j.formula, semantics, page.Offset, idsOf(some.Rows), some.Next)
				}
			}
		}
	}
}

// checkScores compares the scores of known rows with those of a search for all rows.
func checkScores(t *testing.T, p *compiler.Prepared, j *joined, rows []runtime.Row) {
	t.Helper()
	if p.Semantics == model.FIT && !j.negated {
		for _, r := range rows {
			if r.Score != 1 {
				t.Errorf("%s: a known row has degree %v", j.formula, r.Score)
			}
		}
		return
	}
	reply, err := p.Ask(t.Context(), nil, runtime.Options{K: 200})
	require.NoError(t, err)
	compared := 0
	for _, a := range reply.Rows[:min(20, len(reply.Rows))] {
		var values []graph.EntityID
		for _, v := range a.Values {
			values = append(values, v.ID)
		}
		w, err := p.WhyNot(t.Context(), nil, runtime.Options{}, values...)
		require.NoError(t, err)
		if math.Abs(float64(a.Score-w.Row.Score)) > 1e-5*float64(a.Score) {
			t.Errorf("%s, %s: row %v has score %v, and why not %v", j.formula, p.Semantics, values, a.Score, w.Row.Score)
		}
	}
	for _, a := range reply.Rows {
		for _, b := range rows {
			if !slices.Equal(idsOf([]runtime.Row{a})[0], idsOf([]runtime.Row{b})[0]) {
				continue
			}
			compared++
			if math.Abs(float64(a.Score-b.Score)) > 1e-5*float64(a.Score) || math.Abs(a.Confidence-b.Confidence) > 1e-6 {
				t.Errorf("%s, %s: score %v and confidence %v, in a search for all rows %v and %v", j.formula, p.Semantics, b.Score, b.Confidence, a.Score, a.Confidence)
			}
		}
	}
	if compared == 0 {
		t.Errorf("%s, %s: no row to compare with", j.formula, p.Semantics)
	}
}

// endAfter returns a context that ends after some steps of the work, which may be concurrent, and whether it did so.
func endAfter(t *testing.T, steps int) (_ context.Context, ended func() bool) {
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	var left atomic.Int64
	left.Store(int64(steps))
	return pause.With(ctx, func() {
		if left.Add(-1) == 0 {
			cancel()
		}
	}), func() bool { return left.Load() <= 0 }
}

// TestOnlyKnownRowsEnd ends a search for known rows early, at any of its steps: the rows found so far are returned.
func TestOnlyKnownRowsEnd(t *testing.T) {
	m, err := world.Open()
	require.NoError(t, err)
	defer m.Close()
	for _, j := range joins {
		known := j.rows(t, m)
		isKnown := func(ids []int32) bool {
			return slices.ContainsFunc(known, func(k []int32) bool { return slices.Equal(k, ids) })
		}
		p, err := compiler.Prepare(m, j.formula, compiler.Options{Semantics: new(model.FIT)})
		require.NoError(t, err)
		o := runtime.Options{K: len(known) + 1, Filter: runtime.AnswerFilter{Statuses: runtime.Known}}
		part := false
		for steps := 1; ; steps++ {
			ctx, ended := endAfter(t, steps)
			r, err := p.Ask(ctx, nil, o)
			if !ended() {
				break
			}
			if !errors.Is(err, context.Canceled) || r == nil || !r.Incomplete {
				t.Fatalf("%s, after %d steps: %+v, error %v", j.formula, steps, r, err)
			}
			for _, ids := range idsOf(r.Rows) {
				if !isKnown(ids) {
					t.Errorf("%s, after %d steps: %v is not known", j.formula, steps, ids)
				}
			}
			part = part || len(r.Rows) > 0 && len(r.Rows) < len(known)
		}
		o.Budget = 10
		r, err := p.Ask(t.Context(), nil, o)
		require.NoError(t, err)
		if !part || !r.Incomplete || len(r.Rows) >= len(known) {
			t.Errorf("%s: part %t; with a small budget %d of %d rows, incomplete %t", j.formula, part, len(r.Rows), len(known), r.Incomplete)
		}
	}
}
