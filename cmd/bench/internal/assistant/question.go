package assistant

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/efoc/efoc/cmd/internal/print"
	"github.com/efoc/efoc/lang/ast"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model/graph"
)

const (
	mostAnswers = 50     // true ones of a question
	mostDraws   = 10_000 // of questions; some are refused
)

// question is a formula with the answers that are true, as the tools name them.
type question struct {
	formula string
	truth   map[string]bool
}

// link is a fact read from one of its ends.
type link struct {
	head     graph.EntityID
	relation graph.RelationID
	tail     graph.EntityID
}

func (l link) reversed() link { return link{l.tail, l.relation.Inverse(), l.head} }

// drawer draws questions about the facts of a model, those held back included.
type drawer struct {
	*runtime.Model
	rng *rand.Rand
	any bool // questions are about any facts, not those held back
}

// draw draws different questions: the first half of one link, then paths of two links and intersections of two in turn.
// One link of each is a fact that is held back, or any fact.
func (d *drawer) draw(n int) ([]question, error) {
	if h := d.Bundle().Heldout; h == nil || h.NumTriples() == 0 {
		return nil, fmt.Errorf("the model holds no facts back, which questions are about: make it with efoc train --holdout, or efoc import --heldout")
	}
	var list []question
	drawn := map[string]bool{}
	for range mostDraws {
		if len(list) == n {
			return list, nil
		}
		formula, answers := d.one(len(list) < n/2, len(list)%2 == 0)
		if drawn[formula] || len(answers) == 0 || len(answers) > mostAnswers {
			continue
		}
		drawn[formula] = true
		q := question{formula, map[string]bool{}}
		for e := range answers {
			q.truth[print.Both(d.EntityName(e), d.EntityLabel(e))] = true
		}
		list = append(list, q)
	}
	return nil, fmt.Errorf("%d draws gave %d different questions of at most %d answers, and --questions is %d", mostDraws, len(list), mostAnswers, n)
}

// one draws a question and returns it with its answers; none if it asks for the way back on a link.
func (d *drawer) one(single, path bool) (formula string, answers map[graph.EntityID]bool) {
	from := d.Bundle().Heldout
	if held := from.NumTriples(); d.any && d.rng.IntN(held+d.Bundle().Graph.NumTriples()) >= held {
		from = d.Bundle().Graph
	}
	h, r, t := from.Edge(d.rng.IntN(2 * from.NumTriples())) // from either end
	first := link{h, r, t}
	if single {
		return d.atom(first, d.quoted(first.head), "y"), d.tails(first.head, first.relation)
	}

	links := d.linksFrom(first.tail)
	second := links[d.rng.IntN(len(links))]
	switch {
	case second == first.reversed():
		return "", nil
	case !path:
		second = second.reversed()
		answers = d.tails(second.head, second.relation)
		both := d.tails(first.head, first.relation)
		maps.DeleteFunc(answers, func(e graph.EntityID, _ bool) bool { return !both[e] })
		return d.atom(first, d.quoted(first.head), "y") + " & " + d.atom(second, d.quoted(second.head), "y"), answers
	case d.rng.IntN(2) == 0:
		first, second = second.reversed(), first.reversed()
	}
	answers = map[graph.EntityID]bool{}
	for x := range d.tails(first.head, first.relation) {
		maps.Copy(answers, d.tails(x, second.relation))
	}
	return "exists x. " + d.atom(first, d.quoted(first.head), "x") + " & " + d.atom(second, "x", "y"), answers
}

// tails returns the entities to which facts lead.
func (d *drawer) tails(h graph.EntityID, r graph.RelationID) map[graph.EntityID]bool {
	found := map[graph.EntityID]bool{}
	for _, g := range []*graph.Graph{d.Bundle().Graph, d.Bundle().Heldout} {
		for _, t := range g.Tails(h, r) {
			found[graph.EntityID(t)] = true
		}
	}
	return found
}

// linksFrom returns the links of an entity in a fixed order.
func (d *drawer) linksFrom(e graph.EntityID) (list []link) {
	for r := range graph.RelationID(d.NumRelations()) {
		for _, t := range slices.Sorted(maps.Keys(d.tails(e, r))) {
			list = append(list, link{e, r, t})
		}
	}
	return list
}

func (d *drawer) quoted(e graph.EntityID) string {
	return print.Quoted(d.Named(int32(e)))
}

// atom is the atom of a link between two terms.
func (d *drawer) atom(l link, head, tail string) string {
	name := d.Bundle().Relations.Name(int32(l.relation / 2))
	return ast.Relation{Name: name, Inverse: l.relation.IsInverse()}.Applied(head, tail)
}
