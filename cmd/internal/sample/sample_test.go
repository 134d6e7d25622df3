package sample

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/efoc/efoc/cmd/internal/queryset"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/lang/ast"
	"github.com/efoc/efoc/lang/benchmark"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/scq"
	"github.com/efoc/efoc/testdata/require"
)

// facts is a graph that is looked up triple by triple.
type facts map[graph.Triple]bool

func (f facts) has(h, r, t int32) bool {
	if r%2 == 1 {
		h, t = t, h
	}
	return f[graph.Triple{Head: graph.EntityID(h), Relation: r / 2, Tail: graph.EntityID(t)}]
}

// The size of the small graphs.
const (
	entities  = 9
	relations = 4
)

// smallGraphs returns a random graph and a part of it.
func smallGraphs(t *testing.T, seed uint64) (small, full facts, smallGraph, fullGraph *graph.Graph) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 1))
	small, full = facts{}, facts{}
	var smallList, fullList []graph.Triple
	for range 60 {
		f := graph.Triple{
			Head: graph.EntityID(rng.IntN(entities)), Relation: int32(rng.IntN(relations)), Tail: graph.EntityID(rng.IntN(entities)),
		}
		full[f] = true
		fullList = append(fullList, f)
		if rng.IntN(4) > 0 {
			small[f] = true
			smallList = append(smallList, f)
		}
	}
	var err error
	smallGraph, err = graph.New(entities, relations, smallList)
	require.NoError(t, err)
	fullGraph, err = graph.New(entities, relations, fullList)
	require.NoError(t, err)
	return small, full, smallGraph, fullGraph
}

// naive returns the answers of a formula by its definition. skip is the number of
// a negated atom to take as true, -1 for none.
func naive(f facts, q *lang.Query, args []int32, universal bool, skip int) []int32 {
	values := map[string]int32{}
	for i, p := range q.Params {
		values[p.Name] = args[i]
	}
	var out []int32
	for y := range int32(entities) {
		values[q.Free] = y
		negated := 0
		if !universal && holds(f, q.Formula, values, skip, &negated) || universal && pniHolds(f, values, skip) {
			out = append(out, y)
		}
	}
	return out
}

// holds evaluates a formula. The quantifiers of benchmark shapes come first, so
// that counting the negations works: each value starts the count again.
func holds(f facts, formula ast.Formula, values map[string]int32, skip int, negated *int) bool {
	switch x := formula.(type) {
	case *ast.Atom:
		return f.has(values[x.Head.Name], values[x.Relation.Name], values[x.Tail.Name])
	case *ast.Not:
		*negated++
		return *negated-1 == skip || !holds(f, x.Arg, values, skip, negated)
	case *ast.And:
		all := true
		for _, a := range x.Args {
			all = holds(f, a, values, skip, negated) && all
		}
		return all
	case *ast.Or:
		some := false
		for _, a := range x.Args {
			some = holds(f, a, values, skip, negated) || some
		}
		return some
	case *ast.Exists:
		if len(x.Vars) == 0 {
			*negated = 0
			return holds(f, x.Body, values, skip, negated)
		}
		for e := range int32(entities) {
			values[x.Vars[0].Name] = e
			if holds(f, &ast.Exists{Vars: x.Vars[1:], Body: x.Body}, values, skip, negated) {
				return true
			}
		}
		return false
	}
	panic(fmt.Sprintf("unknown formula %T", formula))
}

// pniHolds is pni as BetaE reads it.
func pniHolds(f facts, v map[string]int32, skip int) bool {
	reached := false
	for e := range int32(entities) {
		reached = reached || f.has(v["s1"], v["r1"], e) && f.has(e, v["r2"], v["f"])
	}
	return f.has(v["s2"], v["r3"], v["f"]) && (skip == 0 || !reached)
}

// drawn returns the queries of a shape.
func drawn(t *testing.T, s *Sampler, tm *Template, workers int) []queryset.Case {
	t.Helper()
	d, err := s.Draw(t.Context(), tm, workers, nil)
	require.NoError(t, err)
	return d.Queries
}

