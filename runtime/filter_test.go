package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/cmd/efoc/world"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/internal/top"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/testdata/require"
)

// entities lists the entities of answers, in order.
func entities(list []runtime.Row) []graph.EntityID {
	var ids []graph.EntityID
	for _, a := range list {
		ids = append(ids, a.Values[0].ID)
	}
	return ids
}

// TestFilter compares what a filter lets pass with the whole ranking, filtered by hand, for
// queries alone, in batches and in groups, with and without bounds, page by page.
func TestFilter(t *testing.T) {
	m, err := world.Open()
	require.NoError(t, err)
	defer m.Close()
	filters := []runtime.AnswerFilter{
		{}, {InRange: true},
		{Statuses: runtime.Known}, {Statuses: runtime.Predicted},
		{Statuses: runtime.Confirmed}, {Statuses: runtime.Predicted | runtime.Confirmed, InRange: true},
	}
	var byBounds, bySweeps int64 // answers to questions with a filter
	for _, c := range []struct {
		formula   string
		semantics model.Semantics
	}{
		{`borders("France", y)`, model.NSMP},
		{`exists x. borders("France", x) & official_language(x, y) & !official_language("France", y)`, model.NSMP},
		{`official_language(y, "Portuguese") | also_spoken(y, "Portuguese")`, model.NSMP},
		{`exists x. borders("France", x) & official_language(x, y)`, model.FIT},
		{`exists x. borders("France", x) & official_language(x, y)`, model.Mixed},
	} {
		p, err := compiler.Prepare(m, c.formula, compiler.Options{Semantics: new(c.semantics)})
		require.NoError(t, err)
		b, err := p.Args(nil)
		require.NoError(t, err)
		m.Use(plan.Exact)
		all, err := p.Ask(t.Context(), nil, runtime.Options{K: m.NumEntities()})
		if err != nil || len(all.Rows) != m.NumEntities() || all.Next != 0 || all.Incomplete {
			t.Fatalf("%s: %d answers, next %d, error %v", c.formula, len(all.Rows), all.Next, err)
		}
		score := map[graph.EntityID]float64{}
		for _, a := range all.Rows {
			score[a.Values[0].ID] = float64(a.Score)
		}
		// Sums that are taken in another order may make near ties change places.
		alike := func(a, b graph.EntityID) bool { return math.Abs(score[a]-score[b]) <= 1e-4*score[a] }
		for _, f := range filters {
			var want []graph.EntityID
			for _, a := range all.Rows {
				if (f.Statuses == 0 || f.Statuses&a.Status != 0) && !(f.InRange && a.OutOfRange) {
					want = append(want, a.Values[0].ID)
				}
			}
			for _, access := range []plan.Access{plan.Exact, {Floats: true, Estimates: true, Bounds: true}} {
				m.Use(access)
				for _, page := range []struct{ offset, k int }{{0, 1}, {0, 3}, {2, 3}, {3, 200}, {500, 3}} {
					o := runtime.Options{K: page.k, Offset: page.offset, Filter: f, Settings: &p.Settings}
					list := want[min(page.offset, len(want)):min(page.offset+page.k, len(want))]
					what := fmt.Sprintf("%s, %s, filter %+v, %s, page %+v", c.formula, c.semantics, f, access, page)
					check := func(how string, r *runtime.Reply, err error) {
						t.Helper()
						if err != nil || r.Incomplete || !slices.EqualFunc(entities(r.Rows), list, alike) {
							t.Errorf("%s, %s: %d answers, want %d, incomplete %v, error %v", what, how, len(r.Rows), len(list), r.Incomplete, err)
							return
						}
						for _, a := range r.Rows {
							if f.Statuses != 0 && f.Statuses&a.Status == 0 || f.InRange && a.OutOfRange {
								t.Errorf("%s, %s: answer %+v", what, how, a)
							}
						}
						if next := page.offset + page.k; (r.Next == next) != (len(list) == page.k) || r.Next != next && r.Next != 0 {
							t.Errorf("%s, %s: %d answers, and the next are at %d", what, how, len(list), r.Next)
						}
					}
					decided, passed := m.Readouts().Counts()
					r, err := p.Ask(t.Context(), nil, o)
					check("alone", r, err)
					if now, then := m.Readouts().Counts(); access.Bounds && f != (runtime.AnswerFilter{}) {
						byBounds, bySweeps = byBounds+now-decided, bySweeps+then-passed
					}
					results, err := p.AskAll(t.Context(), []runtime.Args{b, b, b}, o)
					require.NoError(t, err)
					check("in a batch", results[2], err)
					g := m.NewGroup()
					g.Enter(1)
					err = g.Do(t.Context(), func(ctx context.Context) (err error) {
						r, err = p.Ask(ctx, nil, o)
						return err
					})
					check("in a group", r, err)
				}
			}
		}
	}
	if byBounds == 0 || bySweeps == 0 {
		t.Errorf("%d answers that a filter wants were found by bounds and %d by a sweep, want some of either", byBounds, bySweeps)
	}
}

