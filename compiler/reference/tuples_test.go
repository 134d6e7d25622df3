package reference_test

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/compiler/lower"
	"github.com/efoc/efoc/compiler/reference"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/lang/ast"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/kind"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/testdata/byslot"
	"github.com/efoc/efoc/testdata/plantest"
	"github.com/efoc/efoc/testdata/require"
	"github.com/efoc/efoc/testdata/seed"
)

// knownRow reports whether a row follows from the facts and values of a model, by the normal form of a query with
// negation only at atoms and filters.
func knownRow(q *lang.Query, args plantest.Arguments, row []graph.EntityID) bool {
	env := map[string]int{}
	for i, v := range q.Variables() {
		env[v.Name] = int(row[i])
	}
	w := world{args.Model.Graph, args}
	return slices.ContainsFunc(q.Normal.Disjuncts, func(d ast.Disjunct) bool {
		body := &ast.And{}
		some := &ast.Exists{Body: body}
		for _, l := range d.Literals {
			body.Args = append(body.Args, l.Formula())
			for _, t := range l.Terms() {
				if _, answer := env[t.Name]; t.Kind == ast.Variable && !answer && !ast.HasName(some.Vars, t.Name) {
					some.Vars = append(some.Vars, *t)
				}
			}
		}
		return w.holds(some, env)
	})
}

// checkPermuted asks the query with its answer variables in another order: the rows must have the same scores,
// confidence, status and witnesses.
func checkPermuted(t *rapid.T, m *runtime.Model, q *lang.Query, o compiler.Options, params runtime.Args, ask runtime.Options, rows []runtime.Row) {
	t.Helper()
	order := rapid.Permutation([]int{0, 1, 2}[:len(q.Others)+1]).Draw(t, "order")
	variables := q.Variables()
	other := *q
	other.Free = variables[order[0]].Name
	other.Others = nil
	for _, v := range order[1:] {
		other.Others = append(other.Others, variables[v])
	}
	require.NoError(t, other.Normalize())
	p, err := compiler.Prepare(m, &other, o)
	require.NoError(t, err)
	r, err := p.Ask(context.Background(), params, ask)
	require.NoError(t, err)
	if len(r.Rows) != len(rows) {
		t.Fatalf("%s\nhas %d rows, and %d as %s", q, len(rows), len(r.Rows), &other)
	}
	for i := range rows {
		got := r.Rows[i]
		want := rows[i]
		want.Values = nil
		for _, v := range order {
			want.Values = append(want.Values, rows[i].Values[v])
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%s\nrow %d is\n%+v %+v, and of %s\n%+v %+v", q, i, want, want.Witness, &other, got, got.Witness)
		}
	}
}

// checkFilters checks that the witness of a row includes the filters of all variables of its disjunct.
func checkFilters(t *rapid.T, q *lang.Query, row *runtime.Row) {
	t.Helper()
	w := row.Witness
	if w == nil || len(w.Atoms) == 0 {
		return
	}
	var want, got []string
	for _, l := range q.Normal.Disjuncts[w.Disjunct].Literals {
		if l.Kind != ast.FilterAtom {
			continue
		}
		entity := row.Value(l.Head.Name).ID
		want = append(want, fmt.Sprint(entity))
	}
	for _, f := range w.Filters {
		got = append(got, fmt.Sprint(f.Entity.ID))
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Fatalf("%s\nrow %v has a witness with filters of %v, want %v", q, row.Values, got, want)
	}
}