// TestQueries draws queries of all shapes from small graphs, and checks their
// answers and the worth of their negations by brute force.
func TestQueries(t *testing.T) {
	for seed := range uint64(4) {
		small, full, smallGraph, fullGraph := smallGraphs(t, seed)
		s := New(smallGraph, fullGraph, Options{Count: 8, Seed: seed, MaxAnswers: 6, MinHard: 1, Attempts: 3000})
		for _, x := range benchmark.Shapes {
			tm := shape(t, x.Name)
			list := drawn(t, s, tm, 2)
			if len(list) < 3 {
				t.Errorf("seed %d: %d queries of %s only", seed, len(list), x.Name)
			}
			for _, q := range list {
				all := naive(full, tm.Query, q.Args, false, -1)
				easy := naive(small, tm.Query, q.Args, false, -1)
				hard := slices.DeleteFunc(slices.Clone(all), func(e int32) bool { return slices.Contains(easy, e) })
				if !slices.Equal(q.Easy, easy) || !slices.Equal(q.Hard, hard) {
					t.Fatalf("%s %v : easy %v hard %v, want %v and %v", x.Name, q.Args, q.Easy, q.Hard, easy, hard)
				}
				if len(hard) < 1 || len(easy)+len(hard) > 6 {
					t.Errorf("%s %v: %d easy and %d hard answers", x.Name, q.Args, len(easy), len(hard))
				}
				if hasNegation(tm) && slices.Equal(naive(full, tm.Query, q.Args, false, 0), all) {
					t.Errorf("%s %v : the negated atom changes nothing", x.Name, q.Args)
				}
			}
		}
	}
}

func hasNegation(t *Template) bool {
	return slices.ContainsFunc(t.patterns[0].Atoms, func(a scq.Atom) bool { return a.Negated })
}

// TestDistinct draws more intersections and chains than the graph has, and checks
// that none is there twice, says an atom twice, or goes back.
func TestDistinct(t *testing.T) {
	_, _, small, full := smallGraphs(t, 2)
	s := New(small, full, Options{Count: 1000, MaxAnswers: 9, MinHard: 1, Attempts: 5000})
	for _, name := range []string{"2i", "2u", "2p"} {
		tm := shape(t, name)
		seen := map[[2][2]int32]bool{}
		for _, q := range drawn(t, s, tm, 2) {
			if name == "2p" {
				if q.Args[1] == q.Args[2]^1 {
					t.Errorf("2p %v goes back", q.Args)
				}
				continue
			}
			a, b := [2]int32{q.Args[0], q.Args[2]}, [2]int32{q.Args[1], q.Args[3]}
			if a == b || seen[[2][2]int32{a, b}] {
				t.Errorf("%s %v says something twice, or is there already", name, q.Args)
			}
			seen[[2][2]int32{a, b}], seen[[2][2]int32{b, a}] = true, true
		}
	}
}

// TestWorkers checks that the queries do not depend on the number of workers, but on the seed,
// drawn freely and by a protocol.
func TestWorkers(t *testing.T) {
	_, _, small, full := smallGraphs(t, 7)
	for _, o := range []Options{{MaxAnswers: 6}, {Like: FIT, MaxHard: 4}} {
		o.Count, o.MinHard, o.Attempts = 20, 1, 3000
		for _, name := range []string{"1p", "2p", "2in", "3c", "up", "2nm"} {
			drawnBy := func(seed uint64, workers int) []queryset.Case {
				o.Seed = seed
				return drawn(t, New(small, full, o), shape(t, name), workers)
			}
			want := drawnBy(3, 1)
			if got := drawnBy(3, 5); !reflect.DeepEqual(got, want) || len(want) < 2 {
				t.Errorf("%+v, %s: 5 workers drew %v, 1 drew %v", o, name, got, want)
			}
			if got := drawnBy(4, 1); name != "1p" && reflect.DeepEqual(got, want) {
				t.Errorf("%+v, %s: another seed drew the same", o, name)
			}
		}
	}
}

