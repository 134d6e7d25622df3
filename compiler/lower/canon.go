package lower

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/efoc/efoc/lang"
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

// canonLiteral is a literal with the identity of its parts.
type canonLiteral struct {
	lang.Literal
	scq                  int
	relation, head, tail slotKey
}

// canon finds an order of the literals of a query that depends on its shape alone. It
// is canonical labelling by individualization and refinement: colour refinement (1-WL)
// on the graph of literals and what they share; where literals of one colour are left,
// each in turn is given a colour of its own and the search goes on. The
// lexicographically least text of a shape wins.
type canon struct {
	dnf      *lang.DNF
	keys     slotKeys
	literals []canonLiteral
	nodes    []node
	distance []int // of each literal: least distance of its ends from a constant
	best     string
	bestSeq  []int
	twins    []string // of each literal: the same for those that can be swapped
	budget   int
	links    int // of all nodes: what one round of refinement visits
}

// node is a vertex of the graph whose colours are refined: a literal, or what
// literals share (a variable, a slot, a disjunct).
type node struct {
	kind byte
	// fixed is the initial colour: of a literal 1 if negated, of a variable 1 if free, of
	// a slot the rank of its name if names count.
	fixed int
	links []link
}

// link is an edge of that graph; role distinguishes a head from a tail.
type link struct {
	role byte
	to   int
}

func newCanon(d *lang.DNF, keys slotKeys) *canon {
	c := &canon{dnf: d, keys: keys, budget: maxWork}
	for s, scq := range d.SCQs {
		for _, l := range scq.Literals {
			cl := canonLiteral{Literal: l, scq: s}
			cl.relation = slotKey{site: l.Site}
			if l.Relation.Param || keys == byName {
				cl.relation = slotKey{name: l.Relation.Name, param: l.Relation.Param, inverse: l.Relation.Inverse, site: -1}
			}
			cl.head, cl.tail = c.termKey(l, l.Head, 0), c.termKey(l, l.Tail, 1)
			c.literals = append(c.literals, cl)
		}
	}
	c.link()
	c.measure()
	return c
}

func (c *canon) termKey(l lang.Literal, t lang.Term, arg int) slotKey {
	if t.Kind == lang.Parameter || c.keys == byName {
		return slotKey{name: t.Name, param: t.Kind == lang.Parameter, site: -1}
	}
	return slotKey{site: l.Site, arg: arg}
}

// link builds the graph: nodes 0 … len(literals)-1 are the literals.
func (c *canon) link() {
	for _, l := range c.literals {
		c.nodes = append(c.nodes, node{kind: 'l', fixed: truth(l.Negated)})
	}
	rank := c.ranks()
	shared := map[string]int{}
	join := func(literal int, role, kind byte, name string, fixed int) {
		key := string(kind) + name
		i, ok := shared[key]
		if !ok {
			i = len(c.nodes)
			shared[key] = i
			c.nodes = append(c.nodes, node{kind: kind, fixed: fixed})
		}
		c.nodes[literal].links = append(c.nodes[literal].links, link{role, i})
		c.nodes[i].links = append(c.nodes[i].links, link{role, literal})
	}
	term := func(i int, role byte, t lang.Term, k slotKey) {
		if t.Kind != lang.Variable {
			join(i, role, 'c', fmt.Sprint(k), rank[k])
			return
		}
		join(i, role, 'v', fmt.Sprint(c.literals[i].scq, t.Name), truth(t.Name == c.dnf.Free))
	}
	defer func() {
		for _, n := range c.nodes {
			c.links += 1 + len(n.links)
		}
		c.twins = c.findTwins()
	}()
	for i, l := range c.literals {
		join(i, 's', 'd', fmt.Sprint(l.scq), 0)
		join(i, 'r', 'r', fmt.Sprint(l.relation), rank[l.relation])
		term(i, 'h', l.Head, l.head)
		term(i, 't', l.Tail, l.tail)
	}
}

// ranks orders the names of slots, if names count.
func (c *canon) ranks() map[slotKey]int {
	if c.keys == bySite {
		return nil
	}
	rank := map[slotKey]int{}
	for _, l := range c.literals {
		rank[l.relation], rank[l.head], rank[l.tail] = 0, 0, 0
	}
	keys := slices.SortedFunc(maps.Keys(rank), func(a, b slotKey) int {
		return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(truth(a.param), truth(b.param)), cmp.Compare(truth(a.inverse), truth(b.inverse)))
	})
	for i, k := range keys {
		rank[k] = i
	}
	return rank
}

// truth is 1 for true.
func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}

// findTwins returns, for each literal, a text of what it is linked to: a shared node by
// its number, a node of its own by its initial colour. Literals with equal texts are
// twins: they differ in nodes of their own only, as r(a,y) and s(b,y) do, so that to swap
// them is an automorphism of the graph.
func (c *canon) findTwins() []string {
	twins := make([]string, len(c.literals))
	for i := range twins {
		var near []string
		for _, l := range c.nodes[i].links {
			what := fmt.Sprint(l.to)
			if n := &c.nodes[l.to]; len(n.links) == 1 {
				what = fmt.Sprintf("own %c%d", n.kind, n.fixed)
			}
			near = append(near, fmt.Sprintf("%c%s", l.role, what))
		}
		twins[i] = fmt.Sprintf("%d:%s", c.nodes[i].fixed, strings.Join(near, ","))
	}
	return twins
}

