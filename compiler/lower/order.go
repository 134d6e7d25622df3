package lower

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/efoc/efoc/lang/ast"
	"github.com/efoc/efoc/runtime/scq"
)

// Order returns a normal form whose disjuncts and literals are in an order that depends on the names of
// entities, relations and parameters, not on how the query is written. It drops disjuncts that equal an earlier
// one up to the order of their literals and the names of their existential variables. If the search for an
// order exceeds its bound, equal disjuncts may both be kept, which costs time but does not change the answer.
func Order(d *ast.DNF) *ast.DNF {
	type disjunct struct {
		ast.Disjunct
		text string
	}
	var disjuncts []disjunct
	for _, s := range d.Disjuncts {
		c := newCanon(&ast.DNF{Free: d.Free, Disjuncts: []ast.Disjunct{s}}, byName)
		order := c.order()
		o := disjunct{text: c.shape(order).named()}
		for _, i := range order[0] {
			o.Literals = append(o.Literals, c.literals[i].Literal)
		}
		disjuncts = append(disjuncts, o)
	}
	slices.SortStableFunc(disjuncts, func(a, b disjunct) int { return cmp.Compare(a.text, b.text) })
	disjuncts = slices.CompactFunc(disjuncts, func(a, b disjunct) bool { return a.text == b.text })
	out := &ast.DNF{Free: d.Free}
	for _, o := range disjuncts {
		out.Disjuncts = append(out.Disjuncts, o.Disjunct)
	}
	return out
}

// named returns the text of the shape with the names in its slots.
func (s *Shape) named() string {
	var b strings.Builder
	b.WriteString(scq.Text(s.Disjuncts))
	for _, t := range s.Constants {
		fmt.Fprintf(&b, ";%d%q", t.Kind, t.Name)
	}
	for _, f := range s.Filters {
		fmt.Fprintf(&b, ";%q", f.Text(""))
	}
	for _, r := range s.Relations {
		fmt.Fprintf(&b, ";%t%t%q", r.Param, r.Inverse, r.Name)
	}
	return b.String()
}
