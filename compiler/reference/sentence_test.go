package reference_test

import (
	"math"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/compiler/lower"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/lang/ast"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/kind"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/exact"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/testdata/plantest"
	"github.com/efoc/efoc/testdata/require"
	"github.com/efoc/efoc/testdata/seed"
)

// TestSentence compares verdicts on random sentences with brute force: whether the formula, as written, holds
// in the graph, or with held-out facts, and degrees over all assignments, at K = n.
func TestSentence(t *testing.T) {
	statuses, compared := map[runtime.Status]int{}, 0
	seed.Check(t, func(t *rapid.T) {
		o := plantest.Options{Entities: fewEntities, Relations: fewRelations, Atoms: 6, Disjuncts: 3}
		args := map[string]string{}
		if rapid.Bool().Draw(t, "template") {
			o.Name = "T"
		}
		q, m := plantest.Sentence(t, o), plantest.Model(t, fewEntities, fewRelations, 3)
		ids := plantest.Arguments{Entities: map[string]graph.EntityID{}, Relations: map[string]graph.RelationID{}}
		for _, p := range q.Params {
			n := rapid.IntRange(0, fewRelations-1).Draw(t, "arg")
			args[p.Name], ids.Entities[p.Name], ids.Relations[p.Name] = strconv.Itoa(n), graph.EntityID(n), graph.RelationID(2*n)
		}
		full := holdBack(t, m)
		settings := m.Settings()
		settings.Degrees = model.Degrees{}.OrDefault()
		settings.Degrees.Candidates, settings.Degrees.Threshold = fewEntities, 0
		semantics := rapid.SampledFrom(model.AllSemantics).Draw(t, "semantics")
		s, err := compiler.Prepare(m, q, compiler.Options{Semantics: &semantics, Settings: &settings})
		require.NoError(t, err)
		values, err := s.Args(args)
		require.NoError(t, err)
		r, err := s.Ask(t.Context(), values, runtime.Options{})
		require.NoError(t, err)
		v := r.Verdict

		w := world{m.Bundle().Graph, ids}
		want := runtime.Predicted
		switch {
		case w.holds(q.Formula, nil):
			want = runtime.Known
		case (world{full, ids}).holds(q.Formula, nil):
			want = runtime.Confirmed
		}
		statuses[want]++
		if v.Status != want {
			t.Fatalf("%s\nits status is %s, want %s", q, v.Status, want)
		}
		if v.Status == runtime.Known {
			for _, x := range v.Witnesses {
				if !negated(q) && slices.ContainsFunc(x.Atoms, func(a runtime.WitnessAtom) bool { return !a.Observed }) {
					t.Fatalf("%s\nis known, but a link of its witness is not: %+v", q, x)
				}
			}
		}
		if semantics != model.FIT {
			return
		}
		naive := &naiveDegrees{model: m.Bundle(), settings: settings.Degrees, rows: map[graph.RelationID][][]float64{}}
		var parts []float64
		for i, p := range s.Parts {
			g := &p.Shape.Disjuncts[0]
			if len(g.Variables) > 6 {
				t.Skip("too many assignments")
			}
			degrees := naive.degrees(g, fromTail(t, lower.FIT(p.Shape), g), s.PartBindings(i, values))
			if at := s.Question.Spec().Parts[i].At; at == nil {
				parts = append(parts, slices.Max(degrees))
			} else {
				parts = append(parts, degrees[at.Entity(s.Question.Spec().IDs, values, nil)])
			}
		}
		missed := 1.0
		for _, d := range q.Disjuncts() {
			all := 1.0
			for _, i := range d {
				all *= parts[i]
			}
			missed *= 1 - all
		}
		if compared++; math.Abs(v.Degree-(1-missed)) > 1e-4 {
			t.Fatalf("%s\nhas the degree %v, want %v", q, v.Degree, 1-missed)
		}
	})
	if seed.Enough() && (len(statuses) < 3 || compared == 0) {
		t.Errorf("statuses are %v, %d degrees were compared", statuses, compared)
	}
}

// holdBack gives a model random held-out facts, and returns the graph that includes them.
func holdBack(t *rapid.T, m *runtime.Model) *graph.Graph {
	var facts []graph.Triple
	for range rapid.IntRange(0, 12).Draw(t, "held back") {
		entity := rapid.IntRange(0, fewEntities-1)
		facts = append(facts, graph.Triple{
			Head: graph.EntityID(entity.Draw(t, "head")), Relation: int32(rapid.IntRange(0, fewRelations-1).Draw(t, "relation")), Tail: graph.EntityID(entity.Draw(t, "tail")),
		})
	}
	var err error
	m.Bundle().Heldout, err = graph.New(fewEntities, fewRelations, facts)
	require.NoError(t, err)
	full, err := exact.Union(m.Bundle().Graph, m.Bundle().Heldout)
	require.NoError(t, err)
	return full
}

