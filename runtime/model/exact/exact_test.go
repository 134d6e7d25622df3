package exact_test

import (
	"context"
	"errors"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/efoc/efoc/compiler/lower"
	"github.com/efoc/efoc/lang/benchmark"
	"github.com/efoc/efoc/runtime/model/exact"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/scq"
	"github.com/efoc/efoc/testdata/plantest"
	"github.com/efoc/efoc/testdata/require"
	"github.com/efoc/efoc/testdata/seed"
)

// reused is a solver that has answered other questions, or given them up.
var reused exact.Solver

// checkAnswers compares the answers to disjuncts with brute force. A small budget may give up,
// but never answers wrongly.
func checkAnswers(t *rapid.T, f facts, g *graph.Graph, disjuncts []scq.Disjunct, b scq.Bindings) {
	t.Helper()
	want := f.answers(g.NumEntities(), disjuncts, b)
	s := &reused
	s.Budget = 0
	got, err := s.Answers(g, disjuncts, b)
	if err != nil || !slices.Equal(got, want) {
		t.Fatalf("got %v (%v), want %v; disjuncts %+v %+v, facts %v", got, err, want, disjuncts, b, f)
	}
	s.Budget = rapid.IntRange(1, 40).Draw(t, "budget")
	got, err = s.Answers(g, disjuncts, b)
	if err == nil && !slices.Equal(got, want) || err != nil && !errors.Is(err, exact.ErrBudget) {
		t.Fatalf("budget %d: got %v (%v), want %v", s.Budget, got, err, want)
	}
}

// TestAnswers has random disjuncts, connected or not.
func TestAnswers(t *testing.T) {
	seed.Check(t, func(t *rapid.T) {
		n, relations := rapid.IntRange(1, 6).Draw(t, "n"), rapid.IntRange(1, 3).Draw(t, "relations")
		f := drawFacts(t, n, relations, 30)
		g := f.graph(t, n, relations)
		p, b := drawPattern(t, n, 2*relations)
		checkAnswers(t, f, g, []scq.Disjunct{p}, b)
		v := rapid.IntRange(0, len(p.Variables)-1).Draw(t, "variable")
		var want []int32
		f.assignments(n, p, b, func(all []int32) { want = append(want, all[v]) })
		slices.Sort(want)
		got, err := (&exact.Solver{}).Values(exact.Facts{g}, &p, b, v, nil)
		if want = slices.Compact(want); err != nil || !slices.Equal(got, want) {
			t.Fatalf("variable %d: got %v (%v), want %v; disjunct %+v %+v, facts %v", v, got, err, want, p, b, f)
		}
	})
}

// TestAmong has random sets of entities, and the union of several graphs.
func TestAmong(t *testing.T) {
	seed.Check(t, func(t *rapid.T) {
		n, relations := rapid.IntRange(1, 6).Draw(t, "n"), rapid.IntRange(1, 3).Draw(t, "relations")
		var graphs exact.Facts
		all := facts{}
		for range rapid.IntRange(1, 3).Draw(t, "graphs") {
			f := drawFacts(t, n, relations, 15)
			graphs = append(graphs, f.graph(t, n, relations))
			maps.Copy(all, f)
		}
		p, b := drawPattern(t, n, 2*relations)
		within := []int32{}
		for e := range int32(n) {
			if rapid.Bool().Draw(t, "within") {
				within = append(within, e)
			}
		}
		checkAmong(t, all, graphs, p, b, within)
	})
}

// checkAmong compares which of some entities are answers in the union of graphs with brute force. A
// small budget may leave it open, but never answers wrongly.
func checkAmong(t *rapid.T, all facts, graphs exact.Facts, p scq.Disjunct, b scq.Bindings, within []int32) {
	t.Helper()
	want := slices.DeleteFunc(all.answers(graphs[0].NumEntities(), []scq.Disjunct{p}, b), func(e int32) bool { return !slices.Contains(within, e) })
	s := exact.Solver{}
	got, err := s.Among(graphs, []scq.Disjunct{p}, b, within)
	if err != nil || !slices.Equal(got, want) {
		t.Fatalf("got %v (%v), want %v; of %v, disjunct %+v %+v, facts %v", got, err, want, within, p, b, all)
	}
	s.Budget = rapid.IntRange(1, 40).Draw(t, "budget")
	got, err = s.Among(graphs, []scq.Disjunct{p}, b, within)
	if err == nil && !slices.Equal(got, want) || err != nil && !errors.Is(err, exact.ErrBudget) {
		t.Fatalf("budget %d: got %v (%v), want %v", s.Budget, got, err, want)
	}
}

