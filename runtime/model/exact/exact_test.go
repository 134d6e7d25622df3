package exact_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/efoc/efoc/compiler/lower"
	"github.com/efoc/efoc/compiler/plantest"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/exact"
	"github.com/efoc/efoc/runtime/scq"
	"github.com/efoc/efoc/testdata/require"
)

// facts is a graph that is looked up triple by triple.
type facts map[[3]int32]bool

func (f facts) has(h int32, r model.RelationID, t int32) bool {
	if r.IsInverse() {
		h, t = t, h
	}
	return f[[3]int32{h, int32(r / 2), t}]
}

// drawFacts draws a graph, which may have no triple.
func drawFacts(t *rapid.T, n, relations, most int) (facts, *model.Graph) {
	f := facts{}
	for range rapid.IntRange(0, most).Draw(t, "triples") {
		f[[3]int32{
			int32(rapid.IntRange(0, n-1).Draw(t, "head")),
			int32(rapid.IntRange(0, relations-1).Draw(t, "relation")),
			int32(rapid.IntRange(0, n-1).Draw(t, "tail")),
		}] = true
	}
	return f, f.graph(t, n, relations)
}

func (f facts) graph(t require.TB, n, relations int) *model.Graph {
	var list []model.Triple
	for k := range f {
		list = append(list, model.Triple{Head: model.EntityID(k[0]), Relation: k[1], Tail: model.EntityID(k[2])})
	}
	g, err := model.NewGraph(n, relations, list)
	require.NoError(t, err)
	return g
}

// drawGraph draws a query graph that need not be connected, with its bindings.
func drawGraph(t *rapid.T, n, directed int) (scq.Graph, scq.Bindings) {
	var b scq.Bindings
	for range rapid.IntRange(0, 2).Draw(t, "constants") {
		b.Constants = append(b.Constants, model.EntityID(rapid.IntRange(0, n-1).Draw(t, "constant")))
	}
	p := scq.Graph{Variables: []string{"y", "x1", "x2", "x3"}[:rapid.IntRange(1, 4).Draw(t, "variables")]}
	term := func() scq.Term {
		i := rapid.IntRange(0, len(b.Constants)+len(p.Variables)-1).Draw(t, "term")
		if i < len(b.Constants) {
			return scq.Const(i)
		}
		return scq.Var(i - len(b.Constants))
	}
	for i := range rapid.IntRange(0, 6).Draw(t, "atoms") {
		p.Atoms = append(p.Atoms, scq.Atom{
			Relation: i, Head: term(), Tail: term(), Negated: rapid.IntRange(0, 2).Draw(t, "negated") == 0,
		})
		b.Relations = append(b.Relations, model.RelationID(rapid.IntRange(0, directed-1).Draw(t, "relation")))
	}
	for range rapid.IntRange(0, 2).Draw(t, "inequalities") {
		v := scq.Var(rapid.IntRange(0, len(p.Variables)-1).Draw(t, "variable"))
		if x := term(); x != v {
			p.Atoms = append(p.Atoms, scq.NewUnequal(x, v))
		}
	}
	return p, b
}

// assignments calls use with every assignment that fulfils the pattern.
func assignments(f facts, n int, p scq.Graph, b scq.Bindings, use func(values []int32)) {
	values := make([]int32, len(p.Variables))
	var try func(v int)
	try = func(v int) {
		if v < len(values) {
			for e := range int32(n) {
				values[v] = e
				try(v + 1)
			}
			return
		}
		for _, a := range p.Atoms {
			head, tail := value(a.Head, b, values), value(a.Tail, b, values)
			holds := head == tail
			if !a.Unequal() {
				holds = f.has(head, b.Relations[a.Relation], tail)
			}
			if holds == a.Negated {
				return
			}
		}
		use(values)
	}
	try(0)
}

func value(t scq.Term, b scq.Bindings, values []int32) int32 {
	if t.Constant {
		return int32(b.Constants[t.Index])
	}
	return values[t.Index]
}

