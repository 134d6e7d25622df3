package interpreted

import (
	"github.com/efoc/efoc/compiler/alloc"
	"github.com/efoc/efoc/compiler/ir"
	"github.com/efoc/efoc/runtime/fit"
	"github.com/efoc/efoc/runtime/plan"
)

// number numbers the values that are neither vectors nor embeddings; they live in the registers of the
// truth-degree machine.
func (x *Program) number(p *ir.Plan, b *alloc.Buffers) {
	for _, v := range p.Values {
		if s := v.Space(); s != ir.Entities && s != ir.Embedding {
			b.Number[v] = x.registers
			x.registers++
		}
	}
}

// start initialises the registers for a run.
func (x *Program) start(w *plan.Workspace) {
	f := w.StartDegrees()
	for len(f.Registers) < x.registers {
		f.Registers = append(f.Registers, fit.Register{})
	}
}

// result returns the register for the result of a step.
func (c call) result() *fit.Register { return &c.Degrees().Registers[c.dst] }

// operand holds operand i of truth degrees; the plan's verification ensures its type.
func (c call) operand(i int) *fit.Register { return &c.Degrees().Registers[c.registers[i]] }

func (c call) set(i int) *fit.Set { return c.operand(i).Set }

// sets and bands return the operands from index first on, as fuzzy sets or sets of rows.
func (c call) sets(first int) []*fit.Set {
	list := c.Degrees().Sets(len(c.registers) - first)
	for i := range list {
		list[i] = c.set(first + i)
	}
	return list
}

func (c call) bands(first int) []*fit.AtomRows {
	list := c.Degrees().AtomRows(len(c.registers) - first)
	for i := range list {
		list[i] = c.operand(first + i).Rows
	}
	return list
}
