package fit

import (
	"slices"

	"github.com/efoc/efoc/kernels/reuse"
	"github.com/efoc/efoc/runtime/internal/fuzzy"
	"github.com/efoc/efoc/runtime/model/graph"
)

// everything replaces the known degrees in a push without any.
var everything = &Set{each: []*fuzzy.Set{fuzzy.All}}

// push evaluates Push and Narrow; partly adds the rows of candidates to the result of observed links alone.
func (w *work) push(s *Set, partly bool) {
	o := &s.made
	known := everything
	branches := len(o.of.each)
	if len(o.with) > 0 {
		known = o.with[0]
		branches = max(branches, len(known.each))
		if len(known.each) == 0 || len(o.of.each) == 0 {
			branches = 0
		}
	}
	p := &w.pushing
	*p = w.pusher(o.rows)
	defer func() {
		for _, c := range p.top.ids {
			p.places[c] = 0
		}
		*p = pusher{}
	}()
	p.set = s
	p.known = known
	if partly && len(s.each) == branches && p.top.state != again {
		p.before = s.each
	}
	s.each = w.arena.Each.Take(branches)
	clear(s.each)
	p.alike = len(o.of.each) == 1 && branches > 1
	if w.part == nil && !p.alike { // sets are full on some ranks alone
		w.narrowAll()
	}
	var wide *fuzzy.Set
	for b := range s.each {
		if s.each[b] != nil {
			continue
		}
		s.each[b] = fuzzy.None
		y := known.branch(b)
		u := o.of.branch(b)
		if w.leadsNowhere(y) || w.leadsNowhere(u) || !w.goesOn() {
			continue
		}
		p.rowsAlone = p.addsRows(b)
		if !p.alike || wide == nil {
			w.weigh(p, u)
			wide = w.pushed(p, u)
		}
		w.setBranch(p, b, w.arena.Mul(y, wide))
	}
}

// addsRows reports whether branch b differs from the result of observed links only in the rows of candidates.
func (p *pusher) addsRows(b int) bool {
	of := p.set.made.of
	return p.before != nil && !of.changes(b) && !p.known.changes(b) && !(p.alike && p.known.state == again)
}

// setBranch sets branch b to x, or to what the rows in x add to the result of observed links.
func (w *work) setBranch(p *pusher, b int, x *fuzzy.Set) {
	if p.rowsAlone {
		x = w.larger(p.before[b], x)
	}
	p.set.each[b] = x
}

// larger returns the larger degrees of x and y.
func (w *work) larger(x, y *fuzzy.Set) *fuzzy.Set {
	switch {
	case x.Empty():
		return y
	case y.Empty():
		return x
	}
	list := []*fuzzy.Set{x, y}
	ones := []float32{1, 1}
	w.arena.Maximum.Start(w.arena.N)
	return w.arena.FoldMax(list, ones, w.arena.Offer(list, ones))
}

// leadsNowhere reports whether a set is empty, and no other part can have degrees in it.
func (w *work) leadsNowhere(x *fuzzy.Set) bool { return w.part == nil && x.Empty() }

// pusher holds the state of a push, and of the branch that it evaluates.
type pusher struct {
	sharedPush
	degrees []float32 // of the candidates in a branch
	looked  int       // heads looked up along a positive row
	first   []int32   // the first link of each head along it, and the end; nil before they pay
	next    int       // the first branch of a block
	// rowsAlone says that the branch holds the result of observed links, and only rows are added.
	rowsAlone bool
}

// sharedPush is the part of a pusher that no branch changes.
type sharedPush struct {
	rows       []*AtomRows
	top        *Candidates
	places     []int32 // of the candidates, from 1, by entity
	products   []*fuzzy.Set
	along      int  // a positive row, -1 for none
	others     bool // entities without rows contribute along observed links
	set, known *Set
	before     []*fuzzy.Set // the branches by observed links alone, nil if all of them change
	alike      bool         // branches differ only in their known degrees
}