// naive returns the answers of patterns by trying all assignments.
func naive(f facts, n int, patterns []scq.Graph, b scq.Bindings) []int32 {
	var out []int32
	for _, p := range patterns {
		assignments(f, n, p, b, func(values []int32) { out = append(out, values[0]) })
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// TestAnswers compares the answers to random patterns, connected or not, with
// brute force.
func TestAnswers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, relations := rapid.IntRange(1, 6).Draw(t, "n"), rapid.IntRange(1, 3).Draw(t, "relations")
		f, g := drawFacts(t, n, relations, 30)
		p, b := drawGraph(t, n, 2*relations)
		want := naive(f, n, []scq.Graph{p}, b)
		var s exact.Solver
		got, err := s.Answers(g, []scq.Graph{p}, b)
		if err != nil || !slices.Equal(got, want) {
			t.Fatalf("got %v (%v), want %v; pattern %+v %+v, facts %v", got, err, want, p, b, f)
		}
		v := rapid.IntRange(0, len(p.Variables)-1).Draw(t, "variable")
		var values []int32
		assignments(f, n, p, b, func(all []int32) { values = append(values, all[v]) })
		slices.Sort(values)
		got, err = s.Values(g, &p, b, v, nil)
		if values = slices.Compact(values); err != nil || !slices.Equal(got, values) {
			t.Fatalf("variable %d: got %v (%v), want %v; pattern %+v %+v, facts %v", v, got, err, values, p, b, f)
		}
		// A small budget may give up, but never answers wrongly.
		s.Budget = rapid.IntRange(1, 40).Draw(t, "budget")
		got, err = s.Answers(g, []scq.Graph{p}, b)
		if err == nil && !slices.Equal(got, want) || err != nil && !errors.Is(err, exact.ErrBudget) {
			t.Fatalf("budget %d: got %v (%v), want %v", s.Budget, got, err, want)
		}
	})
}

// TestLargeSets is TestAnswers on graphs whose sets are long enough for every way
// in which they are intersected and united.
func TestLargeSets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(70, 130).Draw(t, "n")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		f := facts{}
		for range rapid.SampledFrom([]int{50, 1000, 10000}).Draw(t, "triples") {
			// Some entities have many edges.
			f[[3]int32{int32(rng.IntN(1 + rng.IntN(n))), int32(rng.IntN(2)), int32(rng.IntN(1 + rng.IntN(n)))}] = true
		}
		g := f.graph(t, n, 2)
		p, b := drawGraph(t, n, 4)
		if len(p.Variables) > 2 {
			t.Skip("too many variables for brute force")
		}
		var s exact.Solver
		got, err := s.Answers(g, []scq.Graph{p}, b)
		if want := naive(f, n, []scq.Graph{p}, b); err != nil || !slices.Equal(got, want) {
			t.Fatalf("got %v (%v), want %v; pattern %+v %+v", got, err, want, p, b)
		}
	})
}

// TestFormulas does so with random formulas of the language.
func TestFormulas(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, relations := rapid.IntRange(1, 5).Draw(t, "n"), rapid.IntRange(1, 3).Draw(t, "relations")
		f, g := drawFacts(t, n, relations, 25)
		q := plantest.Formula(t, plantest.Options{Entities: n, Relations: relations, Atoms: 6, Name: "Q"})
		dnf := q.Normal
		shape := lower.NewShape(dnf)
		b := plantest.DrawArguments(t, n, relations).Bindings(shape.Constants, shape.Relations)
		patterns := shape.SCQs
		for i := range patterns {
			if len(patterns[i].Variables) > 5 {
				t.Skip("too many variables for brute force")
			}
		}
		var s exact.Solver
		got, err := s.Answers(g, patterns, b)
		if want := naive(f, n, patterns, b); err != nil || !slices.Equal(got, want) {
			t.Fatalf("got %v (%v), want %v; query %s, bindings %+v, facts %v", got, err, want, q, b, f)
		}
	})
}

// TestMisses compares the misses with the best assignment that brute force finds.
func TestMisses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, relations := rapid.IntRange(1, 5).Draw(t, "n"), rapid.IntRange(1, 2).Draw(t, "relations")
		known, observed := drawFacts(t, n, relations, 12)
		more, heldout := drawFacts(t, n, relations, 12)
		full, err := exact.Union(observed, nil, heldout)
		require.NoError(t, err)
		all := facts{}
		for _, f := range []facts{known, more} {
			for k := range f {
				all[k] = true
			}
		}
		p, b := drawGraph(t, n, 2*relations)
		patterns := []scq.Graph{p}
		if rapid.Bool().Draw(t, "union") {
			// The second disjunct asks for another variable of the same kind.
			other := scq.Graph{Variables: p.Variables, Atoms: slices.Clone(p.Atoms)}
			for i, a := range other.Atoms {
				if a.Unequal() {
					continue
				}
				other.Atoms[i].Head, other.Atoms[i].Tail = other.Atoms[i].Tail, other.Atoms[i].Head
			}
			patterns = append(patterns, other)
		}
		want := make([]int, n)
		answers := make([]int32, n)
		for e := range n {
			want[e], answers[e] = -1, int32(e)
		}
		for _, p := range patterns {
			assignments(all, n, p, b, func(values []int32) {
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
		got, err := s.Misses(observed, full, patterns, b, answers)
		if err != nil || !slices.Equal(got, want) {
			t.Fatalf("got %v (%v), want %v; patterns %+v %+v, known %v, more %v", got, err, want, patterns, b, known, more)
		}
		s.Budget = rapid.IntRange(1, 60).Draw(t, "budget")
		got, err = s.Misses(observed, full, patterns, b, answers)
		if err == nil && !slices.Equal(got, want) || err != nil && !errors.Is(err, exact.ErrBudget) {
			t.Fatalf("budget %d: got %v (%v), want %v", s.Budget, got, err, want)
		}
	})
}

