package interpreted

import (
	"github.com/efoc/efoc/compiler/alloc"
	"github.com/efoc/efoc/compiler/ir"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/fit"
)

// registers numbers the values that are no vectors or embeddings: the machine of
// truth degrees keeps them.
func (x *Program) registers(p *ir.Plan, b *alloc.Buffers) {
	for _, v := range p.Values {
		if s := v.Space(); s != ir.Entities && s != ir.Embedding {
			b.Slot[v] = x.degrees
			x.degrees++
		}
	}
}

// start starts a run of a plan that has such values.
func (x *Program) start(w *runtime.Workspace) {
	f := fit.Start(w)
	for len(f.Registers) < x.degrees {
		f.Registers = append(f.Registers, nil)
	}
}

// makeRows runs the ops that make rows, alone or in one pass.
func (s *step) makeRows(w *runtime.Workspace) {
	f := fit.In(w)
	for i := range s.sweep {
		switch r := &s.sweep[i]; r.op {
		case ir.Row:
			r.setTo(w, f.Row(w.Constant(r.constant), w.Relation(r.relation), r.direction, r.sign, r.index))
		case ir.Rows:
			r.setTo(w, f.Rows(w.Relation(r.relation), r.direction, r.sign, r.index, operandOf[*fit.Candidates](w, r, 0)))
		}
	}
	f.Make()
}

// setTo keeps the result of a step.
func (s *step) setTo(w *runtime.Workspace, x any) { fit.In(w).Registers[s.dst] = x }

// operandOf returns operand i, of a type that the plan's verification ensures.
func operandOf[T any](w *runtime.Workspace, s *step, i int) T {
	return fit.In(w).Registers[s.args[i].buffer].(T)
}

func (s *step) set(w *runtime.Workspace, i int) *fit.Set { return operandOf[*fit.Set](w, s, i) }

// operandSets and operandRows return the operands from the first on.
func (s *step) operandSets(w *runtime.Workspace, first int) []*fit.Set {
	list := fit.In(w).Sets(len(s.args) - first)
	for i := range list {
		list[i] = s.set(w, first+i)
	}
	return list
}

func (s *step) operandRows(w *runtime.Workspace, first int) []*fit.RowSet {
	list := fit.In(w).RowSets(len(s.args) - first)
	for i := range list {
		list[i] = operandOf[*fit.RowSet](w, s, first+i)
	}
	return list
}

// runs reports whether there is a call for a value.
func runs(v *ir.Value) bool {
	switch {
	case v.Op.Info().Rows:
		return true
	case v.Sweep > 0:
		return parts[v.Op] != nil
	}
	return calls[v.Op] != nil
}