// TestTuples compares the rows of random queries with two or three answer variables with the scores of all
// rows, at K = n: all rows, and the best few with a small budget.
func TestTuples(t *testing.T) {
	drawn, compared, proved, bound := 0, 0, 0, 0
	seed.Check(t, func(t *rapid.T) {
		drawn++
		o := plantest.Options{Entities: fewEntities, Relations: fewRelations, Atoms: 5, Disjuncts: 3, Values: true, Answers: 2 + rapid.IntRange(0, 3).Draw(t, "third")/3}
		if rapid.Bool().Draw(t, "template") {
			o.Name = "T"
		}
		q := plantest.Formula(t, o)
		m, err := plantest.NewModel(rapid.Uint64().Draw(t, "model"), fewEntities, fewRelations, 3, model.DefaultSettings())
		require.NoError(t, err)
		defer m.Close()
		settings := m.Settings()
		settings.Degrees = model.Degrees{
			Candidates: fewEntities, Mixture: 0.8,
			Negation:    rapid.SampledFrom([]float64{1, 3}).Draw(t, "negation"),
			Threshold:   rapid.SampledFrom([]float64{0, 0.01, 0.2}).Draw(t, "threshold"),
			Temperature: rapid.SampledFrom([]float64{1, 1.5}).Draw(t, "temperature"),
			Mass:        rapid.Bool().Draw(t, "mass"),
		}
		args := plantest.DrawArguments(t, fewEntities, fewRelations)
		s := rapid.SampledFrom(model.AllSemantics[:]).Draw(t, "semantics")
		args.Model = m.Bundle()
		oracle, err := reference.NewTuples(context.Background(), m.Bundle(), q, s, settings, args)
		require.NoError(t, err)
		type scoredRow struct {
			row   []graph.EntityID
			score float64
		}
		var want []scoredRow
		row := make([]graph.EntityID, len(q.Others)+1)
		for i := range int(math.Pow(fewEntities, float64(len(row)))) {
			for v := range row {
				row[v] = graph.EntityID(i % fewEntities)
				i /= fewEntities
			}
			if score, excluded := oracle.Score(row); !excluded {
				want = append(want, scoredRow{slices.Clone(row), score})
			}
		}
		naive := &naiveDegrees{model: m.Bundle(), settings: settings.Degrees, rows: map[graph.RelationID][][]float64{}}
		for r := range graph.RelationID(2 * fewRelations) {
			naive.matrix(r)
		}
		apart := naive.nearCut
		known := func(row []graph.EntityID) bool { return knownRow(q, args, row) }
		first := map[string]bool{} // rows that precede all others
		for _, x := range want {
			if s == model.NSMP && known(x.row) {
				first[fmt.Sprint(x.row)] = true
			}
		}
		slices.SortFunc(want, func(a, b scoredRow) int {
			if before := first[fmt.Sprint(a.row)]; before != first[fmt.Sprint(b.row)] {
				return map[bool]int{true: -1, false: 1}[before]
			}
			return cmp.Compare(b.score, a.score)
		})
		near := func(a, b float64) bool { return math.Abs(a-b) <= 2e-6+2e-3*math.Abs(b) }

		prepared := compiler.Options{Semantics: &s, Settings: &settings}
		p, err := compiler.Prepare(m, q, prepared)
		require.NoError(t, err)
		var params runtime.Args
		for _, x := range q.Params {
			switch x.Kind {
			case kind.Entity:
				params = append(params, plan.Arg{Kind: x.Kind, ID: int32(args.Entities[x.Name])})
			case kind.Relation:
				params = append(params, plan.Arg{Kind: x.Kind, ID: int32(args.Relations[x.Name])})
			default:
				params = append(params, plan.Number(plantest.NumberValue))
			}
		}
		for i := range p.Spec().Parts {
			if i >= len(row) || s == model.FIT {
				break
			}
			// TestRun tests the marginals of message passing. Rounding may change a state barely above ε, which makes a
			// comparison meaningless.
			part, err := m.Bind(byslot.Part(p.Spec(), i))
			require.NoError(t, err)
			err = part.Each(context.Background(), []runtime.Args{params}, &settings, func(_ int, r *runtime.Run) error {
				answer := r.Scores()
				for e, want := range newNaive(m.Bundle(), settings, args).answer(lower.Order(q.Searched().Marginal(i).Normal)) {
					apart = apart || !near(float64(answer[e]), want)
				}
				return nil
			})
			require.NoError(t, err)
		}
		if apart {
			return
		}
		compared++
		ask := func(k, prefixes int) *runtime.Reply {
			r, err := p.Ask(context.Background(), params, runtime.Options{K: k, Prefixes: prefixes, Settings: &settings})
			require.NoError(t, err)
			if r.Proved {
				for i, x := range r.Rows {
					if !near(float64(x.Score), want[i].score) {
						t.Fatalf("%s\n%s: row %d of %d is %v with score %v, want %v", q, s, i, k, x.Values, x.Score, want[i])
					}
				}
				if n := len(r.Rows); n < min(k, len(want)) && want[n].score > 1e-4 {
					t.Fatalf("%s\n%s: %d rows, but %v has score %v", q, s, n, want[n].row, want[n].score)
				}
			}
			return r
		}
		all := ask(len(want)+1, len(want)*fewEntities)
		if !all.Proved {
			t.Fatalf("%s\nthe order of all rows is not proved", q)
		}
		for _, x := range all.Rows {
			for v := range row {
				row[v] = x.Values[v].ID
			}
			if score, excluded := oracle.Score(row); excluded || !near(float64(x.Score), score) {
				t.Fatalf("%s\n%s: row %v has score %v, want %v", q, s, row, x.Score, score)
			}
			if want := known(row); (x.Status == runtime.Known) != want {
				t.Fatalf("%s\n%s: row %v is %s, but that it follows is %v", q, s, row, x.Status, want)
			}
			checkFilters(t, q, &x)
			if w := x.Witness; s == model.FIT && len(q.Normal.Disjuncts) == 1 && (w == nil || !near(float64(w.Degree), float64(x.Score))) {
				t.Fatalf("%s\nrow %v has score %v, but the witness %+v", q, row, x.Score, w)
			}
		}
		checkPermuted(t, m, q, prepared, params, runtime.Options{K: len(want) + 1, Prefixes: len(want) * fewEntities, Settings: &settings}, all.Rows)
		f := runtime.AnswerFilter{Statuses: rapid.SampledFrom([]runtime.Status{runtime.Known, runtime.Predicted}).Draw(t, "status")}
		rest := slices.DeleteFunc(slices.Clone(all.Rows), func(r runtime.Row) bool { return f.Statuses&r.Status == 0 })
		rest = rest[min(1, len(rest)):]
		filtered, err := p.Ask(context.Background(), params, runtime.Options{K: 2, Offset: 1, Prefixes: len(want) * fewEntities, Settings: &settings, Filter: f})
		require.NoError(t, err)
		if !reflect.DeepEqual(filtered.Rows, rest[:min(2, len(rest))]) || len(rest) > 2 && filtered.Next != 3 || filtered.Incomplete {
			t.Fatalf("%s\nrows of %v are %+v, want the first of %+v", q, f, filtered, rest)
		}
		few := ask(3, rapid.IntRange(1, 4).Draw(t, "prefixes"))
		if few.Proved {
			proved++
		} else {
			bound++
		}
	})
	t.Logf("%d cases: %d compared; of the best few %d were proved, %d not", drawn, compared, proved, bound)
	if seed.Enough() && (compared < drawn*9/10 || proved < drawn/10 || bound < drawn/50) {
		t.Error("too few cases say something")
	}
}