// TestOutOfRange compares the marks with the facts, one by one.
func TestOutOfRange(t *testing.T) {
	m, err := world.Open()
	require.NoError(t, err)
	defer m.Close()
	// stands reports whether some fact of a relation has the entity at the end: 0 head, 1 tail.
	stands := func(relation string, end int, e graph.EntityID) bool {
		r, err := m.Relation(relation)
		require.NoError(t, err)
		heads, tails := m.Bundle().Graph.Edges(r.ID())
		return slices.Contains([][]int32{heads, tails}[end], int32(e))
	}
	for _, c := range []struct {
		formula string
		inRange func(e graph.EntityID) bool
	}{
		{`capital("France", y)`, func(e graph.EntityID) bool { return stands("capital", 1, e) }},
		{`capital^-1("Paris", y)`, func(e graph.EntityID) bool { return stands("capital", 0, e) }},
		{`borders("France", y) & official_language(y, "German")`, func(e graph.EntityID) bool {
			return stands("borders", 1, e) || stands("official_language", 0, e)
		}},
		{`exists x. borders("France", x) & official_language(x, y) & !borders("Spain", y)`, func(e graph.EntityID) bool { return stands("official_language", 1, e) }},
		{`capital("France", y) | official_language("France", y)`, func(e graph.EntityID) bool {
			return stands("capital", 1, e) || stands("official_language", 1, e)
		}},
	} {
		p, err := compiler.Prepare(m, c.formula, compiler.Options{})
		require.NoError(t, err)
		r, err := p.Ask(t.Context(), nil, runtime.Options{K: m.NumEntities(), NoStatus: true})
		require.NoError(t, err)
		marked := 0
		for _, a := range r.Rows {
			if a.OutOfRange == c.inRange(a.Values[0].ID) {
				t.Errorf("%s: %s is out of range: %v", c.formula, a.Values[0].Name, a.OutOfRange)
			}
			if a.OutOfRange {
				marked++
			}
		}
		if marked == 0 || marked == len(r.Rows) {
			t.Errorf("%s: %d of %d answers are out of range", c.formula, marked, len(r.Rows))
		}
	}
}

// TestType compares the answers of a type with the facts that say who has it.
func TestType(t *testing.T) {
	m, err := world.Open()
	require.NoError(t, err)
	defer m.Close()
	kind, err := m.ParseType("in_continent=Europe")
	require.NoError(t, err)
	var want []graph.EntityID
	heads, tails := m.Bundle().Graph.Edges(kind.Relation.ID())
	for i, h := range heads {
		if tails[i] == int32(kind.Entity.ID()) {
			want = append(want, graph.EntityID(h))
		}
	}
	p, err := compiler.Prepare(m, `official_language(y, "Spanish")`, compiler.Options{})
	require.NoError(t, err)
	r, err := p.Ask(t.Context(), nil, runtime.Options{K: m.NumEntities(), Filter: runtime.AnswerFilter{Type: kind}})
	if err != nil || r.Rows[0].Values[0].Name != "Spain" {
		t.Fatalf("%+v, error %v", r, err)
	}
	got := entities(r.Rows)
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) || len(want) < 20 {
		t.Errorf("%v, want %v", got, want)
	}
	p, err = compiler.Prepare(m, `y: in_continent("Europe") & official_language(y, "Spanish")`, compiler.Options{})
	require.NoError(t, err)
	peru, err := m.Entity("Peru")
	require.NoError(t, err)
	why, err := p.Why(t.Context(), nil, runtime.Options{}, want[0], peru.ID())
	require.NoError(t, err)
	last := why[0].Atoms[len(why[0].Atoms)-1]
	if last.Relation != "in_continent" || last.Head.ID != want[0] || last.Tail.Name != "Europe" || !last.Observed || why[1].Atoms[1].Fails == "" {
		t.Errorf("the links of an answer and of an entity of another type are %+v", why)
	}
	if _, err := p.Ask(t.Context(), nil, runtime.Options{Filter: runtime.AnswerFilter{Type: model.Type{Entity: kind.Entity}}}); err == nil || !strings.Contains(err.Error(), "option Type: it lacks a relation") {
		t.Errorf("half a type: %v", err)
	}
}

