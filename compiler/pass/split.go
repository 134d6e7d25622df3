package pass

import (
	"fmt"

	"github.com/efoc/efoc/compiler/ir"
)

// Fixed lists the slots that a template fills itself, rather than its caller.
type Fixed struct {
	Constants, Relations []bool
}

// String lists the fixed slots, "" for nil.
func (f *Fixed) String() string {
	if f == nil {
		return ""
	}
	return fmt.Sprint(f.Constants, f.Relations)
}

// Split splits a plan into the part that depends only on fixed slots, run when the query is bound, and the
// rest, run for each answer, which reads the values that the first part keeps:
//
//	v1 = score v0              bind:    v1 = score v0
//	v2 = softmax v1                     v2 = softmax v1
//	v3 = mul v2 v9                      keep v2
//	                       ->  answer:  v0 = keptvec #0
//	                                    v1 = mul v0 v7
//
// It returns a nil bind plan if nothing that makes a sweep of the table is fixed. It must run before
// FuseSweeps, which optimises each part separately and shows whether the split saves a sweep.
func Split(p *ir.Plan, fixed Fixed) (bind, answer *ir.Plan) {
	s := &splitter{fixed: map[*ir.Value]bool{}, kept: map[*ir.Value]*ir.Value{}}
	sweeps := false
	for _, v := range p.Values {
		if s.isFixed(v, fixed) {
			s.fixed[v] = true
			sweeps = sweeps || v.Op.Info().Sweeps > 0
		}
	}
	if !sweeps {
		return nil, p
	}
	bind = &ir.Plan{Shape: p.Shape, Constants: p.Constants, Relations: p.Relations, Filters: p.Filters, Layers: p.Layers}
	answer = &ir.Plan{
		Shape: p.Shape, Constants: p.Constants, Relations: p.Relations, Filters: p.Filters,
		Layers: p.Layers, Answer: p.Answer, Sets: p.Sets,
	}
	for _, v := range p.Values {
		if s.fixed[v] {
			bind.Values = append(bind.Values, v)
			continue
		}
		for i, a := range v.Args {
			v.Args[i] = s.cross(a, bind, answer)
		}
		answer.Values = append(answer.Values, v)
	}
	answer.Answer = s.cross(answer.Answer, bind, answer)
	for i := range answer.Sets {
		answer.Sets[i].Value = s.cross(answer.Sets[i].Value, bind, answer)
	}
	answer.Values = append(s.reads, answer.Values...)
	PruneDead.Run(bind)
	return bind, answer
}

type splitter struct {
	fixed              map[*ir.Value]bool
	kept               map[*ir.Value]*ir.Value // by kept value
	reads              []*ir.Value
	vectors, embedding int
}

// isFixed reports whether a value depends only on fixed slots and can be kept. Truth degrees cannot, but their
// rows are kept anyway. Attribute values of entities may change, and with them the entities that meet a filter.
func (s *splitter) isFixed(v *ir.Value, fixed Fixed) bool {
	info := v.Op.Info()
	if info.Result != ir.Entities && info.Result != ir.Embedding {
		return false
	}
	if info.Filter || info.Const && !fixed.Constants[v.Const] || info.Rel && !fixed.Relations[v.Rel] {
		return false
	}
	for _, a := range v.Args {
		if !s.fixed[a] {
			return false
		}
	}
	return true
}

// cross returns the operand that the answering part reads for a value: the value itself, or its kept copy. The
// embedding of a constant is read from the table.
func (s *splitter) cross(v *ir.Value, bind, answer *ir.Plan) *ir.Value {
	if !s.fixed[v] {
		return v
	}
	if read, ok := s.kept[v]; ok {
		return read
	}
	read := &ir.Value{Note: v.Note, Origin: v.Origin}
	switch {
	case v.Op == ir.Entity:
		read.Op = ir.Entity
		read.Const = v.Const
	case v.Space() == ir.Embedding:
		read.Op = ir.KeptEmb
		read.Index = s.embedding
		s.embedding++
		bind.Keeps = append(bind.Keeps, v)
	default:
		read.Op = ir.KeptVec
		read.Index = s.vectors
		s.vectors++
		bind.Keeps = append(bind.Keeps, v)
	}
	s.kept[v] = read
	s.reads = append(s.reads, read)
	return read
}