func (w *work) pusher(rows []*AtomRows) pusher {
	p := pusher{sharedPush: sharedPush{rows: rows, top: rows[0].top, products: rows[0].each}}
	p.degrees = w.arena.Floats.Take(len(p.top.ids))
	if len(rows) > 1 {
		p.products = w.arena.Each.Take(len(p.degrees))
		for i := range p.products {
			p.products[i] = fuzzy.None
			if w.goesOn() {
				p.products[i] = w.product(rows, int32(i))
			}
		}
	}
	p.along = slices.IndexFunc(rows, func(r *AtomRows) bool { return !r.negated })
	p.others = p.along >= 0 && !w.exact() && !w.rowsAlone && len(p.top.ids) > 0
	w.places = reuse.Slice(w.places, w.entities())
	p.places = w.places
	for i, c := range p.top.ids {
		p.places[c] = int32(i) + 1
	}
	return p
}

// weigh looks up the degrees of the candidates, or only of those with rows if only rows are added.
func (w *work) weigh(p *pusher, u *fuzzy.Set) {
	switch {
	case p.rowsAlone:
		clear(p.degrees)
		for _, i := range p.top.withRows {
			p.degrees[i] = u.At(p.top.ids[i])
		}
	case w.part == nil && u.Full == nil && len(u.IDs) <= lookUp*len(p.degrees):
		for i := range p.degrees {
			p.degrees[i] = u.Rest
		}
		for i, c := range u.IDs {
			if at := p.places[c]; at > 0 {
				p.degrees[at-1] = u.Deg[i]
			}
		}
	default:
		w.degrees(p.degrees, p.top.ids, []*fuzzy.Set{u})
	}
}

// pushed is the push of one branch.
func (w *work) pushed(p *pusher, u *fuzzy.Set) *fuzzy.Set {
	w.arena.Maximum.Start(w.arena.N)
	rest := w.arena.Offer(p.products, p.degrees)
	if p.others && !p.rowsAlone {
		w.links(p, u, nil)
	}
	return w.arena.FoldMax(p.products, p.degrees, rest)
}

// lookUp is the cost of looking up an entity in a list, relative to stepping over one.
const lookUp = 16

// few reports whether looking up the entities of y in the wide lists is no more work than traversing these.
func (p *pusher) few(y *fuzzy.Set) bool {
	looked := 0
	gone := 0
	for i, d := range p.degrees {
		if x := p.products[i]; d != 0 && x.Wide() && x.Full == nil {
			looked += lookUp * len(y.IDs)
			gone += len(x.IDs)
		}
	}
	return looked <= gone
}

// narrowed is y times the push of one branch; y is 0 where it lists nothing.
func (w *work) narrowed(p *pusher, y, u *fuzzy.Set) *fuzzy.Set {
	a := &w.arena.Maximum
	looked := w.arena.Ints.Take(len(p.degrees))[:0]
	a.Start(w.arena.N)
	if p.others && !p.rowsAlone {
		w.links(p, u, y.IDs)
	}
	for i, d := range p.degrees {
		switch x := p.products[i]; {
		case d == 0:
		case x.Wide() || lookUp*len(y.IDs) < len(x.IDs):
			looked = append(looked, int32(i))
		default:
			w.arena.Raise(x, d)
		}
	}
	z := w.arena.List(0, len(y.IDs))
	for i, e := range y.IDs {
		best := a.Sum[e]
		for _, j := range looked {
			if d := p.degrees[j]; d > best {
				best = max(best, w.arena.Norm.Both(d, p.products[j].At(e)))
			}
		}
		z.Add(e, w.arena.Norm.Both(y.Deg[i], best))
	}
	for _, e := range a.Touched {
		a.Sum[e] = 0
	}
	return w.arena.Trim(z)
}

// links offers the degrees that observed links give from entities of u that are no candidates: to the tails of the links
// along, where all other positive links are observed and no negated one is. Only tails among the given ones matter; nil
// means all.
func (w *work) links(p *pusher, u *fuzzy.Set, among []int32) {
	g := w.model.Graph
	r := p.rows[p.along].relation
	if w.part == nil && u.Full != nil {
		w.linksOf(p, w.otherThan(p, u))
		return
	}
	lead := func(d float32, c int32, tails []int32) {
		if d == 0 || d == u.Rest || p.places[c] > 0 {
			return
		}
		tails = w.fewer(tails, among)
		for j, r := range p.rows {
			if j != p.along {
				tails = w.met(tails, c, r)
			}
		}
		for _, t := range tails {
			w.arena.Maximum.Raise(t, d)
		}
	}
	if w.part != nil {
		w.part.EachHead(g, r, u.At, lead)
		return
	}
	heads, tails := g.Edges(r)
	p.looked += len(u.IDs)
	if p.first == nil && lookUp*p.looked > w.arena.N+len(heads) {
		p.first = w.indexHeads(heads)
	}
	for i, c := range u.IDs {
		if p.first != nil {
			lead(u.Deg[i], c, tails[p.first[c]:p.first[c+1]])
		} else {
			lead(u.Deg[i], c, g.Tails(graph.EntityID(c), r))
		}
	}
}