// TestReadings compares both readings of pni with the set operations that define
// them, on random graphs, and checks that the shapes without such a branch mean
// the same under both.
func TestReadings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, relations := rapid.IntRange(1, 6).Draw(t, "n"), 2
		f, g := drawFacts(t, n, relations, 25)
		name := rapid.SampledFrom([]string{"pni", "2in", "inp", "pin", "2nm", "3in"}).Draw(t, "shape")
		shape := benchmark(t, name)
		slots := map[string]int32{}
		for _, s := range []string{"s1", "s2", "s3"} {
			slots[s] = int32(rapid.IntRange(0, n-1).Draw(t, s))
		}
		for _, r := range []string{"r1", "r2", "r3"} {
			slots[r] = int32(rapid.IntRange(0, 2*relations-1).Draw(t, r))
		}
		patterns := shape.SCQs[:1]
		b := bind(shape, slots)
		existential, err := (&exact.Solver{}).Answers(g, patterns, b)
		require.NoError(t, err)
		universal, err := (&exact.Solver{Reading: exact.Universal}).Answers(g, patterns, b)
		require.NoError(t, err)
		want := existential
		if name == "pni" {
			r := func(i string) model.RelationID { return model.RelationID(slots[i]) }
			want = nil
			for y := range int32(n) {
				reached := false
				for e := range int32(n) {
					reached = reached || f.has(slots["s1"], r("r1"), e) && f.has(e, r("r2"), y)
				}
				if f.has(slots["s2"], r("r3"), y) && !reached {
					want = append(want, y)
				}
			}
		}
		if !slices.Equal(universal, want) {
			t.Fatalf("%s: universal %v, want %v; slots %v, facts %v", name, universal, want, slots, f)
		}
	})
}

// benchmark returns a benchmark shape.
func benchmark(t require.TB, name string) *lower.Shape {
	q, err := lang.ShapeQuery(name)
	require.NoError(t, err)
	dnf := q.Normal
	return lower.NewShape(dnf)
}

// bind fills the slots of a benchmark shape.
func bind(shape *lower.Shape, slots map[string]int32) scq.Bindings {
	var b scq.Bindings
	for _, c := range shape.Constants {
		b.Constants = append(b.Constants, model.EntityID(slots[c.Name]))
	}
	for _, r := range shape.Relations {
		b.Relations = append(b.Relations, model.RelationID(slots[r.Name]))
	}
	return b
}

// TestUniversalNested checks a negated branch within a negated branch.
func TestUniversalNested(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 6).Draw(t, "n")
		f, g := drawFacts(t, n, 3, 30)
		a := int32(rapid.IntRange(0, n-1).Draw(t, "a"))
		// r1(a,y) & !r2(x,y) & !r3(z,x) & r1(a,z): no x without an r3 from some
		// z of r1(a,·) leads to y.
		p := scq.Graph{Variables: []string{"y", "x", "z"}, Atoms: []scq.Atom{
			{Relation: 0, Head: scq.Const(0), Tail: scq.Var(0)},
			{Relation: 1, Head: scq.Var(1), Tail: scq.Var(0), Negated: true},
			{Relation: 2, Head: scq.Var(2), Tail: scq.Var(1), Negated: true},
			{Relation: 0, Head: scq.Const(0), Tail: scq.Var(2)},
		}}
		b := scq.Bindings{Constants: []model.EntityID{model.EntityID(a)}, Relations: []model.RelationID{0, 2, 4}}
		var want []int32
		for y := range int32(n) {
			barred := false
			for x := range int32(n) {
				reached := false
				for z := range int32(n) {
					reached = reached || f.has(a, 0, z) && f.has(z, 4, x)
				}
				barred = barred || !reached && f.has(x, 2, y)
			}
			if f.has(a, 0, y) && !barred {
				want = append(want, y)
			}
		}
		got, err := (&exact.Solver{Reading: exact.Universal}).Answers(g, []scq.Graph{p}, b)
		if err != nil || !slices.Equal(got, want) {
			t.Fatalf("got %v (%v), want %v; a %d, facts %v", got, err, want, a, f)
		}
	})
}

