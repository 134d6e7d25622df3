package api

import (
	"cmp"
	"slices"
	"strings"

	"github.com/efoc/efoc/lang/ast"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model/graph"
)

// drawer makes examples from the facts of a graph.
type drawer struct {
	m *runtime.Model
	// relations are those with facts, the most frequent first.
	relations []graph.RelationID
	used      map[graph.RelationID]bool
}

// maxDrawn bounds the facts of a relation, and the entities for a condition, that an example is chosen from.
const maxDrawn = 32

// pattern makes an example that begins with a fact.
type pattern struct {
	title string
	build func(d *drawer, h graph.EntityID, r graph.RelationID, t graph.EntityID) (string, bool)
}

var patterns = []pattern{
	{"three steps", steps(3)}, {"a step from two conditions", divided("")},
	{"a step from a condition and an exception", divided("!")}, {"two steps", steps(2)},
}

// GraphExamples makes questions of each pattern in turn, each with another relation while there are any, the most
// frequent first.
func GraphExamples(m *runtime.Model) []Example {
	d := &drawer{m: m, used: map[graph.RelationID]bool{}}
	size := func(r graph.RelationID) int {
		heads, _ := m.Bundle().Graph.Edges(r)
		return len(heads)
	}
	for r := graph.RelationID(0); int(r) < m.NumRelations(); r += 2 {
		if size(r) > 0 {
			d.relations = append(d.relations, r)
		}
	}
	slices.SortStableFunc(d.relations, func(a, b graph.RelationID) int { return cmp.Compare(size(b), size(a)) })
	var list []Example
	for i := range MaxExamples {
		p := patterns[i%len(patterns)]
		formula, ok := d.draw(p)
		if ok && !slices.ContainsFunc(list, func(e Example) bool { return e.Formula == formula }) {
			list = append(list, Example{Title: p.title, Formula: formula})
		}
	}
	return list
}

// draw makes an example of a pattern, preferably with a relation that no other example begins with.
func (d *drawer) draw(p pattern) (string, bool) {
	for _, again := range []bool{false, true} {
		for _, r := range d.relations {
			if d.used[r] != again {
				continue
			}
			heads, tails := d.m.Bundle().Graph.Edges(r)
			n := min(len(heads), maxDrawn)
			for i := range n {
				j := (2*i + 1) * len(heads) / (2 * n)
				if formula, ok := p.build(d, graph.EntityID(heads[j]), r, graph.EntityID(tails[j])); ok {
					d.used[r] = true
					return formula, true
				}
			}
		}
	}
	return "", false
}

// steps extends a fact by n further relations from its other end.
func steps(n int) func(d *drawer, h graph.EntityID, r graph.RelationID, t graph.EntityID) (string, bool) {
	names := []string{"a", "b", "y"}[3-n:]
	return func(d *drawer, h graph.EntityID, r graph.RelationID, t graph.EntityID) (string, bool) {
		formula := "exists " + strings.Join(names[:n-1], ", ") + ". " + d.atom(r, constant(d.m, h), names[0])
		for i := range n - 1 {
			q, next, ok := d.onward(t, r&^1, func(q graph.RelationID, e graph.EntityID) bool { return d.leads(e, q, n-2-i) })
			if !ok {
				return "", false
			}
			formula += " & " + d.atom(q, names[i], names[i+1])
			r = q
			t = next
		}
		return formula, true
	}
}

// leads reports whether n more relations extend a path from an entity reached by came.
func (d *drawer) leads(e graph.EntityID, came graph.RelationID, n int) bool {
	if n == 0 {
		return true
	}
	_, _, ok := d.onward(e, came&^1, func(q graph.RelationID, next graph.EntityID) bool { return d.leads(next, q, n-1) })
	return ok
}

// divided continues with the entities at the other end that have (or, with !, lack) a second fact that some of the
// examined ones have, but not all.
func divided(not string) func(d *drawer, h graph.EntityID, r graph.RelationID, t graph.EntityID) (string, bool) {
	return func(d *drawer, h graph.EntityID, r graph.RelationID, t graph.EntityID) (string, bool) {
		others := d.m.Bundle().Graph.Tails(h, r)
		others = others[:min(len(others), maxDrawn)]
		q, b, ok := d.onward(t, r, func(q graph.RelationID, b graph.EntityID) bool {
			return slices.ContainsFunc(others, func(other int32) bool { return !d.m.Bundle().Graph.Has(graph.EntityID(other), q, b) })
		})
		for _, other := range others {
			x := graph.EntityID(other)
			if !ok || d.m.Bundle().Graph.Has(x, q, b) != (not == "") {
				continue
			}
			if next, _, ok := d.onward(x, r, func(s graph.RelationID, _ graph.EntityID) bool { return s != q }); ok {
				return "exists x. " + d.atom(r, constant(d.m, h), "x") + " & " + not + d.atom(q, "x", constant(d.m, b)) + " & " + d.atom(next, "x", "y"), true
			}
		}
		return "", false
	}
}

// onward returns a relation from an entity to another by suitable facts: the most frequent one, forwards if possible,
// other than the relation by which the entity was reached.
func (d *drawer) onward(e graph.EntityID, came graph.RelationID, suits func(graph.RelationID, graph.EntityID) bool) (graph.RelationID, graph.EntityID, bool) {
	for _, backwards := range []graph.RelationID{0, 1} {
		for _, r := range d.relations {
			if r == came {
				continue
			}
			tails := d.m.Bundle().Graph.Tails(e, r+backwards)
			for _, t := range tails[:min(len(tails), maxDrawn)] {
				if suits(r+backwards, graph.EntityID(t)) {
					return r + backwards, graph.EntityID(t), true
				}
			}
		}
	}
	return 0, 0, false
}

// atom formats r(head, tail), an inverse from its other end.
func (d *drawer) atom(r graph.RelationID, head, tail string) string {
	if r.IsInverse() {
		head, tail = tail, head
	}
	return ast.Relation{Name: d.m.Bundle().RelationText(r)}.Applied(head, tail)
}
