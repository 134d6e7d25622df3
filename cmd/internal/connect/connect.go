// Package connect finds the best ways from one entity to another over stored and predicted links. It asks package
// runtime for predictions, and knows nothing of formulas.
//
// A way is a chain of links that visits no entity twice. Its degree is the product of its links' degrees, as package
// fit defines them: 1 for a stored link, and the calibrated score of a predicted one. Ties are broken by fewer links,
// then by more specific links: with the fewest stored links of their relations at both ends.
package connect

import (
	"cmp"
	"container/heap"
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/pause"
)

// Options configure a search. The zero Options are good defaults.
type Options struct {
	// Steps is the largest number of links; 0 means DefaultSteps.
	Steps int `json:"steps" least:"1" most:"6" short:"n" default:"3" help:"Number of links of a way at most."`
	// K is the number of ways; 0 means DefaultK.
	K int `json:"k" least:"1" short:"k" default:"10" help:"Number of ways."`
	// Predicted excludes ways of stored links only.
	Predicted bool `json:"-" help:"Leave out ways of stored links alone."`
	// Expansions bounds the entities whose predicted links are searched; 0 means DefaultExpansions.
	Expansions int `json:"-" least:"1" default:"64" help:"Number of entities between the two whose predicted links are looked at, at most."`
}

// Defaults and bounds of Options.
const (
	DefaultSteps      = 3
	MaxSteps          = 6
	DefaultK          = 10
	DefaultExpansions = 64
)

// maxWays bounds the unfinished ways of a search.
const maxWays = 1 << 18

// Result is the ways between two entities.
type Result struct {
	From runtime.Value `json:"from"`
	To   runtime.Value `json:"to"`
	// Ways are the best ones, best first.
	Ways []Way `json:"ways"`
	// Incomplete names the bound that ended the search, as the predicate of "it …", so that there may be better ways.
	Incomplete string `json:"incomplete,omitempty"`
}

// Way is a chain of links.
type Way struct {
	Degree float32 `json:"degree"`
	// Links go from one entity to the other. The relation of a link stored in reverse has ^-1.
	Links []runtime.WitnessAtom `json:"links"`
}

// link is a link in the direction of a way.
type link struct {
	from, to graph.EntityID
	relation graph.RelationID
	observed bool
	degree   float32
}

// partial is an unfinished way.
type partial struct {
	at     graph.EntityID
	last   link
	before *partial
	steps  int
	degree float32
	// predicted says that it has a predicted link, pending that its predicted links come next.
	predicted, pending bool
	// crowd is the logarithm of the number of alternatives to its links.
	crowd float64
	// bound is an upper bound on its final degree, least a lower bound on its steps.
	bound float32
	least int
}

// search is the state of one search.
type search struct {
	*Options
	ctx      context.Context
	m        *runtime.Model
	predict  *predictor
	from, to graph.EntityID
	// near are the entities that few stored links connect to the end, with the number of links.
	near map[graph.EntityID]int
	// into are the predicted links to the end, by their head, and best their largest degrees.
	into   map[graph.EntityID][]link
	best   map[graph.EntityID]float32
	open   queue
	result *Result
	seen   map[string]bool // texts of the ways found
}

// Find returns the best ways between two entities.
func Find(ctx context.Context, m *runtime.Model, from, to graph.EntityID, o Options) (*Result, error) {
	o.Steps, o.K, o.Expansions = cmp.Or(o.Steps, DefaultSteps), cmp.Or(o.K, DefaultK), cmp.Or(o.Expansions, DefaultExpansions)
	switch {
	case o.Steps < 1 || o.Steps > MaxSteps:
		return nil, fmt.Errorf("%d steps, want 1 to %d", o.Steps, MaxSteps)
	case o.K < 1 || o.Expansions < 1:
		return nil, fmt.Errorf("%d ways by %d entities, want a positive number of both", o.K, o.Expansions)
	case from == to:
		return nil, fmt.Errorf("both ends are %s: no way is shorter than none", m.Named(int32(from)).Label)
	}
	m = m.Now()
	p := &predictor{m: m, expanded: -1}
	s := &search{Options: &o, ctx: ctx, m: m, predict: p, from: from, to: to, into: map[graph.EntityID][]link{}, best: map[graph.EntityID]float32{}, seen: map[string]bool{},
		result: &Result{From: m.Named(int32(from)), To: m.Named(int32(to)), Ways: []Way{}}}
	if err := s.approach(); err != nil {
		return nil, err
	}
	back, err := p.links(ctx, to)
	if err != nil {
		return nil, err
	}
	for _, l := range back {
		l = link{l.to, l.from, l.relation.Inverse(), false, l.degree}
		s.into[l.from] = append(s.into[l.from], l)
		s.best[l.from] = max(s.best[l.from], l.degree)
	}
	s.push(&partial{at: from, degree: 1})
	return s.result, s.run()
}

// approach finds the entities connected to the end by stored links.
func (s *search) approach() error {
	s.near = map[graph.EntityID]int{s.to: 0}
	ring := []graph.EntityID{s.to}
	for far := 1; far <= s.Steps && len(ring) > 0; far++ {
		var next []graph.EntityID
		for _, e := range ring {
			if err := pause.Here(s.ctx); err != nil {
				return err
			}
			for r := range graph.RelationID(s.m.NumRelations()) {
				for _, t := range s.m.Bundle().Graph.Tails(e, r) {
					if _, ok := s.near[graph.EntityID(t)]; ok {
						continue
					}
					if len(s.near) == maxWays {
						s.give("it looks at %d entities near the end at most", maxWays)
						return nil
					}
					s.near[graph.EntityID(t)] = far
					next = append(next, graph.EntityID(t))
				}
			}
		}
		ring = next
	}
	return nil
}

