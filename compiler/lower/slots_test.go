package lower_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/efoc/efoc/compiler/lower"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/lang/ast"
	"github.com/efoc/efoc/runtime/model/exact"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/testdata/plantest"
	"github.com/efoc/efoc/testdata/require"
	"github.com/efoc/efoc/testdata/seed"
)

// TestSlots checks that the slots of a shape are bound to the right names: matching its disjuncts gives the
// answers of the query itself, and so do the disjuncts of another query with the same key under this one's
// bindings.
func TestSlots(t *testing.T) {
	seed.Check(t, func(t *rapid.T) {
		const n, relations = 3, 3
		d := drawDNF(t, n)
		m := plantest.Model(t, n, relations, 1)
		args := plantest.DrawArguments(t, n, relations)
		shape := lower.NewShape(d)
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "order"), 4))
		twin := lower.NewShape(rearrange(d, rng))
		if twin.Key != shape.Key {
			return // TestKeyInvariant reports it
		}
		b := args.Bindings(shape.Constants, shape.Relations, shape.Filters)
		matched := map[*lower.Shape][]int32{}
		for _, s := range []*lower.Shape{shape, twin} {
			answers, err := (&exact.Solver{}).Answers(m.Bundle().Graph, s.Disjuncts, b)
			require.NoError(t, err)
			matched[s] = answers
		}
		for e := range n {
			want := false
			for _, s := range d.Disjuncts {
				want = want || holdsBrute(m.Bundle().Graph, s, args, map[string]int{d.Free: e})
			}
			for s, answers := range matched {
				if got := slices.Contains(answers, int32(e)); got != want {
					t.Fatalf("%s\nshape %s\nbindings %+v: entity %d is an answer: %v, want %v", d, s.Key, b, e, got, want)
				}
			}
		}
	})
}

// holdsBrute tries every value of every unassigned variable.
func holdsBrute(g *graph.Graph, s ast.Disjunct, args plantest.Arguments, values map[string]int) bool {
	for _, l := range s.Literals {
		for _, t := range []ast.Term{l.Head, l.Tail} {
			if _, bound := values[t.Name]; t.Kind != ast.Variable || bound {
				continue
			}
			for e := range g.NumEntities() {
				values[t.Name] = e
				if holdsBrute(g, s, args, values) {
					delete(values, t.Name)
					return true
				}
			}
			delete(values, t.Name)
			return false
		}
	}
	value := func(t ast.Term) graph.EntityID {
		if t.Kind == ast.Variable {
			return graph.EntityID(values[t.Name])
		}
		return args.Entity(t)
	}
	for _, l := range s.Literals {
		holds := value(l.Head) == value(l.Tail)
		if l.Kind == ast.LinkAtom {
			holds = g.Has(value(l.Head), args.Relation(l.Relation), value(l.Tail))
		}
		if holds == l.Negated {
			return false
		}
	}
	return true
}

// TestNewShapeSlots checks which positions of a formula share a slot.
func TestNewShapeSlots(t *testing.T) {
	for _, c := range []struct{ query, key string }{
		// A name in two positions has two slots, a parameter has one.
		{`query Q y = r("a", y) & r("a", y) & r(y, "a")`, `r1(s1,f) & r2(s2,f)`},
		{`query Q(a entity, p relation) y = $p($a, y) & $p(y, $a)`, `r1(s1,f) & r2(s1,f)`},
		{`query Q(a entity, p relation) y = $p($a, y) & $p^-1(y, "b")`, `r1(s1,f) & r1(s2,f)`},
		{`query Q(p relation) y = $p("a", y) & $p^-1("a", y)`, `r1(s1,f) & r2(s2,f)`},
		// Copies of an atom share their slots.
		{`query Q y = r("a", y) & (s("b", y) | t(y, "c"))`, `r1(s1,f) & r2(s2,f) | r3(s3,f) & r2(s2,f)`},
		// Copies that run in different directions do not.
		{`query Q y = exists u, v. r("a", u) & s("b", v) & p(u, v) & (t(u, y) | !t(v, y))`,
			`r1(s1,e1) & r2(s2,e2) & r3(e1,e2) & r4(e2,f) | r2(s2,e1) & r1(s1,e2) & r5(e1,e2) & !r6(e2,f)`},
		{`query Q y = !r("a", y) & s(y, y)`, `!r1(s1,f) & r2(f,f)`},
	} {
		f, err := lang.ParseFile("q.efo", []byte(c.query))
		require.NoError(t, err)
		d := f.Queries[0].Normal
		if s := lower.NewShape(d); s.Key != c.key {
			t.Errorf("%s\nhas key %s, want %s", c.query, s.Key, c.key)
		}
	}
}
