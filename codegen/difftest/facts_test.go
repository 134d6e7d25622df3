package difftest

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/efoc/efoc/codegen/shapes"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/lang/benchmark"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/kind"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/names"
	"github.com/efoc/efoc/runtime/model/table"
	"github.com/efoc/efoc/testdata/expected"
	"github.com/efoc/efoc/testdata/plantest"
	"github.com/efoc/efoc/testdata/require"
	"github.com/efoc/efoc/testdata/seed"
)

// facts is a set of triples.
type facts map[graph.Triple]bool

func (f facts) graph(t *rapid.T, n, relations int) *graph.Graph {
	var list []graph.Triple
	for x := range f {
		list = append(list, x)
	}
	g, err := graph.New(n, relations, list)
	require.NoError(t, err)
	return g
}

// rebuilt returns a model with the given facts and rows, and everything else of another model.
func rebuilt(t *rapid.T, m *runtime.Model, visible, heldout facts, rows []float32) *runtime.Model {
	relations, p := m.NumRelations()/2, m.Bundle().Predictor
	table, err := table.Make(slices.Clone(rows), p.EntityTable.Width(), table.Float32, "")
	require.NoError(t, err)
	n := table.Rows()
	p.EntityTable, p.EntityNorms = table, nil
	made, err := model.New(m.Bundle().Manifest, visible.graph(t, n, relations), heldout.graph(t, n, relations), p, names.Numbered("entity", n), m.Bundle().Relations)
	require.NoError(t, err)
	t.Cleanup(func() { made.Close() })
	return runtime.NewModel(made)
}

// drawFacts draws facts, more often those of the graph than others.
func drawFacts(t *rapid.T, m *runtime.Model, known facts) []graph.Triple {
	var there []graph.Triple
	heads, tails := m.Bundle().Graph.Edges(0)
	for i, h := range heads {
		if x := (graph.Triple{Head: graph.EntityID(h), Tail: graph.EntityID(tails[i])}); known[x] {
			there = append(there, x)
		}
	}
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) graph.Triple {
		if len(there) > 0 && rapid.Bool().Draw(t, "known") {
			return rapid.SampledFrom(there).Draw(t, "fact")
		}
		id := func(what string, n int) int { return rapid.IntRange(0, n-1).Draw(t, what) }
		return graph.Triple{
			Head: graph.EntityID(id("head", m.NumEntities())), Relation: int32(id("relation", m.NumRelations()/2)), Tail: graph.EntityID(id("tail", m.NumEntities())),
		}
	}), 0, 5).Draw(t, "facts")
}

// asked is a question prepared before the facts changed.
type asked struct {
	query     *lang.Query
	arguments plantest.Arguments
	options   compiler.Options
	prepared  *compiler.Prepared
	args      runtime.Args
}

func (a *asked) prepare(t *rapid.T, m *runtime.Model) {
	var err error
	if a.prepared, err = compiler.Prepare(m, a.query, a.options); err != nil {
		t.Skip("the query is refused: ", err)
	}
	a.value()
}

// value sets the parameters to the arguments.
func (a *asked) value() {
	var ids []int32
	for _, p := range a.query.Params {
		id := int32(a.arguments.Entities[p.Name])
		if p.Kind == kind.Relation {
			id = int32(a.arguments.Relations[p.Name])
		}
		ids = append(ids, id)
	}
	a.args = a.prepared.Spec().Args(ids...)
}

// outcome is the complete result of a query.
type outcome struct {
	all, filtered, batch *runtime.Reply
	witnesses            []runtime.Witness
}