// TestEnds checks that a query that takes long ends at its budget and with its context, and that
// the solver goes on to answer others.
func TestEnds(t *testing.T) {
	// Entities are linked unless their ids are equal modulo 3. So no four of them are all linked, but
	// each pair of variables has values, and so do many triples.
	const n = 300
	f := facts{}
	for h := range graph.EntityID(n) {
		for tail := range graph.EntityID(n) {
			if h%3 != tail%3 {
				f[graph.Triple{Head: h, Tail: tail}] = true
			}
		}
	}
	g := f.graph(t, n, 1)
	p := scq.Disjunct{Variables: []string{"y", "x1", "x2", "x3"}}
	for i := range 4 {
		for j := range i {
			p.Atoms = append(p.Atoms, scq.Atom{Head: scq.Var(i), Tail: scq.Var(j)})
		}
	}
	b := scq.Bindings{Constants: []graph.EntityID{5}, Relations: []graph.RelationID{0}}
	ctx, cancel := context.WithCancel(t.Context())
	s := exact.Solver{Budget: 1_000_000, Context: ctx}
	if _, err := s.Answers(g, []scq.Disjunct{p}, b); !errors.Is(err, exact.ErrBudget) {
		t.Errorf("error is %v", err)
	}
	if spent := s.Spent(); spent < 1_000_000 || spent > 2_000_000 {
		t.Errorf("%d of a budget of 1000000 spent", spent)
	}
	easy := []scq.Disjunct{{Variables: []string{"y"}, Atoms: []scq.Atom{{Head: scq.Var(0), Tail: scq.Const(0)}}}}
	if got, err := s.Answers(g, easy, b); err != nil || len(got) != n-n/3 {
		t.Errorf("%d answers, error %v", len(got), err)
	}
	s.Budget = math.MaxInt
	time.AfterFunc(10*time.Millisecond, cancel)
	if _, err := s.Answers(g, []scq.Disjunct{p}, b); !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v", err)
	}
}

// TestLargeSets is TestAnswers on graphs whose sets are long enough for every way
// in which they are intersected and united.
func TestLargeSets(t *testing.T) {
	seed.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(70, 130).Draw(t, "n")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		f := facts{}
		for range rapid.SampledFrom([]int{50, 1000, 10000}).Draw(t, "triples") {
			// Some entities have many edges.
			f[graph.Triple{Head: graph.EntityID(rng.IntN(1 + rng.IntN(n))), Relation: int32(rng.IntN(2)), Tail: graph.EntityID(rng.IntN(1 + rng.IntN(n)))}] = true
		}
		p, b := drawPattern(t, n, 4)
		if len(p.Variables) > 2 {
			t.Skip("too many variables for brute force")
		}
		checkAnswers(t, f, f.graph(t, n, 2), []scq.Disjunct{p}, b)
		// A few of the entities, in two graphs that share facts.
		parts := []facts{{}, {}}
		for x := range f {
			i := rng.IntN(3)
			for j, part := range parts {
				if i == j || i == 2 {
					part[x] = true
				}
			}
		}
		few := []int32{int32(rng.IntN(n))}
		for _, e := range []int32{few[0] + 1, few[0] + 40} {
			if int(e) < n {
				few = append(few, e)
			}
		}
		checkAmong(t, f, exact.Facts{parts[0].graph(t, n, 2), parts[1].graph(t, n, 2)}, p, b, few)
	})
}

// TestFormulas has random formulas of the language.
func TestFormulas(t *testing.T) {
	seed.Check(t, func(t *rapid.T) {
		n, relations := rapid.IntRange(1, 5).Draw(t, "n"), rapid.IntRange(1, 3).Draw(t, "relations")
		f := drawFacts(t, n, relations, 25)
		q := plantest.Formula(t, plantest.Options{Entities: n, Relations: relations, Atoms: 6, Name: "Q"})
		shape := lower.NewShape(q.Normal)
		if slices.ContainsFunc(shape.Disjuncts, func(p scq.Disjunct) bool { return len(p.Variables) > 5 }) {
			t.Skip("too many variables for brute force")
		}
		checkAnswers(t, f, f.graph(t, n, relations), shape.Disjuncts, plantest.DrawArguments(t, n, relations).Bindings(shape.Constants, shape.Relations, shape.Filters))
	})
}

