package claims

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/efoc/efoc/cmd/internal/eval"
	"github.com/efoc/efoc/cmd/internal/missing"
	"github.com/efoc/efoc/cmd/internal/sample"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model/graph"
)

// predictedEach is the number of best predicted answers to each question that are claims.
const predictedEach = 10

// notKnown are the statuses of answers that do not follow from the graph.
const notKnown = runtime.Predicted | runtime.Confirmed | runtime.Undecided

// oneValued is the share of heads with several tails up to which a relation counts as one-valued.
const oneValued = 0.01

// question is r(h, y).
type question struct {
	head graph.EntityID
	r    graph.RelationID
}

// claim is the confidence of an answer, and whether it is true.
type claim struct {
	eval.Claim
	// second says that the relation is one-valued and the head has a value; loop that the answer is
	// the head, and that the relation has no loops.
	second, loop bool
}

// asker asks questions.
type asker struct {
	model   *runtime.Model
	options runtime.LinkOptions
	aside   []graph.Triple
	full    *graph.Graph // with the facts put aside
	rng     *rand.Rand
	seed    uint64
	count   int
}

func newAsker(m *runtime.Model, aside []graph.Triple, o Options) (*asker, error) {
	full, _, _, err := m.Bundle().Graph.With(aside, nil)
	if err != nil {
		return nil, err
	}
	a := &asker{model: m, aside: aside, full: full, rng: rand.New(rand.NewPCG(o.Seed, 2)), seed: o.Seed, count: o.Questions}
	a.options.Semantics = o.Semantics
	a.options.Settings = o.Settings
	return a, nil
}

// ordinary returns the questions of random facts of a graph, r(h, y) or from the other end. Each is asked once.
func (a *asker) ordinary(g *graph.Graph, inverse bool) (list []question) {
	seen := map[question]bool{}
	for range a.count {
		f := sample.Fact(a.rng, g)
		q := question{f.Head, graph.RelationID(2 * f.Relation)}
		if inverse {
			q = question{f.Tail, q.r.Inverse()}
		}
		if !seen[q] {
			seen[q] = true
			list = append(list, q)
		}
	}
	return list
}

// without returns questions of random entities by relations that are plausible for them, of which the graph has no
// facts.
func (a *asker) without(inverse bool) (list []question) {
	n := a.model.NumEntities()
	for _, e := range a.rng.Perm(n)[:min(n, a.count)] {
		head := graph.EntityID(e)
		for _, r := range missing.Plausible(a.model, head) {
			if r.IsInverse() == inverse && len(a.model.Bundle().Graph.Tails(head, r)) == 0 {
				list = append(list, question{head: head, r: r})
			}
		}
	}
	return list[:min(len(list), a.count)]
}

// heldOut returns the questions of random facts that were put aside.
func (a *asker) heldOut() (list []question) {
	for _, i := range a.rng.Perm(len(a.aside))[:min(a.count, len(a.aside))] {
		t := a.aside[i]
		list = append(list, question{t.Head, graph.RelationID(2 * t.Relation)})
	}
	return list
}

// ask returns claims about the best predicted answers to questions.
func (a *asker) ask(ctx context.Context, k kind) (claims []claim, err error) {
	o := a.options
	o.K = predictedEach
	o.HeldOut = k.heldOut
	o.Filter.Statuses = notKnown
	links := make([]runtime.LinkQuestion, len(k.questions))
	for i, q := range k.questions {
		links[i] = runtime.LinkQuestion{Head: q.head, Relation: q.r}
	}
	answers, err := a.model.Links(ctx, links, o)
	if err != nil {
		return nil, err
	}
	for i, q := range k.questions {
		if why := answers[i].Uncalibrated; why != "" {
			return nil, fmt.Errorf("answers have no confidence: %s", why)
		}
		for _, x := range answers[i].Rows {
			claims = append(claims, a.claim(q, &x))
		}
	}
	return claims, nil
}

func (a *asker) claim(q question, x *runtime.Row) claim {
	tail := x.Values[0].ID
	about := &a.model.Bundle().Manifest.Regularities[q.r/2]
	end := about.Ends[q.r&1]
	return claim{
		Claim:  eval.Claim{Confidence: x.Confidence, True: a.full.Has(q.head, q.r, tail)},
		second: float64(end.Several) <= oneValued*float64(end.Heads) && len(a.model.Bundle().Graph.Tails(q.head, q.r)) > 0,
		loop:   about.Loops == 0 && tail == q.head,
	}
}