// text formats an outcome for messages.
func text(o outcome) string {
	b, err := json.Marshal(map[string]any{"all": o.all, "filtered": o.filtered, "batch": o.batch, "witnesses": o.witnesses})
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// ask collects all results of a query: all answers with their statuses and the values of a variable, the
// filtered answers, and explanations.
func (a *asked) ask(t *rapid.T, q *runtime.Question) (o outcome) {
	var errs [4]error
	all := runtime.Options{K: q.Model().NumEntities(), Settings: &a.prepared.Settings, SetSize: 3}
	for _, name := range q.Spec().Parts[0].Variables[0][1:] {
		all.Show = []string{name}
	}
	o.all, errs[0] = q.Ask(t.Context(), a.args, all)
	filtered := runtime.Options{K: 4, Settings: &a.prepared.Settings, Filter: runtime.AnswerFilter{
		InRange: true, Statuses: runtime.Predicted | runtime.Confirmed,
	}}
	o.filtered, errs[1] = q.Ask(t.Context(), a.args, filtered)
	batch, err := q.AskAll(t.Context(), []runtime.Args{a.args, a.args}, runtime.Options{K: 4, Settings: &a.prepared.Settings})
	if errs[2] = err; err == nil {
		o.batch = batch[1]
	}
	o.witnesses, errs[3] = q.Why(t.Context(), a.args, runtime.Options{K: 3, Settings: &a.prepared.Settings})
	for _, err := range errs {
		if err != nil {
			t.Fatalf("%s: %v", a.query, err)
		}
	}
	return o
}

// grow adds entities to a model, and to the rows of its counterpart.
func grow(t *rapid.T, m *runtime.Model, rows []float32) []float32 {
	width, n := m.Bundle().Predictor.EntityTable.Width(), m.Now().NumEntities()
	more := rapid.SliceOfN(rapid.Float32Range(-1, 1), width, 3*width).Draw(t, "rows")
	more = more[:len(more)/width*width]
	var names []string
	for i := range len(more) / width {
		names = append(names, strconv.Itoa(n+i))
	}
	require.NoError(t, m.Update(func(now *model.Model) (*model.Model, error) { return now.Grown(names, more) }))
	return append(rows, more...)
}

// expect computes a query in the reference, on the current facts.
func (a *asked) expect(t *rapid.T, q *runtime.Question) *wanted {
	s := a.prepared.Settings
	b := q.PartBindings(0, a.args)
	x, err := expected.Of(t.Context(), a.prepared.Compiled().Lowered, q.Model().Bundle(), s, b, 1)
	require.NoError(t, err)
	return &wanted{x, s, b}
}

// alike reports whether two outcomes are equal; up to rounding if x is set, with which all scores in got are
// then compared.
func alike(t *rapid.T, got, want outcome, m *runtime.Model, x *wanted) bool {
	if x == nil {
		return reflect.DeepEqual(got, want)
	}
	said, scores := map[graph.EntityID]runtime.Row{}, make([]float32, len(x.Want[0]))
	for _, a := range want.all.Rows {
		said[a.Values[0].ID] = a
	}
	for _, a := range got.all.Rows {
		scores[a.Values[0].ID] = a.Score
		if w, ok := said[a.Values[0].ID]; ok && (a.Status != w.Status || a.OutOfRange != w.OutOfRange) {
			return false
		}
	}
	what, err := x.Compare(t.Context(), m.Bundle(), append([][]float32{scores}, x.Want[1:]...))
	require.NoError(t, err)
	if what != "" {
		t.Log(what)
	}
	return what == ""
}

// TestFacts adds and removes facts of a random model, and adds entities, while prepared queries remain in use, and
// compares all their results with a model rebuilt from the facts: bit by bit, unless rows of truth degrees are kept.
// Earlier snapshots must not change their results.
func TestFacts(t *testing.T) {
	seed.Check(t, func(t *rapid.T) {
		n, relations := rapid.IntRange(2, 20).Draw(t, "n"), rapid.IntRange(1, 3).Draw(t, "relations")
		start := plantest.Model(t, n, relations, rapid.SampledFrom([]int{1, 4}).Draw(t, "rank"))
		visible, heldout := facts{}, facts{}
		for r := range relations {
			heads, tails := start.Bundle().Graph.Edges(graph.RelationID(2 * r))
			for i, h := range heads {
				visible[graph.Triple{Head: graph.EntityID(h), Relation: int32(r), Tail: graph.EntityID(tails[i])}] = true
			}
		}
		for _, x := range drawFacts(t, start, facts{}) {
			heldout[x] = true
		}
		rows := slices.Clone(start.Bundle().Predictor.EntityTable.Float32s())
		m := rebuilt(t, start, visible, heldout, rows)
		// Rows are bit-identical if the same number is computed at a time, which depends on the rows that are kept.
		kept := rapid.Bool().Draw(t, "rows are kept")
		if kept {
			m.DegreeCache().KeepSweeps(true)
		} else {
			m.DegreeCache().SetBudget(0)
		}
		var questions []*asked
		for _, s := range []model.Semantics{model.NSMP, model.FIT, model.Mixed} {
			a := &asked{arguments: plantest.DrawArguments(t, n, relations), options: compiler.Options{Semantics: new(s)}}
			if rapid.Bool().Draw(t, "shape") {
				name := rapid.SampledFrom([]string{"2p", "pin", "ip", "2m", "3c", "2il"}).Draw(t, "name")
				var err error
				a.query, err = benchmark.Query(name)
				require.NoError(t, err)
				a.options.Plans = shapes.Plans()
				for _, p := range a.query.Params {
					a.arguments.Entities[p.Name] = graph.EntityID(rapid.IntRange(0, n-1).Draw(t, p.Name))
					a.arguments.Relations[p.Name] = graph.RelationID(rapid.IntRange(0, 2*relations-1).Draw(t, p.Name))
				}
			} else {
				a.query = plantest.Formula(t, plantest.Options{Entities: n, Relations: relations, Atoms: 4, Disjuncts: 3, Name: "Q"})
			}
			a.prepare(t, m)
			questions = append(questions, a)
		}
		for range rapid.IntRange(1, 4).Draw(t, "steps") {
			before := questions[rapid.IntRange(0, 2).Draw(t, "before")]
			snapshot, err := m.Now().Bind(before.prepared.Spec())
			require.NoError(t, err)
			said, args := before.ask(t, snapshot), before.args
			var expects *wanted
			if kept {
				expects = before.expect(t, snapshot)
			}
			if rapid.Bool().Draw(t, "grow") {
				rows = grow(t, m, rows)
				for _, a := range questions {
					for _, name := range slices.Sorted(maps.Keys(a.arguments.Entities)) {
						a.arguments.Entities[name] = graph.EntityID(rapid.IntRange(0, m.Now().NumEntities()-1).Draw(t, name))
					}
					a.value()
				}
			}
			c := model.Change{Add: drawFacts(t, m.Now(), heldout), Remove: drawFacts(t, m.Now(), visible)}
			for _, x := range c.Remove {
				delete(visible, x)
				delete(heldout, x)
			}
			for _, x := range c.Add {
				visible[x] = true
				delete(heldout, x)
			}
			if _, err := m.Change(c); err != nil {
				t.Fatal(err)
			}
			fresh := rebuilt(t, start, visible, heldout, rows)
			if !kept {
				fresh.DegreeCache().SetBudget(0)
			}
			for _, a := range questions {
				anew := *a
				anew.prepare(t, fresh)
				got, want := a.ask(t, a.prepared.Question), anew.ask(t, anew.prepared.Question)
				var x *wanted
				if kept {
					x = anew.expect(t, anew.prepared.Question)
				}
				if !alike(t, got, want, fresh, x) {
					t.Fatalf("%s by %s: got %s, want %s", a.query, a.options.Semantics, text(got), text(want))
				}
			}
			before.args, args = args, before.args
			again := before.ask(t, snapshot)
			before.args = args
			if !alike(t, again, said, snapshot.Model(), expects) {
				t.Fatalf("%s: a snapshot says %s, and said %s", before.query, text(again), text(said))
			}
		}
	})
}