// TestFilterErrors checks what a filter must not ask for, and that a search ends.
func TestFilterErrors(t *testing.T) {
	m, err := world.Open()
	require.NoError(t, err)
	defer m.Close()
	p, err := compiler.Prepare(m, `exists x. borders("France", x) & official_language(x, y)`, compiler.Options{})
	require.NoError(t, err)
	known := runtime.AnswerFilter{Statuses: runtime.Known}
	for _, c := range []struct {
		options runtime.Options
		want    string
	}{
		{runtime.Options{Offset: -1}, "option Offset: want 0 or more, not -1"},
		{runtime.Options{Filter: runtime.AnswerFilter{MinConfidence: 2}}, "option MinConfidence: want a number from 0 to 1, not 2"},
		{runtime.Options{HeldOut: 1}, "option HeldOut: want a share from 0 to below 1, not 1"},
		{runtime.Options{HeldOut: 1.5}, "option HeldOut"},
		{runtime.Options{HeldOut: -0.5}, "option HeldOut"},
		{runtime.Options{HeldOut: math.NaN()}, "option HeldOut"},
		{runtime.Options{Filter: runtime.AnswerFilter{Statuses: 128}}, "option Statuses: want some of Known"},
		{runtime.Options{Settings: &model.Settings{Lambda: 2}}, "option Settings: lambda"},
		{runtime.Options{Show: []string{"z"}}, `option Show: variable "z" cannot be shown`},
		{runtime.Options{NoStatus: true, Filter: known}, "option Statuses: it needs the statuses, which NoStatus leaves out"},
	} {
		_, err := p.Ask(t.Context(), nil, c.options)
		if option, ok := errors.AsType[*runtime.OptionError](err); !ok || !strings.Contains(option.Error(), c.want) {
			t.Errorf("error is %v, want %s", err, c.want)
		}
	}
	far, err := compiler.Prepare(m, `exists x, z. borders("France", x) & borders(x, z) & official_language(z, y)`, compiler.Options{})
	require.NoError(t, err)
	r, err := far.Ask(t.Context(), nil, runtime.Options{Budget: 40, K: 50, Filter: known})
	if err != nil || !r.Incomplete || len(r.Rows) == 0 {
		t.Errorf("with a small budget %+v, error %v", r, err)
	}
	heldout := m.Bundle().Heldout
	defer func() { m.Bundle().Heldout = heldout }()
	m.Bundle().Heldout = nil
	if _, err := p.Ask(t.Context(), nil, runtime.Options{Filter: runtime.AnswerFilter{Statuses: runtime.Confirmed}}); err == nil || !strings.Contains(err.Error(), "no facts back") {
		t.Errorf("error is %v", err)
	}
}

func TestStatuses(t *testing.T) {
	for _, c := range []struct {
		names []string
		want  runtime.Status
		text  string
	}{
		{[]string{"known"}, runtime.Known, "known"},
		{[]string{"confirmed, predicted", "known"}, runtime.Known | runtime.Predicted | runtime.Confirmed, "predicted,known,confirmed"},
		{nil, 0, "unchecked"},
	} {
		got, err := runtime.ParseStatus(c.names...)
		if err != nil || got != c.want || got.String() != c.text {
			t.Errorf("%q: %s, error %v, want %s", c.names, got, err, c.text)
		}
	}
	for _, s := range []runtime.Status{runtime.Unchecked, runtime.Predicted, runtime.Known, runtime.Confirmed, runtime.Undecided} {
		text, _ := s.MarshalText()
		var got runtime.Status
		if err := got.UnmarshalText(text); err != nil || got != s {
			t.Errorf("%s is read as %s, error %v", text, got, err)
		}
	}
	for _, bad := range []string{"", "Known", "unchecked", "known,", "know"} {
		if _, err := runtime.ParseStatus(bad); err == nil || !strings.Contains(err.Error(), "want known, predicted") {
			t.Errorf("%q: error %v", bad, err)
		}
	}
}

// TestDescending compares the order with top.Of's.
func TestDescending(t *testing.T) {
	for _, x := range [][]float32{{}, {1}, {1, 1, 1}, {0.2, 0.7, 0, 0.7, 0.1, 0.9, 0.2}} {
		if got, want := slices.Collect(top.Descending(x)), top.Of(x, len(x)); !slices.Equal(got, want) {
			t.Errorf("%v: %v, want %v", x, got, want)
		}
	}
	for e := range top.Descending([]float32{3, 5, 4}) {
		if e.Entity != 1 {
			t.Errorf("the first is %v", e)
		}
		break
	}
}
