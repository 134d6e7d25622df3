package cugen

import (
	"fmt"

	"github.com/efoc/efoc/compiler/ir"
)

// sum returns an expression for the sum of a vector, and prints the numbers that it needs.
func (p *program) sum(x *ir.Value, done map[*ir.Value]bool) string {
	switch x.Op {
	case ir.Share:
		return "1.f"
	case ir.Neighbors:
		return p.row(x, done) + ".size()"
	case ir.Complement:
		return fmt.Sprintf("complement_sum(%s.size(), q.input->alpha, t.n, q.input->epsilon)", p.row(x.Args[0], done))
	case ir.Cut:
		return fmt.Sprintf("normalize(%[1]s, %[1]s, q.input->epsilon)", p.number(x.Args[1], done))
	}
	return fmt.Sprintf("blend(%s, %s, q.input->weight)", p.sum(x.Args[0], done), p.sum(x.Args[1], done))
}

// row prints the row of neighbours, unless already done, and returns its name.
func (p *program) row(v *ir.Value, done map[*ir.Value]bool) string {
	name := fmt.Sprintf("row%d", p.places[v].id)
	if !done[v] {
		p.printf("    const Tails %s = neighbor_row(t, %d, %d, %s);\n", name, v.Const, v.Rel, direction(v))
		done[v] = true
	}
	return name
}

// number prints a number, unless already done, and returns its name.
func (p *program) number(v *ir.Value, done map[*ir.Value]bool) string {
	name := p.numberName(v)
	if done[v] {
		return name
	}
	done[v] = true
	if known(v) {
		p.printf("    const float %s = %s;\n", name, p.sum(v.Args[0], done))
	} else {
		p.printf("    %s;\n", p.stat(v, statTexts[v.Op].all))
	}
	return name
}

// numberName returns the name of a number; a known sum is named after its vector.
func (p *program) numberName(v *ir.Value) string {
	if known(v) {
		return fmt.Sprint("sum", p.places[v.Args[0]].id)
	}
	return fmt.Sprint("all", p.places[v].stat)
}
