package lower

import (
	"fmt"
	"slices"

	"github.com/efoc/efoc/lang/ast"
	"github.com/efoc/efoc/runtime/scq"
)

// Shape is a query without its names. Queries that differ only in constants, relations, or the order and naming
// of their parts have equal keys and share one plan.
//
// A slot is a position in the formula, not a name: two occurrences of the same entity have a slot each. A
// template parameter has one slot for all its uses, and so do the copies of an atom that distribution put into
// several disjuncts, unless their directions differ.
type Shape struct {
	// Key is the canonical text, such as "r1(s1,e1) & r2(e1,f)".
	Key string
	// Disjuncts are the query graphs.
	Disjuncts []scq.Disjunct
	// Variables holds the query's own names of each disjunct's variables, in the order of its query graph.
	Variables [][]string
	// Reversed says, for each atom of each disjunct, that the query has it in the other direction: r^-1(tail,
	// head). It is nil for a disjunct without such atoms.
	Reversed [][]bool
	// Constants, Relations and Filters hold the contents of the constant, relation and filter slots.
	Constants []ast.Term
	Relations []ast.Relation
	Filters   []ast.Condition
}

// NewShape returns the shape of a query in normal form. If the shape leaves the order of literals open, the
// normal form decides: after Order, a query fills the slots in the same way however it is written.
func NewShape(d *ast.DNF) *Shape {
	c := newCanon(d, bySite)
	s := c.shape(c.order())
	s.Key = scq.Text(s.Disjuncts)
	return s
}

// Unnamed returns the shape with the given query graphs, whose slots are parameters s1, s2, … and r1, r2, … or
// filters p1, p2, …. It compiles to the same plan as any query of that shape.
func Unnamed(graphs []scq.Disjunct) *Shape {
	s := &Shape{Key: scq.Text(graphs), Disjuncts: graphs, Reversed: make([][]bool, len(graphs))}
	constants := 0
	relations := 0
	filters := 0
	for _, g := range graphs {
		s.Variables = append(s.Variables, g.Variables)
		for _, a := range g.Atoms {
			relations = max(relations, a.Relation+1)
		}
		for _, t := range g.Terms() {
			if t.Constant {
				constants = max(constants, t.Index+1)
			}
		}
		for _, f := range g.Filters {
			filters = max(filters, f.Slot+1)
		}
	}
	for i := range constants {
		s.Constants = append(s.Constants, ast.Term{Kind: ast.Parameter, Name: fmt.Sprintf("s%d", i+1)})
	}
	for i := range relations {
		s.Relations = append(s.Relations, ast.Relation{Name: fmt.Sprintf("r%d", i+1), Param: true})
	}
	for i := range filters {
		s.Filters = append(s.Filters, ast.Condition{Attribute: fmt.Sprintf("p%d", i+1)})
	}
	return s
}

// shape numbers slots and variables in the order of the literals of each disjunct.
func (c *canon) shape(order [][]int) *Shape {
	b := &shapeBuilder{canon: c, shape: &Shape{}, constants: map[slotKey]int{}, relations: map[slotKey]int{}, filters: map[slotKey]int{}}
	for _, literals := range order {
		b.disjunct(literals)
	}
	return b.shape
}

// shapeBuilder is the state of numbering a shape.
type shapeBuilder struct {
	*canon
	shape                         *Shape
	constants, relations, filters map[slotKey]int
}

func (b *shapeBuilder) disjunct(literals []int) {
	g := scq.Disjunct{Variables: []string{"f"}}
	names := []string{b.free}
	vars := map[string]int{b.free: 0}
	var reversed []bool
	for _, i := range literals {
		l := b.literals[i]
		term := func(t ast.Term, key slotKey) scq.Term {
			if t.Kind != ast.Variable {
				return scq.Const(slotOf(b.constants, key, func() {
					b.shape.Constants = append(b.shape.Constants, t)
				}))
			}
			v, ok := vars[t.Name]
			if !ok {
				v = len(names)
				vars[t.Name] = v
				names = append(names, t.Name)
				g.Variables = append(g.Variables, fmt.Sprintf("e%d", v))
			}
			return scq.Var(v)
		}
		if l.Kind == ast.FilterAtom {
			slot := slotOf(b.filters, l.relation, func() { b.shape.Filters = append(b.shape.Filters, l.Condition) })
			g.Filters = append(g.Filters, scq.Filter{Slot: slot, Variable: term(l.Head, l.head).Index})
			continue
		}
		reversed = append(reversed, l.Reversed)
		if l.Kind == ast.SameAtom {
			g.Atoms = append(g.Atoms, scq.NewUnequal(term(l.Head, l.head), term(l.Tail, l.tail)))
			continue
		}
		relation := slotOf(b.relations, l.relation, func() {
			b.shape.Relations = append(b.shape.Relations, l.Relation)
		})
		g.Atoms = append(g.Atoms, scq.Atom{
			Relation: relation, Head: term(l.Head, l.head), Tail: term(l.Tail, l.tail), Negated: l.Negated,
		})
	}
	if !slices.Contains(reversed, true) {
		reversed = nil
	}
	b.shape.Disjuncts = append(b.shape.Disjuncts, g)
	b.shape.Variables = append(b.shape.Variables, names)
	b.shape.Reversed = append(b.shape.Reversed, reversed)
}

// slotOf returns the slot of a key, and numbers a new key.
func slotOf(slots map[slotKey]int, k slotKey, add func()) int {
	i, ok := slots[k]
	if !ok {
		i = len(slots)
		slots[k] = i
		add()
	}
	return i
}