// measure computes each literal's distance from the constants of its SCQ.
func (c *canon) measure() {
	const far = 1 << 20
	at := map[string]int{} // of variables
	key := func(l canonLiteral, t lang.Term) string { return fmt.Sprint(l.scq, t.Name) }
	get := func(l canonLiteral, t lang.Term) int {
		if t.Kind != lang.Variable {
			return 0
		}
		if d, ok := at[key(l, t)]; ok {
			return d
		}
		return far
	}
	for changed := true; changed; {
		changed = false
		for _, l := range c.literals {
			near := min(get(l, l.Head), get(l, l.Tail)) + 1
			for _, t := range []lang.Term{l.Head, l.Tail} {
				if t.Kind == lang.Variable && near < get(l, t) {
					at[key(l, t)] = near
					changed = true
				}
			}
		}
	}
	for _, l := range c.literals {
		c.distance = append(c.distance, min(get(l, l.Head), get(l, l.Tail)))
	}
}

// order returns the literals of each SCQ, SCQs and literals in canonical order.
func (c *canon) order() [][]int {
	colours := make([]int, len(c.nodes))
	c.search(c.refine(colours))
	return c.group(c.bestSeq)
}

// refine splits colour classes by the colours of their neighbours until no
// class splits. Colours are ranks, so they do not depend on the input's order.
func (c *canon) refine(colours []int) []int {
	near := make([][]seen, len(c.nodes))
	for i := range c.nodes {
		near[i] = make([]seen, len(c.nodes[i].links))
	}
	order := make([]int, len(c.nodes))
	for i := range order {
		order[i] = i
	}
	compare := func(a, b int) int {
		x, y := &c.nodes[a], &c.nodes[b]
		return cmp.Or(cmp.Compare(colours[a], colours[b]), cmp.Compare(x.kind, y.kind), cmp.Compare(x.fixed, y.fixed),
			slices.CompareFunc(near[a], near[b], seen.compare))
	}
	for classes := -1; ; {
		c.budget -= c.links
		for i, n := range c.nodes {
			for j, l := range n.links {
				near[i][j] = seen{l.role, colours[l.to]}
			}
			slices.SortFunc(near[i], seen.compare)
		}
		slices.SortFunc(order, compare)
		next := make([]int, len(c.nodes))
		distinct := 0
		for i, node := range order {
			if i > 0 && compare(order[i-1], node) != 0 {
				distinct++
			}
			next[node] = distinct
		}
		colours = next
		if distinct == classes {
			return colours
		}
		classes = distinct
	}
}

// seen is what a node sees along one of its links.
type seen struct {
	role   byte
	colour int
}

func (a seen) compare(b seen) int {
	return cmp.Or(cmp.Compare(a.role, b.role), cmp.Compare(a.colour, b.colour))
}

// search individualizes each of the literals of the first tie in turn, as far as the
// budget allows, and keeps the order whose text is least.
func (c *canon) search(colours []int) {
	tied := c.firstTie(colours)
	if tied == nil || c.budget <= 0 {
		c.leaf(colours)
		return
	}
	tried := map[string]bool{}
	for _, i := range tied {
		if c.budget <= 0 && c.bestSeq != nil {
			return
		}
		// One of twins is enough: swapping them does not change the text.
		if tried[c.twins[i]] {
			continue
		}
		tried[c.twins[i]] = true
		// Doubling the colours leaves one free just below each class.
		next := make([]int, len(colours))
		for j, col := range colours {
			next[j] = 2*col + 1
		}
		next[i]--
		c.search(c.refine(next))
	}
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

// leaf compares the order that the colours give with the best so far. Ties that are left
// keep the order of the input.
func (c *canon) leaf(colours []int) {
	seq := make([]int, len(c.literals))
	for i := range seq {
		seq[i] = i
	}
	slices.SortStableFunc(seq, func(a, b int) int {
		return cmp.Or(cmp.Compare(c.distance[a], c.distance[b]), cmp.Compare(colours[a], colours[b]))
	})
	b := &shapeBuilder{canon: c, shape: &Shape{}, constants: map[slotKey]int{}, relations: map[slotKey]int{}}
	for _, scq := range c.group(seq) {
		b.scq(scq)
	}
	if text := b.shape.text(); c.bestSeq == nil || text < c.best {
		c.best, c.bestSeq = text, seq
	}
}

// group splits an order of all literals by SCQ, SCQs by their first literal.
func (c *canon) group(seq []int) [][]int {
	var groups [][]int
	at := map[int]int{}
	for _, i := range seq {
		s := c.literals[i].scq
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