// TestTrivial checks the rules one by one.
func TestTrivial(t *testing.T) {
	// Arguments are entities, then relations.
	for _, c := range []struct {
		shape string
		args  []int32
		want  bool
	}{
		{"2i", []int32{1, 1, 4, 4}, true},           // the same atom twice
		{"2i", []int32{1, 2, 4, 4}, false},          // two parents by one relation
		{"2in", []int32{1, 1, 4, 4}, true},          // an atom and its negation
		{"2m", []int32{1, 0, 4, 4}, true},           // parallel edges that are one
		{"2m", []int32{1, 0, 4, 5}, false},          // or go both ways
		{"2p", []int32{1, 4, 5}, true},              // there and back
		{"2p", []int32{1, 4, 4}, false},             // on by the same relation
		{"3p", []int32{1, 0, 4, 5}, true},           // back further on
		{"pi", []int32{1, 2, 4, 6, 6}, false},       // two ways into the answer
		{"2il", []int32{1, 4, 4}, true},             // the leaf says what s1 says
		{"2il", []int32{1, 4, 5}, false},            // an edge the other way
		{"2u", []int32{1, 1, 4, 4}, true},           // a union of one set
		{"up", []int32{1, 2, 4, 4, 6}, false},       // of two
		{"3c", []int32{1, 2, 0, 4, 5, 7, 9}, false}, // all different
	} {
		tm := shape(t, c.shape)
		if got := tm.trivial(c.args, Own); got != c.want {
			t.Errorf("%s %v: trivial %v, want %v", c.shape, c.args, got, c.want)
		}
	}
}

// TestKey checks which queries count as the same.
func TestKey(t *testing.T) {
	for _, c := range []struct {
		shape string
		a, b  []int32
		same  bool
	}{
		{"2i", []int32{1, 2, 4, 6}, []int32{2, 1, 6, 4}, true},
		{"2i", []int32{1, 2, 4, 6}, []int32{2, 1, 4, 6}, false},
		{"2in", []int32{1, 2, 4, 6}, []int32{2, 1, 6, 4}, false},
		{"2u", []int32{1, 2, 4, 6}, []int32{2, 1, 6, 4}, true},
		{"2m", []int32{1, 0, 4, 6}, []int32{1, 0, 6, 4}, true},
		{"2p", []int32{1, 0, 4}, []int32{1, 4, 0}, false},
		// The two arms of 3c exchanged, r5 read the other way.
		{"3c", []int32{1, 2, 0, 2, 4, 6, 8}, []int32{2, 1, 4, 6, 0, 2, 9}, true},
		{"3c", []int32{1, 2, 0, 2, 4, 6, 8}, []int32{2, 1, 4, 6, 0, 2, 8}, false},
	} {
		tm := shape(t, c.shape)
		if same := slices.Equal(tm.keys(c.a), tm.keys(c.b)); same != c.same {
			t.Errorf("%s %v and %v: same %v, want %v", c.shape, c.a, c.b, same, c.same)
		}
	}
}

// TestOverBudget checks that queries that take too much work are counted.
func TestOverBudget(t *testing.T) {
	_, _, small, full := smallGraphs(t, 1)
	tm := shape(t, "3c")
	d, err := New(small, full, Options{Count: 5, MaxAnswers: 6, MinHard: 1, Budget: 1, Attempts: 320}).Draw(t.Context(), tm, 2, nil)
	require.NoError(t, err)
	if d.OverBudget == 0 || len(d.Queries) > 0 || d.Attempts != 320 {
		t.Errorf("drawn are %+v", d)
	}
}

func TestGroup(t *testing.T) {
	for _, x := range benchmark.Shapes {
		tm := shape(t, x.Name)
		if g := (&Sampler{}).Group(tm); g.Name != x.Name || g.Formula != x.Formula || g.Template != tm.Query {
			t.Errorf("the group of %s is %+v", x.Name, g)
		}
	}
	for _, c := range []struct {
		shape string
		like  Protocol
		args  []int32
		want  string
	}{
		{"2p", Own, []int32{7, 3, 10}, `{"type": "2p", "s1": 7, "r1": 3, "r2": 10, "easy": [], "hard": [2, 5]}` + "\n"},
		{"pni", BetaE, []int32{1, 2, 3, 4, 5}, `{"type": "pni-universal", "formula": "r1(s1,e1)\u0026!r2(e1,f)\u0026r3(s2,f)", "s1": 1, "s2": 2, "r1": 3, "r2": 4, "r3": 5, "easy": [], "hard": [2, 5]}` + "\n"},
	} {
		tm := shape(t, c.shape)
		s := &Sampler{options: Options{Like: c.like}}
		g := s.Group(tm)
		if got := string(g.LineWriter()(nil, queryset.Case{Args: c.args, Hard: []int32{2, 5}})); got != c.want {
			t.Errorf("line is %s, want %s", got, c.want)
		}
	}
}
