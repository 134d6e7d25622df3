package lower

import (
	"cmp"
	"maps"
	"slices"

	"github.com/efoc/efoc/lang/ast"
	"github.com/efoc/efoc/runtime/scq"
)

// maxWork bounds the search for the canonical order, in links visited. A shape with so many symmetries that the
// search is cut short still gets a deterministic order, but a reordered query of that shape may miss its cache
// entry.
const maxWork = 20_000

// slotKey identifies the content of a slot: a name, or a position in the formula, given as an argument of an
// atom by the atom's site.
type slotKey struct {
	name    string
	param   bool // name is a parameter's
	inverse bool
	site    int
	arg     int // 0 head, 1 tail
}

// slotKeys selects how slots are identified.
type slotKeys bool

const (
	// bySite makes a slot for each position in the formula, and one for each parameter.
	bySite slotKeys = false
	// byName makes a slot for each name, which counts as part of the structure.
	byName slotKeys = true
)

// relation returns the key of the relation slot of a link, or of the filter slot of a filter.
func (k slotKeys) relation(l ast.Literal) slotKey {
	switch {
	case l.Kind == ast.SameAtom:
		return slotKey{}
	case l.Kind == ast.FilterAtom && k == byName:
		return slotKey{name: l.Condition.Text(""), site: -1}
	}
	if r := l.Relation; r.Param || k == byName {
		return slotKey{name: r.Name, param: r.Param, inverse: r.Inverse, site: -1}
	}
	return slotKey{site: l.Site, inverse: l.Relation.Inverse}
}

// term returns the key of the constant slot at an end of a literal.
func (k slotKeys) term(l ast.Literal, t ast.Term, arg int) slotKey {
	if t.Kind == ast.Parameter || k == byName {
		return slotKey{name: t.Name, param: t.Kind == ast.Parameter, site: -1}
	}
	return slotKey{site: l.Site, arg: arg}
}

// canonLiteral is a literal with the identities of its parts.
type canonLiteral struct {
	ast.Literal
	disjunct             int
	relation, head, tail slotKey
}

// canon finds an order of a query's literals that depends only on its shape. It is canonical labelling by
// individualization and refinement: colour refinement (1-WL) on the graph of literals and the nodes they share;
// while several literals have the same colour, each in turn gets a unique colour and the search continues. The
// lexicographically least text of a shape wins.
//
// Three steps of an example, with y free:
//
//	r("a",x) & s(x,y) & t("b",y) & u("c",y)   ->  r1(s1,e1) & r2(s2,f) & r3(s3,f) & r4(e1,f)
//
// Refinement finds that r is the only literal with a constant and without y, and s the only one without a
// constant. That leaves t and u with the same colour. They are twins: swapping them changes nothing, so only
// one is individualized, which separates them. The order is by distance from a constant, 1 for s and 0 for the
// others, then by colour. In
//
//	r("a",x) & s(x,y) & t("b",z) & u(z,y)     ->  r1(s1,e1) & r2(s2,e2) & r3(e1,f) & r4(e2,f)
//
// r and t have the same colour, and so do s and u; r and t are not twins, because they share a variable with s
// or with u. Each is tried, which orders s and u as well, and the lesser of the two texts wins: here they are
// equal.
type canon struct {
	free     string
	literals []canonLiteral
	graph    *colourGraph
	distance []int    // of each literal: the smaller distance of its ends from a constant
	twins    []string // of each literal: equal for literals that can be swapped
	// best is the least text so far, obtained with bestOrder.
	best      string
	bestOrder []int
	budget    int // links that may still be visited
}

func newCanon(d *ast.DNF, keys slotKeys) *canon {
	c := &canon{free: d.Free, budget: maxWork}
	for s, disjunct := range d.Disjuncts {
		for _, l := range disjunct.Literals {
			c.literals = append(c.literals, canonLiteral{
				Literal: l, disjunct: s, relation: keys.relation(l), head: keys.term(l, l.Head, 0), tail: keys.term(l, l.Tail, 1),
			})
		}
	}
	var ranks map[slotKey]int
	if keys == byName {
		ranks = c.nameRanks()
	}
	c.graph = newColourGraph(c.literals, c.free, ranks)
	c.twins = c.graph.twins(len(c.literals))
	c.distances()
	return c
}

