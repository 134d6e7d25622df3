package exact_test

import (
	"slices"

	"pgregory.net/rapid"

	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/scq"
	"github.com/efoc/efoc/testdata/require"
)

// facts is a graph as a plain set.
type facts map[graph.Triple]bool

// drawFacts draws a set of facts, which may be empty.
func drawFacts(t *rapid.T, n, relations, most int) facts {
	f := facts{}
	for range rapid.IntRange(0, most).Draw(t, "triples") {
		f[graph.Triple{
			Head:     graph.EntityID(rapid.IntRange(0, n-1).Draw(t, "head")),
			Relation: int32(rapid.IntRange(0, relations-1).Draw(t, "relation")),
			Tail:     graph.EntityID(rapid.IntRange(0, n-1).Draw(t, "tail")),
		}] = true
	}
	return f
}

// has looks a fact up, along a directed relation.
func (f facts) has(h int32, r graph.RelationID, t int32) bool {
	if r.IsInverse() {
		h, t = t, h
	}
	return f[graph.Triple{Head: graph.EntityID(h), Relation: int32(r / 2), Tail: graph.EntityID(t)}]
}

// graph makes the graph.
func (f facts) graph(tb require.TB, n, relations int) *graph.Graph {
	tb.Helper()
	var list []graph.Triple
	for x := range f {
		list = append(list, x)
	}
	g, err := graph.New(n, relations, list)
	require.NoError(tb, err)
	return g
}

// drawPattern draws a query graph that need not be connected, with its bindings.
func drawPattern(t *rapid.T, n, directed int) (scq.Disjunct, scq.Bindings) {
	var b scq.Bindings
	for range rapid.IntRange(0, 2).Draw(t, "constants") {
		b.Constants = append(b.Constants, graph.EntityID(rapid.IntRange(0, n-1).Draw(t, "constant")))
	}
	p := scq.Disjunct{Variables: []string{"y", "x1", "x2", "x3"}[:rapid.IntRange(1, 4).Draw(t, "variables")]}
	term := func() scq.Term {
		i := rapid.IntRange(0, len(b.Constants)+len(p.Variables)-1).Draw(t, "term")
		if i < len(b.Constants) {
			return scq.Const(i)
		}
		return scq.Var(i - len(b.Constants))
	}
	for i := range rapid.IntRange(0, 6).Draw(t, "atoms") {
		p.Atoms = append(p.Atoms, scq.Atom{Relation: i, Head: term(), Tail: term(), Negated: rapid.IntRange(0, 2).Draw(t, "negated") == 0})
		b.Relations = append(b.Relations, graph.RelationID(rapid.IntRange(0, directed-1).Draw(t, "relation")))
	}
	for range rapid.IntRange(0, 2).Draw(t, "inequalities") {
		v := scq.Var(rapid.IntRange(0, len(p.Variables)-1).Draw(t, "variable"))
		if x := term(); x != v {
			p.Atoms = append(p.Atoms, scq.NewUnequal(x, v))
		}
	}
	return p, b
}

// value returns the entity of a term under an assignment.
func value(t scq.Term, b scq.Bindings, values []int32) int32 {
	if t.Constant {
		return int32(b.Constants[t.Index])
	}
	return values[t.Index]
}

// assignments calls use with every assignment that fulfils the disjunct.
func (f facts) assignments(n int, p scq.Disjunct, b scq.Bindings, use func(values []int32)) {
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

// answers returns the answers of disjuncts, ascending, by trying all assignments.
func (f facts) answers(n int, disjuncts []scq.Disjunct, b scq.Bindings) []int32 {
	var out []int32
	for _, p := range disjuncts {
		f.assignments(n, p, b, func(values []int32) { out = append(out, values[0]) })
	}
	slices.Sort(out)
	return slices.Compact(out)
}
