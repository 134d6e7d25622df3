package scq

import (
	"testing"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/testdata/require"

	"pgregory.net/rapid"
)

// drawTerm draws a constant slot or a variable.
func drawTerm(t *rapid.T, constants, variables int) Term {
	i := rapid.IntRange(0, constants+variables-1).Draw(t, "term")
	if i < constants {
		return Const(i)
	}
	return Var(i - constants)
}

// drawGraph draws a query graph, which need not be connected, with its bindings.
func drawGraph(t *rapid.T, n, directed int) (*Graph, Bindings) {
	var b Bindings
	for range rapid.IntRange(0, 2).Draw(t, "constants") {
		b.Constants = append(b.Constants, model.EntityID(rapid.IntRange(0, n-1).Draw(t, "constant")))
	}
	p := &Graph{Variables: []string{"y", "x1", "x2", "x3"}[:rapid.IntRange(1, 4).Draw(t, "variables")]}
	for i := range rapid.IntRange(0, 6).Draw(t, "atoms") {
		p.Atoms = append(p.Atoms, Atom{
			Relation: i,
			Head:     drawTerm(t, len(b.Constants), len(p.Variables)),
			Tail:     drawTerm(t, len(b.Constants), len(p.Variables)),
			Negated:  rapid.IntRange(0, 3).Draw(t, "negated") == 0,
		})
		b.Relations = append(b.Relations, model.RelationID(rapid.IntRange(0, directed-1).Draw(t, "relation")))
	}
	for range rapid.IntRange(0, 2).Draw(t, "inequalities") {
		v := Var(rapid.IntRange(0, len(p.Variables)-1).Draw(t, "variable"))
		if x := drawTerm(t, len(b.Constants), len(p.Variables)); x != v {
			p.Atoms = append(p.Atoms, NewUnequal(x, v))
		}
	}
	return p, b
}

// drawTriples draws facts.
func drawTriples(t *rapid.T, n, relations, most int) []model.Triple {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) model.Triple {
		return model.Triple{
			Head:     model.EntityID(rapid.IntRange(0, n-1).Draw(t, "head")),
			Relation: int32(rapid.IntRange(0, relations-1).Draw(t, "relation")),
			Tail:     model.EntityID(rapid.IntRange(0, n-1).Draw(t, "tail")),
		}
	}), 0, most).Draw(t, "triples")
}

// edge is a directed triple.
type edge struct {
	h model.EntityID
	r model.RelationID
	t model.EntityID
}

// edgeSet has every triple in both directions.
func edgeSet(triples ...model.Triple) map[edge]bool {
	set := map[edge]bool{}
	for _, t := range triples {
		r := model.RelationID(2 * t.Relation)
		set[edge{t.Head, r, t.Tail}] = true
		set[edge{t.Tail, r.Inverse(), t.Head}] = true
	}
	return set
}

// holdsNaively tries every assignment of the variables from the given one on.
func holdsNaively(edges map[edge]bool, n int, p *Graph, b Bindings, values []model.EntityID) bool {
	if len(values) < len(p.Variables) {
		for e := range model.EntityID(n) {
			if holdsNaively(edges, n, p, b, append(values, e)) {
				return true
			}
		}
		return false
	}
	value := func(t Term) model.EntityID {
		if t.Constant {
			return b.Constants[t.Index]
		}
		return values[t.Index]
	}
	for _, a := range p.Atoms {
		holds := value(a.Head) == value(a.Tail)
		if !a.Unequal() {
			holds = edges[edge{value(a.Head), b.Relations[a.Relation], value(a.Tail)}]
		}
		if holds == a.Negated {
			return false
		}
	}
	return true
}

// TestHolds compares the search with brute force, on one graph and on the union
// of two.
func TestHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, relations := rapid.IntRange(1, 5).Draw(t, "n"), rapid.IntRange(1, 3).Draw(t, "relations")
		var graphs []*model.Graph
		var all []model.Triple
		for range rapid.IntRange(1, 2).Draw(t, "graphs") {
			triples := drawTriples(t, n, relations, 15)
			g, err := model.NewGraph(n, relations, triples)
			require.NoError(t, err)
			graphs, all = append(graphs, g), append(all, triples...)
		}
		p, b := drawGraph(t, n, 2*relations)
		for e := range model.EntityID(n) {
			want := holdsNaively(edgeSet(all...), n, p, b, []model.EntityID{e})
			got, complete := Holds(graphs, p, b, e, 1_000_000)
			if got != want || !complete {
				t.Fatalf("answer %d: got %v (complete %v), want %v; pattern %+v %+v", e, got, complete, want, p, b)
			}
			// A small budget may leave it open, but never answers wrongly.
			got, complete = Holds(graphs, p, b, e, 2)
			if complete && got != want || got && !complete {
				t.Fatalf("answer %d with a small budget: got %v (complete %v), want %v", e, got, complete, want)
			}
		}
	})
}

func TestHoldsBudget(t *testing.T) {
	// Every entity but 0 leads to 1, which leads nowhere.
	var triples []model.Triple
	for e := model.EntityID(2); e < 100; e++ {
		triples = append(triples, model.Triple{Head: e, Relation: 0, Tail: 1}, model.Triple{Head: 0, Relation: 0, Tail: e})
	}
	g, err := model.NewGraph(100, 2, triples)
	require.NoError(t, err)
	// ∃x r(0,x) ∧ r(x,y) ∧ ¬r(x,y) never holds of y = 1.
	p := &Graph{Variables: []string{"y", "x"}, Atoms: []Atom{
		{Relation: 0, Head: Const(0), Tail: Var(1)},
		{Relation: 0, Head: Var(1), Tail: Var(0)},
		{Relation: 0, Head: Var(1), Tail: Var(0), Negated: true},
	}}
	b := Bindings{Constants: []model.EntityID{0}, Relations: []model.RelationID{0}}
	if holds, complete := Holds([]*model.Graph{g}, p, b, 1, 1000); holds || !complete {
		t.Errorf("with enough: %v %v", holds, complete)
	}
	if holds, complete := Holds([]*model.Graph{g}, p, b, 1, 50); holds || complete {
		t.Errorf("with too little: %v %v", holds, complete)
	}
	if holds, complete := Holds(nil, p, b, 1, 50); holds || complete {
		t.Errorf("without graph: %v %v", holds, complete)
	}
}

// TestHoldsAllocs checks that the search allocates nothing per candidate.
func TestHoldsAllocs(t *testing.T) {
	few, many := holdsAllocs(t, 10), holdsAllocs(t, 1000)
	if many > few {
		t.Errorf("%v allocations for 10 candidates, %v for 1000", few, many)
	}
}

// holdsAllocs counts the allocations of a search over n candidates.
func holdsAllocs(t *testing.T, n int) float64 {
	t.Helper()
	var triples []model.Triple
	for e := range model.EntityID(n) {
		triples = append(triples, model.Triple{Head: e, Relation: 0, Tail: 0})
	}
	g, err := model.NewGraph(n, 1, triples)
	require.NoError(t, err)
	p := &Graph{Variables: []string{"y", "x"}, Atoms: []Atom{
		{Relation: 0, Head: Var(1), Tail: Var(0)},
		{Relation: 0, Head: Var(1), Tail: Var(1), Negated: true},
		{Relation: 1, Head: Var(1), Tail: Const(0), Negated: false},
	}}
	b := Bindings{Constants: []model.EntityID{model.EntityID(n - 1)}, Relations: []model.RelationID{0, 1}}
	return testing.AllocsPerRun(10, func() { Holds([]*model.Graph{g}, p, b, 0, n) })
}
