package gogen

import (
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/efoc/efoc/compiler/alloc"
	"github.com/efoc/efoc/compiler/ir"
)

// emitter prints the values of one plan. Vectors are v0, v1, …, embeddings
// x0, x1, …, slots s1, … and r1, …, as in plan text.
type emitter struct {
	plan    *ir.Plan
	buffers *alloc.Buffers
	degrees map[*ir.Value]string // variables that hold what truth degrees are made of
}

func newEmitter(p *ir.Plan, b *alloc.Buffers) *emitter {
	return &emitter{plan: p, buffers: b, degrees: degreeNames(p)}
}

// locals prints a variable for every slot and buffer that the plan reads.
func (e *emitter) locals(b *jen.Group) {
	constants, relations := make([]bool, e.plan.Constants), make([]bool, e.plan.Relations)
	for _, v := range e.plan.Values {
		info := v.Op.Info()
		if info.Const {
			constants[v.Const] = true
		}
		if info.Rel {
			relations[v.Rel] = true
		}
	}
	declare := func(prefix string, first, n int, used func(i int) bool, method string) {
		var left, right []jen.Code
		for i := range n {
			if used(i) {
				left = append(left, jen.Id(fmt.Sprint(prefix, i+first)))
				right = append(right, jen.Id("w").Dot(method).Call(jen.Lit(i)))
			}
			if len(left) == 5 || i == n-1 && len(left) > 0 { // a line of them
				b.List(left...).Op(":=").List(right...)
				left, right = nil, nil
			}
		}
	}
	always := func(int) bool { return true }
	declare("s", 1, len(constants), func(i int) bool { return constants[i] }, "Constant")
	declare("r", 1, len(relations), func(i int) bool { return relations[i] }, "Relation")
	declare("v", 0, e.buffers.Vectors, always, "Vector")
	declare("x", 0, e.buffers.Embeddings, always, "Embedding")
	if len(e.degrees) > 0 {
		b.Id("f").Op(":=").Qual(fitPath, "Start").Call(jen.Id("w"))
	}
	for _, v := range e.plan.Values {
		if v.Sweep > 0 && !makesRows(v) {
			b.Var().Id("sweep").Op("*").Qual(runtimePath, "Sweep")
			break
		}
	}
}

// ref prints the variable or view that holds a value.
func (e *emitter) ref(v *ir.Value) jen.Code {
	switch v.Op {
	case ir.Entity:
		return jen.Id("w").Dot("Entity").Call(e.constant(v))
	case ir.KeptVec:
		return jen.Id("w").Dot("KeptVector").Call(jen.Lit(v.Index))
	case ir.KeptEmb:
		return jen.Id("w").Dot("KeptEmbedding").Call(jen.Lit(v.Index))
	}
	if name, ok := e.degrees[v]; ok {
		return jen.Id(name)
	}
	prefix := "v"
	if v.Space() == ir.Embedding {
		prefix = "x"
	}
	return jen.Id(fmt.Sprint(prefix, e.buffers.Slot[v]))
}

func (e *emitter) constant(v *ir.Value) jen.Code { return jen.Id(fmt.Sprint("s", v.Const+1)) }

func (e *emitter) relation(v *ir.Value) jen.Code { return jen.Id(fmt.Sprint("r", v.Rel+1)) }

func direction(v *ir.Value) jen.Code {
	if v.Backward {
		return jen.Qual(runtimePath, "Backward")
	}
	return jen.Qual(runtimePath, "Forward")
}

func sign(v *ir.Value) jen.Code {
	if v.Negated {
		return jen.Qual(runtimePath, "Negated")
	}
	return jen.Qual(runtimePath, "Positive")
}

// shadow prints the vector in which a guess keeps its factors.
func (e *emitter) shadow(g *ir.Value) jen.Code { return jen.Id(fmt.Sprint("v", e.buffers.Shadow[g])) }