// TestMisses compares the misses with the best assignment that brute force finds.
func TestMisses(t *testing.T) {
	seed.Check(t, func(t *rapid.T) {
		n, relations := rapid.IntRange(1, 5).Draw(t, "n"), rapid.IntRange(1, 2).Draw(t, "relations")
		known, more := drawFacts(t, n, relations, 12), drawFacts(t, n, relations, 12)
		observed := known.graph(t, n, relations)
		full, err := exact.Union(observed, more.graph(t, n, relations))
		require.NoError(t, err)
		all := maps.Clone(known)
		maps.Copy(all, more)
		p, b := drawPattern(t, n, 2*relations)
		disjuncts := []scq.Disjunct{p}
		if rapid.Bool().Draw(t, "union") {
			// The second disjunct asks for another variable of the same kind.
			other := scq.Disjunct{Variables: p.Variables, Atoms: slices.Clone(p.Atoms)}
			for i, a := range other.Atoms {
				if a.Unequal() {
					continue
				}
				other.Atoms[i].Head, other.Atoms[i].Tail = other.Atoms[i].Tail, other.Atoms[i].Head
			}
			disjuncts = append(disjuncts, other)
		}
		want := make([]int, n)
		answers := make([]int32, n)
		for e := range n {
			want[e], answers[e] = -1, int32(e)
		}
		for _, p := range disjuncts {
			all.assignments(n, p, b, func(values []int32) {
				missing := 0
				for _, a := range p.Atoms {
					if !a.Negated && !known.has(value(a.Head, b, values), b.Relations[a.Relation], value(a.Tail, b, values)) {
						missing++
					}
				}
				if old := &want[values[0]]; *old < 0 || missing < *old {
					*old = missing
				}
			})
		}
		var s exact.Solver
		got, err := s.Misses(observed, full, disjuncts, b, answers)
		if err != nil || !slices.Equal(got, want) {
			t.Fatalf("got %v (%v), want %v; disjuncts %+v %+v, known %v, more %v", got, err, want, disjuncts, b, known, more)
		}
		s.Budget = rapid.IntRange(1, 60).Draw(t, "budget")
		got, err = s.Misses(observed, full, disjuncts, b, answers)
		if err == nil && !slices.Equal(got, want) || err != nil && !errors.Is(err, exact.ErrBudget) {
			t.Fatalf("budget %d: got %v (%v), want %v", s.Budget, got, err, want)
		}
	})
}

// shapeOf returns a benchmark shape.
func shapeOf(t require.TB, name string) *lower.Shape {
	q, err := benchmark.Query(name)
	require.NoError(t, err)
	return lower.NewShape(q.Normal)
}

// bind fills the slots of a benchmark shape.
func bind(shape *lower.Shape, slots map[string]int32) scq.Bindings {
	var b scq.Bindings
	for _, c := range shape.Constants {
		b.Constants = append(b.Constants, graph.EntityID(slots[c.Name]))
	}
	for _, r := range shape.Relations {
		b.Relations = append(b.Relations, graph.RelationID(slots[r.Name]))
	}
	return b
}

