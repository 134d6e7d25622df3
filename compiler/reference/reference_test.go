package reference_test

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/efoc/efoc/compiler/ir"
	"github.com/efoc/efoc/compiler/lower"
	"github.com/efoc/efoc/compiler/reference"
	"github.com/efoc/efoc/compiler/stages"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/lang/ast"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/scq"
	"github.com/efoc/efoc/testdata/expected"
	"github.com/efoc/efoc/testdata/plantest"
	"github.com/efoc/efoc/testdata/require"
	"github.com/efoc/efoc/testdata/seed"
)

// TestRun compares the interpreter with message passing implemented directly from the equations, on random
// queries and models: the plan before and after the passes, the answer and the fuzzy sets.
func TestRun(t *testing.T) {
	drawn, sharp := 0, 0
	seed.Check(t, func(t *rapid.T) {
		const relations = 3
		n := rapid.IntRange(1, 12).Draw(t, "entities")
		o := plantest.Options{Entities: n, Relations: relations, Values: true}
		if rapid.Bool().Draw(t, "template") {
			o.Name = "T"
		}
		q := plantest.Formula(t, o)
		m := plantest.Model(t, n, relations, rapid.IntRange(1, 4).Draw(t, "rank"))
		args := plantest.DrawArguments(t, n, relations)
		args.Model = m.Bundle()
		drawn++
		if compare(t, q, m.Bundle(), args) {
			sharp++
		}
	})
	if sharp < drawn/2 && seed.Enough() {
		t.Errorf("only %d of %d answers were known to a part in a hundred", sharp, drawn)
	}
}

// compare runs a query both ways. It reports whether the answer is well conditioned.
func compare(t *rapid.T, q *lang.Query, m *model.Model, args plantest.Arguments) bool {
	t.Helper()
	dnf := q.Normal
	settings := m.Manifest.Settings
	shape := lower.NewShape(dnf)
	settings.Layers = drawLayers(t, shape)
	c, err := stages.Compile(shape, stages.Options{Layers: settings.Layers, Semantics: model.NSMP})
	require.NoError(t, err)
	nv := newNaive(m, settings, args)
	want := nv.answer(dnf)
	bindings := args.Bindings(shape.Constants, shape.Relations, shape.Filters)
	naive, err := expected.Of(t.Context(), c.Lowered, m, settings, bindings, 1)
	require.NoError(t, err)
	optimised := run(t, c.Optimized, m, settings, bindings)
	t.Logf("%s\nshape %s\nsettings %+v\nby the equations %v\nby the plan      %v", q, shape.Key, settings, want, naive.Want[0])
	same(t, "optimised answer", optimised.Answer, naive.Want[0])
	for i, s := range naive.Want[1:] {
		same(t, "optimised set", optimised.Sets[i], s)
	}
	what, err := naive.Compare(t.Context(), m, append([][]float32{float32s(want)}, naiveSets(t, nv, dnf, shape, c.Lowered)...))
	require.NoError(t, err)
	if what != "" {
		t.Fatalf("the equations and the plan disagree: %s", what)
	}
	return naive.Sharp()
}

func float32s(x []float64) []float32 {
	y := make([]float32, len(x))
	for i, v := range x {
		y[i] = float32(v)
	}
	return y
}

// drawLayers draws L: usually D+1, otherwise a sufficient number.
func drawLayers(t *rapid.T, s *lower.Shape) int {
	if rapid.IntRange(0, 2).Draw(t, "layers set") < 2 {
		return 0
	}
	most := 0
	for i := range s.Disjuncts {
		most = max(most, len(s.Disjuncts[i].Variables))
	}
	return most + rapid.IntRange(0, 3).Draw(t, "more layers")
}

func run(t *rapid.T, p *ir.Plan, m *model.Model, s model.Settings, b scq.Bindings) *reference.Result {
	t.Helper()
	r, err := reference.Run(context.Background(), p, m, s, b)
	require.NoError(t, err)
	return r
}

// naiveSets returns the expected fuzzy sets of a plan: a variable at distance k from the free one contributes
// last k layers before the end.
func naiveSets(t *rapid.T, nv *naive, d *ast.DNF, shape *lower.Shape, p *ir.Plan) (sets [][]float32) {
	t.Helper()
	for _, set := range p.Sets {
		g := &shape.Disjuncts[set.Disjunct]
		of := disjunct(t, d, shape, set.Disjunct)
		at := slices.Index(g.Variables, set.Variable)
		source := shape.Variables[set.Disjunct][at]
		away := distances(of, d.Free)[source]
		if away == 0 {
			t.Fatalf("set of %s, which nothing links to the free variable", source)
		}
		nv.disjunct(of, d.Free)
		states := nv.lastStates[source]
		sets = append(sets, float32s(states[len(states)-1-away]))
	}
	return sets
}

// distances returns the number of edges from each variable to the given one; unconnected variables have none.
func distances(s ast.Disjunct, from string) map[string]int {
	at := map[string]int{from: 0}
	for changed := true; changed; {
		changed = false
		var links [][2]ast.Term
		for _, l := range s.Literals {
			if l.Kind != ast.FilterAtom {
				links = append(links, [2]ast.Term{l.Head, l.Tail})
			}
		}
		for _, l := range links {
			if l[0].Kind != ast.Variable || l[1].Kind != ast.Variable {
				continue
			}
			for _, e := range [][2]string{{l[0].Name, l[1].Name}, {l[1].Name, l[0].Name}} {
				d, ok := at[e[0]]
				if old, known := at[e[1]]; ok && (!known || d+1 < old) {
					at[e[1]] = d + 1
					changed = true
				}
			}
		}
	}
	return at
}

// disjunct finds the disjunct of the normal form with the literals of a query graph.
func disjunct(t *rapid.T, d *ast.DNF, shape *lower.Shape, index int) ast.Disjunct {
	t.Helper()
	name := func(pt scq.Term) ast.Term {
		if pt.Constant {
			return shape.Constants[pt.Index]
		}
		return ast.Term{Name: shape.Variables[index][pt.Index]}
	}
	var want []string
	sides := func(a, b ast.Term) string { return min(a.String(), b.String()) + "!=" + max(a.String(), b.String()) }
	for _, e := range shape.Disjuncts[index].Atoms {
		if e.Unequal() {
			want = append(want, sides(name(e.Head), name(e.Tail)))
			continue
		}
		l := ast.Literal{Negated: e.Negated, Relation: shape.Relations[e.Relation], Head: name(e.Head), Tail: name(e.Tail)}
		want = append(want, l.String())
	}
	for i := range shape.Disjuncts[index].Filters {
		want = append(want, shape.Filter(index, i))
	}
	slices.Sort(want)
	for _, s := range d.Disjuncts {
		var got []string
		for _, l := range s.Literals {
			if l.Kind == ast.SameAtom {
				got = append(got, sides(l.Head, l.Tail))
			} else {
				got = append(got, l.String())
			}
		}
		slices.Sort(got)
		if slices.Equal(got, want) {
			return s
		}
	}
	t.Fatalf("shape %s has disjunct %s, the normal form has not:\n%s", shape.Key, strings.Join(want, " & "), d)
	return ast.Disjunct{}
}

// same checks that two vectors are equal to the bit.
func same(t *rapid.T, what string, got, want []float32) {
	t.Helper()
	for e := range want {
		if math.Float32bits(got[e]) != math.Float32bits(want[e]) {
			t.Errorf("%s: entity %d has %v, want exactly %v", what, e, got[e], want[e])
		}
	}
}