// TestCount compares the number of known answers of random queries with brute force.
func TestCount(t *testing.T) {
	seed.Check(t, func(t *rapid.T) {
		o := plantest.Options{Entities: fewEntities, Relations: fewRelations, Atoms: 6, Disjuncts: 3}
		q, m := plantest.Formula(t, o), plantest.Model(t, fewEntities, fewRelations, 3)
		semantics := rapid.SampledFrom(model.AllSemantics).Draw(t, "semantics")
		q.Wants = kind.Count
		p, err := compiler.Prepare(m, q, compiler.Options{Semantics: &semantics})
		require.NoError(t, err)
		r, err := p.Ask(t.Context(), nil, runtime.Options{})
		require.NoError(t, err)
		n := r.Count
		want := 0
		for e := range fewEntities {
			if (world{g: m.Bundle().Graph}).holds(q.Formula, map[string]int{q.Free: e}) {
				want++
			}
		}
		if n.Known != want || n.Uncalibrated == "" || n.Total() != float64(want) {
			t.Fatalf("%s\nhas %d answers, counted %+v", q, want, n)
		}
	})
}

// negated reports whether a formula has a negation.
func negated(q *lang.Query) (found bool) {
	ast.Walk(q.Formula, func(f ast.Formula) {
		_, not := f.(*ast.Not)
		found = found || not
	})
	return found
}

// world evaluates formulas, as written, in a graph.
type world struct {
	g    *graph.Graph
	args plantest.Arguments
}

// value returns the entity of a term.
func (w world) value(t ast.Term, env map[string]int) int {
	if t.Kind == ast.Variable {
		return env[t.Name]
	}
	return int(w.args.Entity(t))
}

// linked reports whether a fact links head to tail.
func (w world) linked(r ast.Relation, head, tail int) bool {
	return w.g.Has(graph.EntityID(head), w.args.Relation(r), graph.EntityID(tail))
}

// walks reports whether a walk of a length that the path allows connects one entity to another.
func (w world) walks(p *ast.Path, from, to int) bool {
	reached := make([]bool, w.g.NumEntities()) // after the current number of steps
	reached[from] = true
	for steps := 0; ; steps++ {
		if steps >= p.Least && reached[to] {
			return true
		}
		if steps == p.Most {
			return false
		}
		next := make([]bool, len(reached))
		for e, is := range reached {
			for f := range next {
				by := func(r ast.Relation) bool { return w.linked(r, e, f) }
				next[f] = next[f] || is && slices.ContainsFunc(p.Relations, by)
			}
		}
		reached = next
	}
}

// holds reports whether a formula holds.
func (w world) holds(f ast.Formula, env map[string]int) bool {
	switch f := f.(type) {
	case *ast.And:
		return !slices.ContainsFunc(f.Args, func(a ast.Formula) bool { return !w.holds(a, env) })
	case *ast.Or:
		return slices.ContainsFunc(f.Args, func(a ast.Formula) bool { return w.holds(a, env) })
	case *ast.Not:
		if filter, ok := f.Arg.(*ast.Filter); ok {
			negated := *filter
			negated.Negated = !filter.Negated
			return w.holds(&negated, env)
		}
		return !w.holds(f.Arg, env)
	case *ast.Exists:
		if len(f.Vars) == 0 {
			return w.holds(f.Body, env)
		}
		rest := &ast.Exists{Vars: f.Vars[1:], Body: f.Body}
		for e := range w.g.NumEntities() {
			inner := map[string]int{f.Vars[0].Name: e}
			for name, value := range env {
				if name != f.Vars[0].Name {
					inner[name] = value
				}
			}
			if w.holds(rest, inner) {
				return true
			}
		}
		return false
	case *ast.Path:
		return w.walks(f, w.value(f.Head, env), w.value(f.Tail, env))
	case *ast.Unequal:
		return w.value(f.Left, env) != w.value(f.Right, env)
	case *ast.Filter:
		return plantest.Factors(w.args.Model, f.Condition)[w.value(f.Subject, env)] == 1
	}
	a := f.(*ast.Atom)
	return w.linked(a.Relation, w.value(a.Head, env), w.value(a.Tail, env))
}
