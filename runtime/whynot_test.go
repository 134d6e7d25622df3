package runtime_test

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/lang/benchmark"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/runtime/scq"
	"github.com/efoc/efoc/testdata/plantest"
	"github.com/efoc/efoc/testdata/require"
	"github.com/efoc/efoc/testdata/seed"
)

// oracle scores assignments by the definition, over a disjunct whose variables all have values.
type oracle struct {
	m       *runtime.Model
	degrees [][][]float64 // of links, by directed relation, head and tail
}

// newOracle asks the model for every link.
func newOracle(t *rapid.T, m *runtime.Model) *oracle {
	o := &oracle{m: m}
	q, err := benchmark.Query("1p")
	require.NoError(t, err)
	s := m.Settings()
	s.Degrees = s.Degrees.OrDefault()
	s.Degrees.Threshold = 0
	p, err := compiler.Prepare(m, q, compiler.Options{Semantics: new(model.FIT), Settings: &s})
	require.NoError(t, err)
	for r := range m.NumRelations() {
		rows := make([][]float64, m.NumEntities())
		for h := range m.NumEntities() {
			err := p.Each(t.Context(), []runtime.Args{p.Spec().Args(int32(h), int32(r))}, &s, func(_ int, run *runtime.Run) error {
				for _, d := range run.Scores() {
					rows[h] = append(rows[h], float64(d))
				}
				return nil
			})
			require.NoError(t, err)
		}
		o.degrees = append(o.degrees, rows)
	}
	return o
}

// atom returns the degree of an atom, read from its head or from its tail, and why it fails.
func (o *oracle) atom(a scq.Atom, r graph.RelationID, head, tail graph.EntityID, fromTail bool) (float64, string) {
	stored := a.Unequal() && head == tail || !a.Unequal() && o.m.Bundle().Graph.Has(head, r, tail)
	switch {
	case a.Negated && stored:
		return 0.001, "negated"
	case a.Negated || stored:
		return 1, ""
	}
	degree := o.degrees[r][head][tail]
	if fromTail {
		degree = o.degrees[r^1][tail][head]
	}
	untrue := o.m.Bundle().Untrue
	if r/2 == 0 || untrue != nil && untrue.Has(head, r, tail) { // relation 0 is complete
		return 0.001 * degree, "refuted"
	}
	return degree, "predicted"
}

// degree multiplies the parts of a disjunct; given says which variables are answers.
func (o *oracle) degree(g *scq.Disjunct, b scq.Bindings, given []bool, values []graph.EntityID) float64 {
	product := 1.0
	end := func(x scq.Term) (e graph.EntityID, order int) {
		switch {
		case x.Constant:
			return b.Constants[x.Index], -1
		case given[x.Index]:
			return values[x.Index], -1
		}
		return values[x.Index], x.Index
	}
	for _, a := range g.Atoms {
		head, first := end(a.Head)
		tail, second := end(a.Tail)
		r := graph.RelationID(-1)
		if !a.Unequal() {
			r = b.Relations[a.Relation]
		}
		d, _ := o.atom(a, r, head, tail, second < first)
		product *= d
	}
	for _, f := range g.Filters {
		if factor := float64(b.Filters[f.Slot].Factor(values[f.Variable])); factor > 0 {
			product *= factor
		} else {
			product *= 0.001
		}
	}
	return product
}

// nearest tries all values of the variables that are not given.
func (o *oracle) nearest(g *scq.Disjunct, b scq.Bindings, given []bool, values []graph.EntityID) (best float64) {
	at := slices.Index(given, false)
	if at < 0 {
		return -1
	}
	var assign func(v int)
	assign = func(v int) {
		switch {
		case v == len(values):
			best = max(best, o.degree(g, b, given, values))
			return
		case given[v]:
			assign(v + 1)
			return
		}
		for e := range o.m.NumEntities() {
			values[v] = graph.EntityID(e)
			assign(v + 1)
		}
	}
	assign(0)
	return best
}

// parts returns, for each disjunct of a question, its part and its index there.
func parts(p *compiler.Prepared) (list [][2]int) {
	for i, part := range p.Spec().Parts {
		if p.Spec().Kind == plan.Answers {
			for d := range part.Plan.Disjuncts {
				list = append(list, [2]int{i, d})
			}
		} else if r := part.Role; r.Disjunct >= 0 && r.Variable == 0 && !r.Own {
			list = append(list, [2]int{i, 0})
		}
	}
	return list
}

// closeDegrees reports whether two degrees agree up to rounding, also those below the least float32.
func closeDegrees(x, y float64) bool { return math.Abs(x-y) <= 1e-4*math.Abs(y)+1e-37 }

