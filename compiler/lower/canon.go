package lower

import (
	"cmp"
	"maps"
	"slices"

	"github.com/efoc/efoc/lang/ast"
	"github.com/efoc/efoc/runtime/scq"
)

// maxWork bounds the search for the canonical order, in links visited. A shape with so
// many symmetries that the search is cut short still gets a deterministic order, but a
// rearranged query of that shape may miss its cache entry.
const maxWork = 20_000

// slotKey identifies what a slot stands for: a name, or a place in the formula, which
// is an argument of an atom by the atom's site.
type slotKey struct {
	name    string
	param   bool // name is a parameter's
	inverse bool
	site    int
	arg     int // 0 head, 1 tail
}

// slotKeys says what slots stand for.
type slotKeys bool

const (
	// bySite has a slot for each place in the formula, and one for each parameter.
	bySite slotKeys = false
	// byName has a slot for each name, which counts as part of the structure.
	byName slotKeys = true
)

// relation returns what the relation slot of a literal stands for, if it has one.
func (k slotKeys) relation(l ast.Literal) slotKey {
	if l.Same {
		return slotKey{}
	}
	if r := l.Relation; r.Param || k == byName {
		return slotKey{name: r.Name, param: r.Param, inverse: r.Inverse, site: -1}
	}
	return slotKey{site: l.Site, inverse: l.Relation.Inverse}
}

// term returns what the constant slot of a literal's end stands for.
func (k slotKeys) term(l ast.Literal, t ast.Term, arg int) slotKey {
	if t.Kind == ast.Parameter || k == byName {
		return slotKey{name: t.Name, param: t.Kind == ast.Parameter, site: -1}
	}
	return slotKey{site: l.Site, arg: arg}
}

// canonLiteral is a literal with the identity of its parts.
type canonLiteral struct {
	ast.Literal
	disjunct             int
	relation, head, tail slotKey
}

// canon finds an order of the literals of a query that depends only on its shape. It
// is canonical labelling by individualization and refinement: colour refinement (1-WL)
// on the graph of literals and what they share; where literals of one colour are left,
// each in turn is given a colour of its own and the search goes on. The
// lexicographically least text of a shape wins.
//
// Three steps of an example, with y free:
//
//	r("a",x) & s(x,y) & t("b",y) & u("c",y)   ->  r1(s1,e1) & r2(s2,f) & r3(s3,f) & r4(e1,f)
//
// Refinement finds that r is the only literal with a constant that does not reach y, and s
// the only one without a constant. That leaves t and u with one colour. They are twins:
// to swap them changes nothing, so one of them is tried, which gives each a colour of its
// own. The order is by distance from a constant, 1 for s and 0 for the others, then by
// colour. In
//
//	r("a",x) & s(x,y) & t("b",z) & u(z,y)     ->  r1(s1,e1) & r2(s2,e2) & r3(e1,f) & r4(e2,f)
//
// r and t have one colour, and so have s and u; r and t are not twins, for they share a
// variable with s or with u. Each is tried, which orders s and u as well, and the lesser
// of the two texts wins: here they are equal.
type canon struct {
	free     string
	literals []canonLiteral
	graph    *colourGraph
	distance []int    // of each literal: least distance of its ends from a constant
	twins    []string // of each literal: the same for those that can be swapped
	// best is the least text so far, of the order bestOrder.
	best      string
	bestOrder []int
	budget    int // of links that may still be visited
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

// nameRanks orders the slots by name.
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

// distances computes each literal's distance from the constants of its disjunct. Inequalities,
// along which nothing is known, are last.
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
			if l.Same {
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
		if l.Same {
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

// refine refines colours at the cost of the links that it visits.
func (c *canon) refine(colours []int) []int {
	colours, rounds := c.graph.refine(colours)
	c.budget -= rounds * c.graph.links
	return colours
}

// search individualizes each of the literals of the first tie in turn, as far as the
// budget allows, and keeps the order whose text is least.
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
		// One of twins is enough: swapping them does not change the text.
		if !tried[c.twins[i]] {
			tried[c.twins[i]] = true
			c.search(c.refine(individualize(colours, i)))
		}
	}
}

// individualize gives a node a colour of its own, just below the colour of its class.
func individualize(colours []int, node int) []int {
	next := make([]int, len(colours))
	for i, colour := range colours {
		next[i] = 2*colour + 1 // which leaves one free below each class
	}
	next[node]--
	return next
}

// firstTie returns the literals of the least colour that several have.
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

// keepIfLeast compares the order that the colours give with the best so far. Ties that are left
// keep the order of the input.
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

// group splits an order of all literals by disjunct, disjuncts by their first literal.
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