// give records the first bound that is reached.
func (s *search) give(format string, bound int) {
	s.result.Incomplete = cmp.Or(s.result.Incomplete, fmt.Sprintf(format, bound))
}

// push adds an unfinished way, unless it cannot reach the end.
func (s *search) push(p *partial) {
	left := s.Steps - p.steps
	far, known := s.near[p.at]
	p.bound = p.degree
	p.least = p.steps + far
	switch {
	case known && far <= left && !p.pending:
		if s.Predicted && !p.predicted { // it must leave the stored links
			if far == 0 || left == 1 && s.best[p.at] == 0 {
				return
			}
			p.bound = maxDegree
		}
	case left == 1 && s.best[p.at] > 0:
		p.bound = p.degree * s.best[p.at]
		p.least = p.steps + 1
	case left > 1:
		p.bound = p.degree * maxDegree
		p.least = p.steps + 1
	default:
		return
	}
	if len(s.open) == maxWays {
		s.give("it has %d unfinished ways at most", maxWays)
		return
	}
	heap.Push(&s.open, p)
}

// run repeatedly extends the best unfinished way.
func (s *search) run() error {
	for len(s.open) > 0 && len(s.result.Ways) < s.K {
		if err := pause.Here(s.ctx); err != nil {
			return err
		}
		p := heap.Pop(&s.open).(*partial)
		switch {
		case p.at == s.to:
			if w := s.way(p); !s.seen[w.text()] {
				s.seen[w.text()] = true
				s.result.Ways = append(s.result.Ways, w)
			}
		case p.pending:
			if s.Expansions == s.predict.expanded {
				s.give("it looks at the predicted links of %d entities between the ends at most", s.Expansions)
				continue
			}
			links, err := s.predict.links(s.ctx, p.at)
			if err != nil {
				return err
			}
			for _, l := range links {
				if l.to != s.to { // predicted links to the end are searched from there
					s.follow(p, l)
				}
			}
		default:
			s.stored(p)
			for _, l := range s.into[p.at] {
				s.follow(p, l)
			}
			if s.Steps-p.steps > 1 {
				next := *p
				next.pending = true
				s.push(&next)
			}
		}
	}
	return nil
}

// stored extends a way by the stored links of its end.
func (s *search) stored(p *partial) {
	for r := range graph.RelationID(s.m.NumRelations()) {
		if s.Steps-p.steps == 1 {
			if s.m.Bundle().Graph.Has(p.at, r, s.to) {
				s.follow(p, link{p.at, s.to, r, true, 1})
			}
			continue
		}
		for _, t := range s.m.Bundle().Graph.Tails(p.at, r) {
			s.follow(p, link{p.at, graph.EntityID(t), r, true, 1})
		}
	}
}

// follow extends a way by a link, unless that returns to a visited entity.
func (s *search) follow(p *partial, l link) {
	for q := p; q != nil; q = q.before {
		if q.at == l.to {
			return
		}
	}
	next := &partial{at: l.to, last: l, before: p, steps: p.steps + 1, degree: p.degree * l.degree, predicted: p.predicted || !l.observed}
	next.crowd = p.crowd + math.Log1p(float64(len(s.m.Bundle().Graph.Tails(l.from, l.relation)))) + math.Log1p(float64(len(s.m.Bundle().Graph.Tails(l.to, l.relation.Inverse()))))
	s.push(next)
}

// way returns a way that has reached the end.
func (s *search) way(p *partial) Way {
	w := Way{Degree: p.degree, Links: make([]runtime.WitnessAtom, p.steps)}
	for ; p.before != nil; p = p.before {
		l := p.last
		w.Links[p.steps-1] = runtime.WitnessAtom{Relation: s.m.RelationName(l.relation), Head: s.m.Named(int32(l.from)), Tail: s.m.Named(int32(l.to)), Observed: l.observed, Degree: l.degree}
	}
	return w
}

// text identifies a way, without degrees and the directions of predicted links: of two ways that differ only in
// those, the better one suffices. Each stored link is a distinct fact.
func (w Way) text() string {
	text := ""
	for _, l := range w.Links {
		relation := l.Relation
		if !l.Observed {
			relation = strings.TrimSuffix(relation, "^-1")
		}
		text += fmt.Sprintf("%d %t %s\n", l.Tail.ID, l.Observed, relation)
	}
	return text
}

// queue is a heap of unfinished ways, the best one first.
type queue []*partial

func (q queue) Len() int      { return len(q) }
func (q queue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(x any)   { *q = append(*q, x.(*partial)) }

// Less compares by degree, then steps, then crowds, and breaks ties by the order of storage.
func (q queue) Less(i, j int) bool {
	a := q[i]
	b := q[j]
	return cmp.Or(cmp.Compare(b.bound, a.bound), cmp.Compare(a.least, b.least), cmp.Compare(a.crowd, b.crowd),
		cmp.Compare(a.at, b.at), cmp.Compare(a.last.relation, b.last.relation), cmp.Compare(a.last.from, b.last.from)) < 0
}

// Pop removes the last way.
func (q *queue) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}