// sweep prints a pass over the table that several values share.
func (e *emitter) sweep(b *jen.Group, values []*ir.Value) {
	b.Id("sweep").Op("=").Id("w").Dot("Sweep").Call()
	for _, v := range values {
		args := []jen.Code{e.ref(v)}
		if v.Op == ir.Guess {
			args = append(args, e.shadow(v))
		}
		for _, a := range v.Args {
			args = append(args, e.ref(a))
		}
		info := v.Op.Info()
		if info.Rel {
			args = append(args, e.relation(v))
		}
		if info.Neg {
			args = append(args, sign(v))
		}
		b.Id("sweep").Dot(methods[v.Op]).Call(args...)
	}
	b.If(jen.Err().Op(":=").Id("sweep").Dot("Run").Call(), jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Err()))
}

// methods are the names of the runtime's ops.
var methods = map[ir.Op]string{
	ir.OneHot: "OneHot", ir.Neighbors: "Neighbors", ir.LoopScore: "LoopScore", ir.Loops: "Loops",
	ir.Project: "Project", ir.Score: "Score", ir.Softmax: "Softmax", ir.Traverse: "Traverse",
	ir.Complement: "Complement", ir.Normalize: "Normalize", ir.Blend: "Blend", ir.Mul: "Mul",
	ir.Embed: "Embed", ir.Guess: "Guess", ir.Correct: "Correct", ir.Cosine: "Cosine", ir.Mix: "Mix", ir.ScaleMax: "ScaleMax",
	ir.ScaleSum: "ScaleSum", ir.Max: "Max",
}

// value prints the call that computes a value: destination, operands, slots and
// flags in the order of the op table. Ops of many operands are computed pair by
// pair.
func (e *emitter) value(b *jen.Group, v *ir.Value) {
	if alloc.Unbuffered(v) {
		return // read where it is used
	}
	if method, ok := degreeMethods[v.Op]; ok {
		e.degree(b, v, method)
		return
	}
	if v.Op == ir.Correct {
		if len(v.Args) == 2 {
			b.Id("w").Dot("Correct").Call(e.ref(v), e.ref(v.Args[0]), e.shadow(v.Args[1]))
		} else {
			b.Id("w").Dot("Correct2").Call(e.ref(v), e.ref(v.Args[0]), e.shadow(v.Args[1]), e.ref(v.Args[2]), e.shadow(v.Args[2]))
		}
		return
	}
	if v.Op == ir.Embed {
		b.If(jen.Err().Op(":=").Id("w").Dot("Err").Call(), jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Err()))
	}
	info := v.Op.Info()
	args := []jen.Code{e.ref(v)}
	for _, a := range v.Args[:len(info.Args)] {
		args = append(args, e.ref(a))
	}
	args = append(args, e.attributes(v)...)
	b.Id("w").Dot(methods[v.Op]).Call(args...)
	for _, a := range v.Args[len(info.Args):] {
		b.Id("w").Dot(methods[v.Op]).Call(e.ref(v), e.ref(v), e.ref(a))
	}
}

// attributes prints the slots and flags of a value, in the order of the op table.
func (e *emitter) attributes(v *ir.Value) []jen.Code {
	info := v.Op.Info()
	var args []jen.Code
	if info.Const {
		args = append(args, e.constant(v))
	}
	if info.Rel {
		args = append(args, e.relation(v))
	}
	if info.Dir {
		args = append(args, direction(v))
	}
	if info.Neg {
		args = append(args, sign(v))
	}
	return args
}

// paragraph prints the values of a group.
func (e *emitter) paragraph(b *jen.Group, values []*ir.Value) {
	if values[0].Sweep > 0 && !makesRows(values[0]) {
		e.sweep(b, values)
		return
	}
	for _, v := range values {
		e.value(b, v)
	}
	if makesRows(values[0]) {
		b.If(jen.Err().Op(":=").Id("f").Dot("Make").Call(), jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Err()))
	}
}

// heading says what a group computes.
func (e *emitter) heading(values []*ir.Value) string {
	if s := values[0].Sweep; s > 0 {
		what := ""
		if makesRows(values[0]) {
			what = ", for rows that are not kept"
		}
		return fmt.Sprintf("pass %d over the entity table%s", s, what)
	}
	for _, v := range values {
		if v.Note != "" {
			return v.Note
		}
	}
	return "messages for the next pass"
}
