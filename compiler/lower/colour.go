package lower

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/efoc/efoc/lang/ast"
)

// colourGraph is the graph whose colours are refined. Its nodes are the literals, in order, followed by the
// variables, slots and disjuncts that literals share.
type colourGraph struct {
	nodes []node
	links int // number of links of all nodes, visited in each round of refinement
}

// The kinds of nodes.
const (
	literalNode  byte = 'l'
	disjunctNode byte = 'd'
	relationNode byte = 'r'
	constantNode byte = 'c' // or a condition
	variableNode byte = 'v'
)

// node is a vertex of a colourGraph.
type node struct {
	kind byte
	// fixed is the initial colour: of a link 1 if negated, of an inequality or filter 2, of a variable 1 if free, of a
	// slot its name's rank if names count.
	fixed int
	links []link
}

// link is an edge of a colourGraph; role distinguishes a head from a tail.
type link struct {
	role byte
	to   int
}

// The roles of links.
const (
	asDisjunct byte = 's'
	asRelation byte = 'r'
	asHead     byte = 'h'
	asTail     byte = 't'
	asOther    byte = 'u' // a term of an inequality, or the variable or condition of a filter
)

// part identifies a node that literals can share.
type part struct {
	kind     byte
	slot     slotKey // of a relation, condition or constant
	disjunct int     // of a disjunct or variable
	name     string  // of a variable
}

// newColourGraph links each literal with its disjunct, its relation or condition, and its terms. ranks ranks the slots
// if names count; otherwise it is nil.
func newColourGraph(literals []canonLiteral, free string, ranks map[slotKey]int) *colourGraph {
	g := &colourGraph{}
	for _, l := range literals {
		fixed := 2
		if l.Kind == ast.LinkAtom {
			fixed = truth(l.Negated)
		}
		g.nodes = append(g.nodes, node{kind: literalNode, fixed: fixed})
	}
	at := map[part]int{}
	join := func(literal int, role byte, p part, fixed int) {
		i, ok := at[p]
		if !ok {
			i = len(g.nodes)
			at[p] = i
			g.nodes = append(g.nodes, node{kind: p.kind, fixed: fixed})
		}
		g.nodes[literal].links = append(g.nodes[literal].links, link{role, i})
		g.nodes[i].links = append(g.nodes[i].links, link{role, literal})
	}
	for i, l := range literals {
		end := func(role byte, t ast.Term, slot slotKey) {
			if t.Kind == ast.Variable {
				join(i, role, part{kind: variableNode, disjunct: l.disjunct, name: t.Name}, truth(t.Name == free))
			} else {
				join(i, role, part{kind: constantNode, slot: slot}, ranks[slot])
			}
		}
		join(i, asDisjunct, part{kind: disjunctNode, disjunct: l.disjunct}, 0)
		switch l.Kind {
		case ast.LinkAtom:
			join(i, asRelation, part{kind: relationNode, slot: l.relation}, ranks[l.relation])
			end(asHead, l.Head, l.head)
			end(asTail, l.Tail, l.tail)
		case ast.SameAtom:
			end(asOther, l.Head, l.head)
			end(asOther, l.Tail, l.tail)
		case ast.FilterAtom:
			end(asOther, l.Head, l.head)
			join(i, asOther, part{kind: constantNode, slot: l.relation}, ranks[l.relation])
		}
	}
	for _, n := range g.nodes {
		g.links += 1 + len(n.links)
	}
	return g
}

// truth converts true to 1 and false to 0.
func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}

// twins returns, for each literal, a text of its neighbours: the number of a shared node, the initial colour of
// an unshared one. Literals with equal texts are twins: they differ only in unshared nodes, as r(a,y) and
// s(b,y) do, so swapping them is an automorphism of the graph.
func (g *colourGraph) twins(literals int) []string {
	twins := make([]string, literals)
	for i := range twins {
		var near []string
		for _, l := range g.nodes[i].links {
			what := fmt.Sprint(l.to)
			if n := &g.nodes[l.to]; len(n.links) == 1 {
				what = fmt.Sprintf("own %c%d", n.kind, n.fixed)
			}
			near = append(near, fmt.Sprintf("%c%s", l.role, what))
		}
		twins[i] = fmt.Sprintf("%d:%s", g.nodes[i].fixed, strings.Join(near, ","))
	}
	return twins
}

// refine splits colour classes by the colours of their neighbours until no class splits, and returns the number
// of rounds. Colours are ranks, so they do not depend on the input order.
func (g *colourGraph) refine(colours []int) (refined []int, rounds int) {
	r := &refinement{graph: g, colours: colours, near: make([][]seen, len(g.nodes)), order: make([]int, len(g.nodes))}
	for i := range g.nodes {
		r.near[i] = make([]seen, len(g.nodes[i].links))
		r.order[i] = i
	}
	for classes := 0; ; {
		rounds++
		r.look()
		n := r.rank()
		if n == classes {
			return r.colours, rounds
		}
		classes = n
	}
}

// refinement is the state of refine.
type refinement struct {
	graph   *colourGraph
	colours []int
	// near holds the colours of each node's neighbours; order holds the nodes by colour.
	near  [][]seen
	order []int
}

// seen is the role of a link and the colour at its other end.
type seen struct {
	role   byte
	colour int
}

func (a seen) compare(b seen) int {
	return cmp.Or(cmp.Compare(a.role, b.role), cmp.Compare(a.colour, b.colour))
}

// look records the colours of each node's neighbours.
func (r *refinement) look() {
	for i, n := range r.graph.nodes {
		for j, l := range n.links {
			r.near[i][j] = seen{l.role, r.colours[l.to]}
		}
		slices.SortFunc(r.near[i], seen.compare)
	}
}

// rank gives different colours to nodes that differ in their own colour or their neighbours', and returns the
// number of colours.
func (r *refinement) rank() int {
	slices.SortFunc(r.order, r.compare)
	next := make([]int, len(r.order))
	colour := 0
	for i, node := range r.order {
		if i > 0 && r.compare(r.order[i-1], node) != 0 {
			colour++
		}
		next[node] = colour
	}
	r.colours = next
	return colour + 1
}

func (r *refinement) compare(a, b int) int {
	x := &r.graph.nodes[a]
	y := &r.graph.nodes[b]
	return cmp.Or(cmp.Compare(r.colours[a], r.colours[b]), cmp.Compare(x.kind, y.kind), cmp.Compare(x.fixed, y.fixed),
		slices.CompareFunc(r.near[a], r.near[b], seen.compare))
}