// fewer looks up which of the given entities are tails if these are many more, and otherwise returns all tails. The result
// is valid until the next call of met.
func (w *work) fewer(tails, among []int32) []int32 {
	if among == nil || lookUp*len(among) >= len(tails) {
		return tails
	}
	list := w.led[:0]
	for _, e := range among {
		tails = tails[graph.Search(tails, e):]
		if len(tails) > 0 && tails[0] == e {
			list = append(list, e)
		}
	}
	w.led = list
	return list
}

// indexHeads returns, for each entity and the number behind the last, the index of the first of the sorted heads that is
// at least as large.
func (w *work) indexHeads(heads []int32) []int32 {
	first := w.arena.Ints.Take(w.arena.N + 1)
	next := 0
	for c := range first {
		for next < len(heads) && heads[next] < int32(c) {
			next++
		}
		first[c] = int32(next)
	}
	return first
}

// otherThan returns the degrees of a full set that count along observed links: 0 for candidates, and for entities with
// the degree of entities in general. They last until the next call.
func (w *work) otherThan(p *pusher, u *fuzzy.Set) []float32 {
	w.own = append(w.own[:0], u.Full...)
	for _, c := range p.top.ids {
		w.own[c] = 0
	}
	if u.Rest != 0 {
		for c, d := range w.own {
			if d == u.Rest {
				w.own[c] = 0
			}
		}
	}
	return w.own
}

// linksOf offers the degree of each head to its tails.
func (w *work) linksOf(p *pusher, degrees []float32) {
	g := w.model.Graph
	m := &w.arena.Maximum
	others := w.others[:0]
	for j, r := range p.rows {
		if j != p.along {
			x := pairs{negated: r.negated, unequal: r.unequal}
			if !r.unequal {
				x.heads, x.tails = g.Edges(r.relation)
			}
			others = append(others, x)
		}
	}
	w.others = others

	heads, tails := g.Edges(p.rows[p.along].relation)
links:
	for i, c := range heads {
		t := tails[i]
		d := degrees[c]
		if d <= m.Sum[t] {
			continue
		}
		for j := range others {
			if x := &others[j]; x.has(c, t) == x.negated {
				continue links
			}
		}
		m.Raise(t, d)
	}
}

// pairs are the links of a row in ascending order; has drops the first ones.
type pairs struct {
	heads, tails     []int32
	negated, unequal bool
}

// has reports whether the link from c to t is observed. Calls are in ascending order.
func (x *pairs) has(c, t int32) bool {
	if x.unequal {
		return c == t
	}
	i := 0
	for i < len(x.heads) && (x.heads[i] < c || x.heads[i] == c && x.tails[i] < t) {
		i++
	}
	x.heads = x.heads[i:]
	x.tails = x.tails[i:]
	return len(x.heads) > 0 && x.heads[0] == c && x.tails[0] == t
}

// met returns the tails to which the link of r from c is observed, or is not if negated, until the next call; tails may
// be the result of the last one.
func (w *work) met(tails []int32, c int32, r *AtomRows) []int32 {
	others := []int32(nil)
	if !r.unequal {
		others = w.model.Graph.Tails(graph.EntityID(c), r.relation) // both ascend
	}
	list := w.led[:0]
	for _, t := range tails {
		for len(others) > 0 && others[0] < t {
			others = others[1:]
		}
		linked := len(others) > 0 && others[0] == t
		if r.unequal {
			linked = c == w.part.Global(t)
		}
		if linked != r.negated {
			list = append(list, t)
		}
	}
	w.led = list
	return list
}