// nameRanks ranks the slots by name.
func (c *canon) nameRanks() map[slotKey]int {
	rank := map[slotKey]int{}
	for _, l := range c.literals {
		rank[l.relation] = 0
		rank[l.head] = 0
		rank[l.tail] = 0
	}
	keys := slices.SortedFunc(maps.Keys(rank), func(a, b slotKey) int {
		return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(truth(a.param), truth(b.param)), cmp.Compare(truth(a.inverse), truth(b.inverse)))
	})
	for i, k := range keys {
		rank[k] = i
	}
	return rank
}

// distances computes each literal's distance from the constants of its disjunct. Inequalities and filters, which
// propagate no information, come last.
func (c *canon) distances() {
	const far = 1 << 20
	type inDisjunct struct {
		disjunct int
		name     string
	}
	at := map[inDisjunct]int{}
	get := func(l canonLiteral, t ast.Term) int {
		if t.Kind != ast.Variable {
			return 0
		}
		if d, ok := at[inDisjunct{l.disjunct, t.Name}]; ok {
			return d
		}
		return far
	}
	for changed := true; changed; {
		changed = false
		for _, l := range c.literals {
			if l.Kind != ast.LinkAtom {
				continue
			}
			near := min(get(l, l.Head), get(l, l.Tail)) + 1
			for _, t := range []ast.Term{l.Head, l.Tail} {
				if t.Kind == ast.Variable && near < get(l, t) {
					at[inDisjunct{l.disjunct, t.Name}] = near
					changed = true
				}
			}
		}
	}
	for _, l := range c.literals {
		near := min(get(l, l.Head), get(l, l.Tail))
		if l.Kind != ast.LinkAtom {
			near = far + 1
		}
		c.distance = append(c.distance, near)
	}
}

// order returns the literals of each disjunct, disjuncts and literals in canonical order.
func (c *canon) order() [][]int {
	c.search(c.refine(make([]int, len(c.graph.nodes))))
	return c.group(c.bestOrder)
}

// refine refines colours and charges the visited links to the budget.
func (c *canon) refine(colours []int) []int {
	colours, rounds := c.graph.refine(colours)
	c.budget -= rounds * c.graph.links
	return colours
}

// search individualizes each literal of the first tie in turn, as far as the budget allows, and keeps the order
// with the least text.
func (c *canon) search(colours []int) {
	tied := c.firstTie(colours)
	if tied == nil || c.budget <= 0 {
		c.keepIfLeast(colours)
		return
	}
	tried := map[string]bool{}
	for _, i := range tied {
		if c.budget <= 0 && c.bestOrder != nil {
			return
		}
		// One of several twins is enough: swapping them does not change the text.
		if !tried[c.twins[i]] {
			tried[c.twins[i]] = true
			c.search(c.refine(individualize(colours, i)))
		}
	}
}

// individualize gives a node a unique colour, just below its class.
func individualize(colours []int, node int) []int {
	next := make([]int, len(colours))
	for i, colour := range colours {
		next[i] = 2*colour + 1 // leaves a free colour below each class
	}
	next[node]--
	return next
}

// firstTie returns the literals of the least colour that several share.
func (c *canon) firstTie(colours []int) []int {
	classes := map[int][]int{}
	least := -1
	for i := range c.literals {
		col := colours[i]
		classes[col] = append(classes[col], i)
		if len(classes[col]) > 1 && (least < 0 || col < least) {
			least = col
		}
	}
	if least < 0 {
		return nil
	}
	return classes[least]
}

// keepIfLeast compares the order given by the colours with the best so far. Remaining ties keep the input
// order.
func (c *canon) keepIfLeast(colours []int) {
	order := make([]int, len(c.literals))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(c.distance[a], c.distance[b]), cmp.Compare(colours[a], colours[b]))
	})
	if text := scq.Text(c.shape(c.group(order)).Disjuncts); c.bestOrder == nil || text < c.best {
		c.best = text
		c.bestOrder = order
	}
}

// group splits an order of all literals by disjunct; disjuncts are ordered by their first literal.
func (c *canon) group(order []int) [][]int {
	var groups [][]int
	at := map[int]int{}
	for _, i := range order {
		s := c.literals[i].disjunct
		g, ok := at[s]
		if !ok {
			g = len(groups)
			at[s] = g
			groups = append(groups, nil)
		}
		groups[g] = append(groups[g], i)
	}
	return groups
}
