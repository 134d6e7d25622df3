package fit

import (
	"slices"

	"github.com/efoc/efoc/runtime/internal/fuzzy"
	"github.com/efoc/efoc/runtime/model/graph"
)

// everything replaces the known degrees in a push without any.
var everything = &Set{each: []*fuzzy.Set{fuzzy.All}}

// push evaluates Push and Narrow; partly adds the rows of candidates to the result of observed links alone.
func (w *work) push(s *Set, partly bool) {
	o := &s.made
	known := everything
	branches := len(s.made.of.each)
	if len(o.with) > 0 {
		known = o.with[0]
		branches = max(branches, len(known.each))
		if len(known.each) == 0 || len(o.of.each) == 0 {
			branches = 0
		}
	}
	p := w.pusher(o.rows)
	before := s.each
	if !partly || len(before) != branches || p.top.state == again {
		before = nil
	}
	s.each = w.arena.Each.Take(branches)
	alike := len(o.of.each) == 1 && branches > 1 // branches differ only in their known degrees
	var wide *fuzzy.Set
	for b := range s.each {
		s.each[b] = fuzzy.None
		y := known.branch(b)
		u := o.of.branch(b)
		if w.leadsNowhere(y) || w.leadsNowhere(u) || !w.goesOn() {
			continue
		}
		p.rowsAlone = before != nil && !o.of.changes(b) && !known.changes(b) && !(alike && known.state == again)
		if !alike || wide == nil {
			w.weigh(&p, u)
		}
		if w.part == nil && !alike && !y.Wide() && p.few(y) { // sets are full on some ranks alone
			s.each[b] = w.narrowed(&p, y, u)
		} else {
			if !alike || wide == nil {
				wide = w.pushed(&p, u)
			}
			s.each[b] = w.arena.Mul(y, wide)
		}
		if p.rowsAlone {
			s.each[b] = w.larger(before[b], s.each[b])
		}
	}
}

// larger returns the larger degrees of x and y.
func (w *work) larger(x, y *fuzzy.Set) *fuzzy.Set {
	switch {
	case x.Empty():
		return y
	case y.Empty():
		return x
	}
	list := w.arena.Each.Take(2)
	ones := w.arena.Floats.Take(2)
	list[0] = x
	list[1] = y
	ones[0] = 1
	ones[1] = 1
	w.arena.Maximum.Start(w.arena.N)
	return w.arena.FoldMax(list, ones, w.arena.Offer(list, ones))
}

// leadsNowhere reports whether a set is empty, and no other part can have degrees in it.
func (w *work) leadsNowhere(x *fuzzy.Set) bool { return w.part == nil && x.Empty() }

// pusher holds the state that the pushes of all branches share.
type pusher struct {
	rows     []*AtomRows
	top      *Candidates
	products []*fuzzy.Set
	degrees  []float32 // of the candidates in a branch
	along    int       // a positive row, -1 for none
	marked   []int32   // the candidates in order, if other entities count too
	others   bool      // entities without rows contribute along observed links
	// rowsAlone says that the branch holds the result of observed links, and only rows are added.
	rowsAlone bool
}

func (w *work) pusher(rows []*AtomRows) pusher {
	p := pusher{rows: rows, top: rows[0].top, products: rows[0].each, degrees: w.arena.Floats.Take(len(rows[0].top.ids))}
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
	if p.others {
		p.marked = w.arena.Ints.Copy(p.top.ids)
		slices.Sort(p.marked)
	}
	return p
}

// weigh looks up the degrees of the candidates, or only of those with rows if only rows are added.
func (w *work) weigh(p *pusher, u *fuzzy.Set) {
	if !p.rowsAlone {
		w.degrees(p.degrees, p.top.ids, []*fuzzy.Set{u})
		return
	}
	clear(p.degrees)
	for _, i := range p.top.withRows {
		p.degrees[i] = u.At(p.top.ids[i])
	}
}

// pushed is the push of one branch.
func (w *work) pushed(p *pusher, u *fuzzy.Set) *fuzzy.Set {
	w.arena.Maximum.Start(w.arena.N)
	rest := w.arena.Offer(p.products, p.degrees)
	if p.others && !p.rowsAlone {
		w.links(p, u)
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
		w.links(p, u)
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

// links offers the degrees that observed links give from entities of u that are not marked.
func (w *work) links(p *pusher, u *fuzzy.Set) {
	g := w.model.Graph
	r := p.rows[p.along].relation
	marked := p.marked
	lead := func(d float32, c int32, tails []int32) { // c ascends
		for len(marked) > 0 && marked[0] < c {
			marked = marked[1:]
		}
		if d != 0 && d != u.Rest && !(len(marked) > 0 && marked[0] == c) {
			w.lead(c, tails, d, p.rows, p.along)
		}
	}
	if w.part != nil || u.Full != nil {
		w.part.EachHead(g, r, u.At, lead)
		return
	}
	heads, tails := g.Edges(r)
	few := lookUp*len(u.IDs) <= len(heads)
	at := 0
	for i, c := range u.IDs {
		if few {
			lead(u.Deg[i], c, g.Tails(graph.EntityID(c), r))
			continue
		}
		for at < len(heads) && heads[at] < c {
			at++
		}
		from := at
		for at < len(heads) && heads[at] == c {
			at++
		}
		lead(u.Deg[i], c, tails[from:at])
	}
}

// lead offers a degree to the tails of c by the links along, where all other positive links are observed and no
// negated one is.
func (w *work) lead(c int32, tails []int32, degree float32, rows []*AtomRows, along int) {
	for j, r := range rows {
		if j == along {
			continue
		}
		w.led = append(w.led[:0], tails...)
		tails = w.led
		if r.unequal {
			tails = slices.DeleteFunc(tails, func(t int32) bool { return c == w.part.Global(t) })
			continue
		}
		others := w.model.Graph.Tails(graph.EntityID(c), r.relation) // both ascending
		tails = slices.DeleteFunc(tails, func(t int32) bool {
			for len(others) > 0 && others[0] < t {
				others = others[1:]
			}
			return (len(others) > 0 && others[0] == t) == r.negated
		})
	}
	for _, t := range tails {
		w.arena.Maximum.Raise(t, degree)
	}
}
