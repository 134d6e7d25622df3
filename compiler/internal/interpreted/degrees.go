package interpreted

import (
	"github.com/efoc/efoc/compiler/alloc"
	"github.com/efoc/efoc/compiler/ir"
	"github.com/efoc/efoc/runtime/fit"
	"github.com/efoc/efoc/runtime/query"
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
func (x *Program) start(w *query.Workspace) {
	f := w.StartDegrees()
	for len(f.Registers) < x.degrees {
		f.Registers = append(f.Registers, fit.Register{})
	}
}

// makeRows runs the ops that make rows, alone or in one pass.
func (s *step) makeRows(w *query.Workspace) {
	f := w.Degrees()
	for i := range s.sweep {
		switch r := &s.sweep[i]; r.op {
		case ir.Row:
			r.result(w).Set = f.Row(w.Constant(r.constant), w.Relation(r.relation), r.direction, r.sign, r.index)
		case ir.Rows:
			r.result(w).Rows = f.Rows(w.Relation(r.relation), r.direction, r.sign, r.index, r.operand(w, 0).Candidates)
		}
	}
	f.Make()
}

// result is where the result of a step goes.
func (s *step) result(w *query.Workspace) *fit.Register { return &w.Degrees().Registers[s.dst] }

// operand holds operand i; the plan's verification ensures its type.
func (s *step) operand(w *query.Workspace, i int) *fit.Register {
	return &w.Degrees().Registers[s.args[i].buffer]
}

func (s *step) set(w *query.Workspace, i int) *fit.Set { return s.operand(w, i).Set }

// operandSets and operandRows return the operands from the first on.
func (s *step) operandSets(w *query.Workspace, first int) []*fit.Set {
	list := w.Degrees().Sets(len(s.args) - first)
	for i := range list {
		list[i] = s.set(w, first+i)
	}
	return list
}

func (s *step) operandRows(w *query.Workspace, first int) []*fit.RowSet {
	list := w.Degrees().RowSets(len(s.args) - first)
	for i := range list {
		list[i] = s.operand(w, first+i).Rows
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