// TestWhyNot compares the nearest assignment with the best of all assignments: with negation, unions, filters,
// inequalities, cycles, several answer variables, complete relations and facts marked as not true.
func TestWhyNot(t *testing.T) {
	const entities, relations = 5, 3
	seen := map[string]int{}
	seed.Check(t, func(t *rapid.T) {
		m := plantest.Model(t, entities, relations, 3)
		calibrate(m)
		m.Bundle().Manifest.Missing = model.Missing{HeldOut: 0.1, Assumed: 0.1, Relations: map[string]float64{"0": 0}}
		untrue := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) graph.Triple {
			e := rapid.IntRange(0, entities-1)
			return graph.Triple{Head: graph.EntityID(e.Draw(t, "head")), Relation: 1, Tail: graph.EntityID(e.Draw(t, "tail"))}
		}), 0, 6).Draw(t, "untrue")
		require.NoError(t, m.Update(func(now *model.Model) (*model.Model, error) {
			next, _, err := now.With(model.Change{Untrue: untrue})
			return next, err
		}))
		now := m.Now()

		answers := rapid.IntRange(1, 2).Draw(t, "answers")
		q := plantest.Formula(t, plantest.Options{Entities: entities, Relations: relations, Atoms: 5, Disjuncts: 3, Values: true, Answers: answers})
		semantics := rapid.SampledFrom(model.AllSemantics).Draw(t, "semantics")
		p, err := compiler.Prepare(m, q, compiler.Options{Semantics: &semantics})
		require.NoError(t, err)
		var asked []graph.EntityID
		for range p.Spec().Variables {
			asked = append(asked, graph.EntityID(rapid.IntRange(0, entities-1).Draw(t, "asked")))
		}
		w, err := p.WhyNot(t.Context(), nil, runtime.Options{}, asked...)
		require.NoError(t, err)

		o := newOracle(t, now)
		var degrees []float64
		for _, at := range parts(p) {
			part := &p.Spec().Parts[at[0]]
			g := &part.Plan.Disjuncts[at[1]]
			names := g.Variables
			if part.Variables != nil {
				names = part.Variables[at[1]]
			}
			given := make([]bool, len(names))
			values := make([]graph.EntityID, len(names))
			for i, name := range p.Spec().Variables {
				v := slices.Index(names, name)
				given[v] = true
				values[v] = asked[i]
			}
			b := p.PartBindings(at[0], nil)
			best := o.nearest(g, b, given, values)
			if best < 0 {
				best = o.degree(g, b, given, values)
			}
			degrees = append(degrees, best)
			seen["existential"] += len(names) - len(asked)
		}
		best := slices.Max(degrees)
		if !w.Proved || !closeDegrees(float64(w.Nearest.Degree), best) {
			t.Fatalf("%s: entities %v have degree %v, proved %v, the best assignment has %v of %v", q, asked, w.Nearest.Degree, w.Proved, best, degrees)
		}
		if got := append(slices.Clone(w.Others), w.Nearest.Degree); len(got) != len(degrees) {
			t.Fatalf("%s: %d disjuncts, want %d", q, len(got), len(degrees))
		}
		if known := w.Row.Status == runtime.Known; known != (w.Nearest.Degree == 1) {
			t.Fatalf("%s: entities %v are %v, and the nearest assignment has degree %v", q, asked, w.Row.Status, w.Nearest.Degree)
		}
		o.check(t, w, seen)
	})
	for _, what := range []string{"holds", "predicted", "refuted", "negated", "filter", "existential"} {
		if seen[what] == 0 {
			t.Errorf("nothing was drawn of kind %q: %v", what, seen)
		}
	}
}

// check checks that the parts of the nearest assignment are what it says.
func (o *oracle) check(t *rapid.T, w *runtime.WhyNot, seen map[string]int) {
	product := 1.0
	for _, a := range w.Nearest.Atoms {
		if predicted := !a.Observed && a.Relation != "="; predicted != (a.Confidence > 0) || a.Confidence > 1 {
			t.Fatalf("atom %+v: its confidence is %v", a, a.Confidence)
		}
		product *= float64(a.Degree)
		atom := scq.Atom{Relation: scq.Identity, Negated: a.Negated}
		r := graph.RelationID(-1)
		if a.Relation != "=" {
			atom.Relation = 0
			named, err := o.m.Relation(a.Relation)
			require.NoError(t, err)
			r = named.ID()
		}
		degree, fails := o.atom(atom, r, a.Head.ID, a.Tail.ID, false)
		back := degree
		if r >= 0 {
			back, _ = o.atom(atom, r, a.Head.ID, a.Tail.ID, true)
		}
		if a.Fails != fails || !closeDegrees(float64(a.Degree), degree) && !closeDegrees(float64(a.Degree), back) {
			t.Fatalf("atom %+v: it fails as %q, to the degree %v or %v", a, fails, degree, back)
		}
		if fails == "" {
			fails = "holds"
		}
		seen[fails]++
	}
	for _, f := range w.Nearest.Filters {
		if f.Degree == 0 {
			product *= 0.001
			seen["filter"]++
		} else {
			product *= float64(f.Degree)
		}
	}
	if !closeDegrees(float64(w.Nearest.Degree), product) {
		t.Fatalf("the parts have the degree %v together, the assignment %v", product, w.Nearest.Degree)
	}
}