// TestUniversal compares the universal reading of formulas with negated branches with the set
// operations that define it, on random graphs. Shapes without such a branch mean the same under
// both readings.
func TestUniversal(t *testing.T) {
	seed.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 6).Draw(t, "n")
		f := drawFacts(t, n, 3, 30)
		g := f.graph(t, n, 3)
		check := func(what string, disjuncts []scq.Disjunct, b scq.Bindings, want func(y int32) bool) {
			t.Helper()
			got, err := (&exact.Solver{Reading: exact.Universal}).Answers(g, disjuncts, b)
			for y := range int32(n) {
				if _, there := slices.BinarySearch(got, y); err != nil || there != want(y) {
					t.Fatalf("%s: got %v (%v), answer %d is wrong; %+v, facts %v", what, got, err, y, b, f)
				}
			}
		}
		some := func(holds func(x int32) bool) bool {
			for x := range int32(n) {
				if holds(x) {
					return true
				}
			}
			return false
		}
		for _, name := range []string{"pni", "2in", "inp", "pin", "2nm", "3in"} {
			shape, slots := shapeOf(t, name), map[string]int32{}
			for _, s := range []string{"s1", "s2", "s3"} {
				slots[s] = int32(rapid.IntRange(0, n-1).Draw(t, s))
			}
			for _, r := range []string{"r1", "r2", "r3"} {
				slots[r] = int32(rapid.IntRange(0, 5).Draw(t, r))
			}
			b := bind(shape, slots)
			answers, err := (&exact.Solver{}).Answers(g, shape.Disjuncts[:1], b)
			require.NoError(t, err)
			r := func(i string) graph.RelationID { return graph.RelationID(slots[i]) }
			check(name, shape.Disjuncts[:1], b, func(y int32) bool {
				if name == "pni" {
					return f.has(slots["s2"], r("r3"), y) && !some(func(e int32) bool { return f.has(slots["s1"], r("r1"), e) && f.has(e, r("r2"), y) })
				}
				_, there := slices.BinarySearch(answers, y)
				return there
			})
		}
		a := int32(rapid.IntRange(0, n-1).Draw(t, "a"))
		b := scq.Bindings{Constants: []graph.EntityID{graph.EntityID(a)}, Relations: []graph.RelationID{0, 2, 4}}
		// r1(a,y) & !r2(x,y) & !r3(z,x) & r1(a,z): no x without an r3 from some
		// z of r1(a,·) leads to y.
		check("a branch in a branch", []scq.Disjunct{{Variables: []string{"y", "x", "z"}, Atoms: []scq.Atom{
			{Relation: 0, Head: scq.Const(0), Tail: scq.Var(0)},
			{Relation: 1, Head: scq.Var(1), Tail: scq.Var(0), Negated: true},
			{Relation: 2, Head: scq.Var(2), Tail: scq.Var(1), Negated: true},
			{Relation: 0, Head: scq.Const(0), Tail: scq.Var(2)},
		}}}, b, func(y int32) bool {
			reached := func(x int32) bool {
				return some(func(z int32) bool { return f.has(a, 0, z) && f.has(z, 4, x) })
			}
			return f.has(a, 0, y) && !some(func(x int32) bool { return !reached(x) && f.has(x, 2, y) })
		})
		// Negated branches do not depend on each other: y such that r1(a,y), that no x with r2(a,x)
		// leads to by r1, and that no z with r3(a,z) leads to by r2.
		check("two branches", []scq.Disjunct{{Variables: []string{"y", "x", "z"}, Atoms: []scq.Atom{
			{Relation: 0, Head: scq.Const(0), Tail: scq.Var(0)},
			{Relation: 1, Head: scq.Const(0), Tail: scq.Var(1)},
			{Relation: 0, Head: scq.Var(1), Tail: scq.Var(0), Negated: true},
			{Relation: 2, Head: scq.Const(0), Tail: scq.Var(2)},
			{Relation: 1, Head: scq.Var(2), Tail: scq.Var(0), Negated: true},
		}}}, b, func(y int32) bool {
			return f.has(a, 0, y) && !some(func(x int32) bool { return f.has(a, 2, x) && f.has(x, 0, y) || f.has(a, 4, x) && f.has(x, 2, y) })
		})
	})
}

// TestNegationIsLocal expects the work for a negation to depend on the entities that the rest of the
// formula leaves, not on all entities.
func TestNegationIsLocal(t *testing.T) {
	const n, busy = 200_000, 50
	f, random := facts{}, rand.New(rand.NewPCG(1, 1))
	for range 400 {
		f[graph.Triple{Head: graph.EntityID(random.Int32N(busy)), Relation: random.Int32N(2), Tail: graph.EntityID(random.Int32N(busy))}] = true
	}
	g := f.graph(t, n, 2)
	slots := map[string]int32{"s1": 1, "s2": 2, "s3": 3, "r1": 0, "r2": 2, "r3": 3}
	for _, name := range []string{"2in", "3in", "inp", "pin", "pni", "2nm"} {
		shape := shapeOf(t, name)
		for _, reading := range []exact.Reading{exact.Existential, exact.Universal} {
			s := exact.Solver{Reading: reading, Budget: 20 * busy}
			if _, err := s.Answers(g, shape.Disjuncts, bind(shape, slots)); err != nil {
				t.Errorf("%s, %s reading: %v", name, reading, err)
			}
		}
	}
}
