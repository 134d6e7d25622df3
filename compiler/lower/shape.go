package lower

import (
	"fmt"
	"strings"

	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime"
)

// Shape is a query without its names. Queries that differ only in constants,
// relations, or the order and naming of their parts have equal keys and share one
// plan.
//
// Slots stand for places in the formula, not for names: two places that name
// the same entity have a slot each, while a template parameter has one slot
// however often it is used, and so have the copies of an atom that distribution
// put into several disjuncts.
type Shape struct {
	// Key is the canonical text, such as "r1(s1,e1) & r2(e1,f)".
	Key string
	// SCQs are the query graphs, one a disjunct.
	SCQs []Graph
	// Constants holds what fills each constant slot, Relations each relation slot.
	Constants []lang.Term
	Relations []lang.Relation
}

// Graph is the query graph of one SCQ: a multigraph of terms and signed,
// directed edges.
type Graph struct {
	// Variables are the variables of the SCQ: the free one first, then the
	// existential ones e1, e2, ….
	Variables []Variable
	// Edges are the atoms in canonical order.
	Edges []Edge
}

// Variable is a variable of an SCQ.
type Variable struct {
	// Name is the canonical name: f, e1, e2, ….
	Name string
	// Source is the name in the query.
	Source string
}

// Edge is an atom of the query graph.
type Edge struct {
	// Relation is a relation slot.
	Relation   int
	Head, Tail runtime.PatternTerm
	Negated    bool
}

// Depth returns D, the number of variables of the SCQ.
func (g *Graph) Depth() int { return len(g.Variables) }

// TermName returns the canonical name of a term: s1, e1, f, ….
func (g *Graph) TermName(t runtime.PatternTerm) string {
	if t.Constant {
		return fmt.Sprintf("s%d", t.Index+1)
	}
	return g.Variables[t.Index].Name
}

// EdgeText returns the atom in canonical text: !r2(e1,f).
func (g *Graph) EdgeText(e Edge) string {
	sign := ""
	if e.Negated {
		sign = "!"
	}
	return fmt.Sprintf("%sr%d(%s,%s)", sign, e.Relation+1, g.TermName(e.Head), g.TermName(e.Tail))
}

// Pattern returns the query graph as the runtime matches it.
func (g *Graph) Pattern() runtime.Pattern {
	var p runtime.Pattern
	for _, v := range g.Variables {
		p.Variables = append(p.Variables, v.Name)
	}
	for _, e := range g.Edges {
		p.Atoms = append(p.Atoms, runtime.PatternAtom{
			Relation: e.Relation, Head: e.Head, Tail: e.Tail, Negated: e.Negated,
		})
	}
	return p
}

// NewShape returns the shape of a query.
func NewShape(d *lang.DNF) *Shape { return newShape(newCanon(d, bySite)) }

func newShape(c *canon) *Shape {
	order := c.order()
	b := &shapeBuilder{canon: c, shape: &Shape{}, constants: map[slotKey]int{}, relations: map[slotKey]int{}}
	for _, scq := range order {
		b.scq(scq)
	}
	b.shape.Key = b.shape.text()
	return b.shape
}

// text renders the shape: disjuncts joined by |, atoms by &.
func (s *Shape) text() string {
	var scqs []string
	for i := range s.SCQs {
		g := &s.SCQs[i]
		var atoms []string
		for _, e := range g.Edges {
			atoms = append(atoms, g.EdgeText(e))
		}
		scqs = append(scqs, strings.Join(atoms, " & "))
	}
	return strings.Join(scqs, " | ")
}

// shapeBuilder numbers slots and variables in canonical order.
type shapeBuilder struct {
	*canon
	shape                *Shape
	constants, relations map[slotKey]int
}

func (b *shapeBuilder) scq(literals []int) {
	free := Variable{Name: "f", Source: b.dnf.Free}
	g := Graph{Variables: []Variable{free}}
	vars := map[string]int{b.dnf.Free: 0}
	for _, i := range literals {
		l := b.literals[i]
		e := Edge{Negated: l.Negated}
		e.Relation = slotOf(b.relations, l.relation, func() {
			b.shape.Relations = append(b.shape.Relations, l.Relation)
		})
		term := func(t lang.Term, key slotKey) runtime.PatternTerm {
			if t.Kind != lang.Variable {
				return runtime.Const(slotOf(b.constants, key, func() {
					b.shape.Constants = append(b.shape.Constants, t)
				}))
			}
			v, ok := vars[t.Name]
			if !ok {
				v = len(g.Variables)
				vars[t.Name] = v
				g.Variables = append(g.Variables, Variable{Name: fmt.Sprintf("e%d", v), Source: t.Name})
			}
			return runtime.Var(v)
		}
		e.Head = term(l.Head, l.head)
		e.Tail = term(l.Tail, l.tail)
		g.Edges = append(g.Edges, e)
	}
	b.shape.SCQs = append(b.shape.SCQs, g)
}

// slotOf returns the slot of a key, numbering a new one.
func slotOf(slots map[slotKey]int, k slotKey, add func()) int {
	i, ok := slots[k]
	if !ok {
		i = len(slots)
		slots[k] = i
		add()
	}
	return i
}