// TestUniversalBranches checks that negated branches do not depend on each other:
// y such that r1(a,y), that no x with r2(a,x) leads to by r1, and that no z with
// r3(a,z) leads to by r2.
func TestUniversalBranches(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 6).Draw(t, "n")
		f, g := drawFacts(t, n, 3, 20)
		p := scq.Graph{Variables: []string{"y", "x", "z"}, Atoms: []scq.Atom{
			{Relation: 0, Head: scq.Const(0), Tail: scq.Var(0)},
			{Relation: 1, Head: scq.Const(0), Tail: scq.Var(1)},
			{Relation: 0, Head: scq.Var(1), Tail: scq.Var(0), Negated: true},
			{Relation: 2, Head: scq.Const(0), Tail: scq.Var(2)},
			{Relation: 1, Head: scq.Var(2), Tail: scq.Var(0), Negated: true},
		}}
		b := scq.Bindings{Constants: []model.EntityID{0}, Relations: []model.RelationID{0, 2, 4}}
		var want []int32
		for y := range int32(n) {
			ok := f.has(0, 0, y)
			for x := range int32(n) {
				ok = ok && !(f.has(0, 2, x) && f.has(x, 0, y)) && !(f.has(0, 4, x) && f.has(x, 2, y))
			}
			if ok {
				want = append(want, y)
			}
		}
		got, err := (&exact.Solver{Reading: exact.Universal}).Answers(g, []scq.Graph{p}, b)
		if err != nil || !slices.Equal(got, want) {
			t.Fatalf("got %v (%v), want %v; facts %v", got, err, want, f)
		}
	})
}

// TestParallelNegations checks ∃x r1(a,x) ∧ ¬r2(x,y) ∧ ¬r3(x,y), which no positive
// atom ties to y.
func TestParallelNegations(t *testing.T) {
	p := scq.Graph{Variables: []string{"y", "x"}, Atoms: []scq.Atom{
		{Relation: 0, Head: scq.Const(0), Tail: scq.Var(1)},
		{Relation: 1, Head: scq.Var(1), Tail: scq.Var(0), Negated: true},
		{Relation: 2, Head: scq.Var(1), Tail: scq.Var(0), Negated: true},
	}}
	b := scq.Bindings{Constants: []model.EntityID{0}, Relations: []model.RelationID{0, 2, 4}}
	// r1(0,1); r2(1,2), r3(1,3): all but 2 and 3.
	f := facts{{0, 0, 1}: true, {1, 1, 2}: true, {1, 2, 3}: true}
	got, err := (&exact.Solver{}).Answers(f.graph(t, 5, 3), []scq.Graph{p}, b)
	if want := []int32{0, 1, 4}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v (%v), want %v", got, err, want)
	}
}

// TestNegationIsLocal expects the work for a negation to be that of the entities that the
// rest of the formula leaves, not that of all there are.
func TestNegationIsLocal(t *testing.T) {
	const n, busy = 200_000, 50
	f, random := facts{}, rand.New(rand.NewPCG(1, 1))
	for range 400 {
		f[[3]int32{random.Int32N(busy), random.Int32N(2), random.Int32N(busy)}] = true
	}
	g := f.graph(t, n, 2)
	slots := map[string]int32{"s1": 1, "s2": 2, "s3": 3, "r1": 0, "r2": 2, "r3": 3}
	for _, name := range []string{"2in", "3in", "inp", "pin", "pni", "2nm"} {
		shape := benchmark(t, name)
		for _, reading := range []exact.Reading{exact.Existential, exact.Universal} {
			s := exact.Solver{Reading: reading, Budget: 20 * busy}
			if _, err := s.Answers(g, shape.SCQs, bind(shape, slots)); err != nil {
				t.Errorf("%s, %s reading: %v", name, reading, err)
			}
		}
	}
}
