package gogen

import (
	"cmp"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/dave/jennifer/jen"

	"github.com/efoc/efoc/codegen/internal/codegen"
	"github.com/efoc/efoc/compiler/alloc"
	"github.com/efoc/efoc/compiler/ir"
)

// emitter prints the values of one plan. Each is a variable; vectors and embeddings have a number, by which the
// runtime finds their buffers. Slots are named after the template's names.
type emitter struct {
	plan    *ir.Plan
	buffers *alloc.Buffers
	local   *localNames
	names   map[*ir.Value]string
	uses    map[*ir.Value]int // by other values and as results
	swept   bool              // a variable for sweeps is declared
	tiles   bool              // see ir.Plan.Tiled
}

func newEmitter(p *ir.Plan, n *localNames) *emitter {
	return &emitter{plan: p, buffers: alloc.Assign(p), local: n, names: valueNames(p, n), uses: p.Uses(), tiles: p.Tiled()}
}

// locals prints a variable for every slot that the plan reads.
func (e *emitter) locals(b *jen.Group) {
	declare := func(names []string, method string, reads func(v *ir.Value, slot int) bool) {
		for i, name := range names {
			if slices.ContainsFunc(e.plan.Values, func(v *ir.Value) bool { return reads(v, i) }) {
				b.Id(name).Op(":=").Id("w").Dot(method).Call(jen.Lit(i))
			}
		}
	}
	declare(e.local.constants, "Constant", func(v *ir.Value, slot int) bool {
		return v.Op.Info().Const && v.Op != ir.Entity && v.Const == slot
	})
	declare(e.local.relations, "Relation", func(v *ir.Value, slot int) bool { return v.Op.Info().Rel && v.Rel == slot })
	declare(e.local.filters, "Filter", func(v *ir.Value, slot int) bool { return v.Op.Info().Filter && v.Filter == slot })
	if e.tiles {
		b.Id("tiles").Op(":=").Id("w").Dot("Tiles").Call()
	}
	start := jen.Id("w").Dot("StartDegrees").Call()
	switch {
	case slices.ContainsFunc(e.plan.Values, byMachine):
		b.Id("deg").Op(":=").Add(start)
	case slices.ContainsFunc(e.plan.Values, func(v *ir.Value) bool { return v.Op.Info().Degrees }):
		b.Add(start)
	}
}

// ref prints the variable or view that holds a value.
func (e *emitter) ref(v *ir.Value) jen.Code {
	if v.Op == ir.Entity {
		return jen.Qual(codegen.PlanPath, "EntityEmb").Call(jen.Lit(v.Const))
	}
	return jen.Id(e.names[v])
}

// invocation is a call of a method of a local variable.
type invocation struct {
	receiver, method string
	args             []jen.Code
}

func (c invocation) code() *jen.Statement { return jen.Id(c.receiver).Dot(c.method).Call(c.args...) }

// wrapped prints the call after a prefix of the given width; if the line is too long, with each operand on its own line.
func (c invocation) wrapped(before int) *jen.Statement {
	call := c.code()
	if before+utf8.RuneCountInString(fmt.Sprintf("%#v", call)) > maxWidth {
		return jen.Id(c.receiver).Dot(c.method).Call(codegen.Lines(c.args...)...)
	}
	return call
}

// set prints the call that computes a value, and the variable that holds it.
func (e *emitter) set(b *jen.Group, v *ir.Value, c invocation) {
	call := c.wrapped(len("     := ") + utf8.RuneCountInString(e.names[v]))
	if e.uses[v] == 0 {
		b.Add(call)
		return
	}
	b.Add(e.ref(v)).Op(":=").Add(call)
}

// sweep prints a sweep of the table shared by several values.
func (e *emitter) sweep(b *jen.Group, values []*ir.Value) {
	assign := "="
	if !e.swept {
		assign = ":="
		e.swept = true
	}
	b.Id("sweep").Op(assign).Id("w").Dot("Sweep").Call()
	for _, v := range values {
		e.set(b, v, e.call(v, nil))
	}
	b.Id("sweep").Dot("Run").Call()
}

// loop prints a loop over tiles of the table that computes several values.
func (e *emitter) loop(b *jen.Group, values []*ir.Value) {
	var numbers []jen.Code
	for _, v := range values {
		kind := map[ir.Space]string{ir.Entities: "Vec", ir.Embedding: "Emb"}[v.Space()]
		numbers = append(numbers, jen.Add(e.ref(v)).Op("=").Qual(codegen.PlanPath, kind).Call(jen.Lit(e.buffers.Number[v])))
	}
	b.Const().Defs(numbers...)
	b.For(jen.Id("tiles").Dot("Next").Call()).BlockFunc(func(b *jen.Group) {
		for _, v := range values {
			b.Add(e.call(v, nil).wrapped(len("    ")))
		}
	})
}

// opMethod returns the name of the runtime's method for an op.
func opMethod(op ir.Op) string { return cmp.Or(op.Info().Method, codegen.Exported(op.String())) }

// call prints the call that computes a value: its number if it has a buffer, then operands and attributes; for
// an op of truth degrees, attributes come first. Operands in inner are nested calls.
func (e *emitter) call(v *ir.Value, inner map[*ir.Value]bool) invocation {
	c := invocation{"w", opMethod(v.Op), nil}
	switch {
	case e.byTiles(v):
		c.receiver = "tiles"
	case v.Sweep > 0:
		c.receiver = "sweep"
	case byMachine(v):
		c.receiver = "deg"
	}
	switch {
	case !alloc.HasBuffers(v.Space()):
	case e.tiles && v.Sweep > 0:
		c.args = append(c.args, e.ref(v))
	case v.Op == ir.Estimate:
		c.args = append(c.args, jen.Lit(e.buffers.Number[v]), jen.Lit(e.buffers.Weights[v]))
	default:
		c.args = append(c.args, jen.Lit(e.buffers.Number[v]))
	}
	operands := v.Args
	if scores, links := e.message(v); scores != nil && inner[v.Args[0]] && inner[v.Args[0].Args[0]] {
		c.method, operands = "Message", []*ir.Value{scores, links}
	} else if links := e.plan.Links(v); links != nil && !e.tiles {
		operands = append(slices.Clone(operands), links)
	}
	var printed []jen.Code
	for _, a := range operands {
		if inner[a] {
			printed = append(printed, e.call(a, inner).code())
		} else {
			printed = append(printed, e.ref(a))
		}
	}
	parts := [][]jen.Code{c.args, printed, e.attributes(v)}
	if v.Op.Info().Degrees {
		parts[1], parts[2] = parts[2], parts[1]
	}
	c.args = slices.Concat(parts...)
	return c
}

// byTiles reports whether a method of tiles computes a value.
func (e *emitter) byTiles(v *ir.Value) bool {
	switch v.Op {
	case ir.Neighbors, ir.Traverse, ir.Loops, ir.Correct:
		return e.tiles
	}
	return v.Op.Info().Tiles || e.tiles && v.Sweep > 0 && !makesRows(v)
}

// message returns the scores and links of a message N(2(1−w)·softmax(scores) + 2w·links) that can be computed
// by one call in one buffer; nil for other values.
func (e *emitter) message(v *ir.Value) (scores, links *ir.Value) {
	if v.Op != ir.Normalize || v.Args[0].Op != ir.Blend {
		return nil, nil
	}
	blend := v.Args[0]
	softmax := blend.Args[0]
	links = blend.Args[1]
	slot := e.buffers.Slot
	if softmax.Op != ir.Softmax || e.uses[blend] != 1 || e.uses[softmax] != 1 ||
		slot[softmax] != slot[v] || slot[blend] != slot[v] {
		return nil, nil
	}
	return softmax.Args[0], links
}

// inner returns the values of a group whose only use is in the next call, so that their calls can be nested in
// it.
func (e *emitter) inner(values []*ir.Value) map[*ir.Value]bool {
	inner := map[*ir.Value]bool{}
	for i, v := range values[:len(values)-1] {
		next := values[i+1]
		if e.uses[v] == 1 && slices.Contains(next.Args, v) && isWorkspaceOp(v) && isWorkspaceOp(next) {
			inner[v] = true
		}
	}
	return inner
}

// isWorkspaceOp reports whether a method of the workspace computes a value and its call may be nested: calls
// for embeddings may not.
func isWorkspaceOp(v *ir.Value) bool {
	return v.Sweep == 0 && v.Space() == ir.Entities && !v.Op.Info().Degrees
}

// byMachine reports whether the truth-degree machine computes a value: vectors are computed by the workspace,
// rows by sweeps.
func byMachine(v *ir.Value) bool {
	info := v.Op.Info()
	return info.Degrees && !info.Rows && info.Result != ir.Entities
}

// attributes prints the slots, flags and index of a value, in the order of the op table.
func (e *emitter) attributes(v *ir.Value) []jen.Code {
	info := v.Op.Info()
	var args []jen.Code
	if info.Const {
		args = append(args, jen.Id(e.local.constants[v.Const]))
	}
	if info.Rel {
		args = append(args, jen.Id(e.local.relations[v.Rel]))
	}
	if info.Filter {
		args = append(args, jen.Id(e.local.filters[v.Filter]))
	}
	flag := func(has, set bool, yes, no string) {
		if has && set {
			args = append(args, jen.Qual(codegen.PlanPath, yes))
		} else if has {
			args = append(args, jen.Qual(codegen.PlanPath, no))
		}
	}
	flag(info.Dir, v.Backward, "Backward", "Forward")
	flag(info.Neg, v.Negated, "Negated", "Positive")
	if info.Index {
		args = append(args, jen.Lit(v.Index))
	}
	return args
}

// paragraph prints the values of a group.
func (e *emitter) paragraph(b *jen.Group, values []*ir.Value) {
	switch {
	case values[0].Sweep == 0:
	case e.byTiles(values[0]):
		e.loop(b, values)
		return
	default:
		e.sweep(b, values)
		return
	}
	inner := e.inner(values)
	for _, v := range values {
		if !inner[v] {
			e.set(b, v, e.call(v, inner))
		}
	}
}

// alone reports whether a group is a single call, which needs no blank line before the next.
func (e *emitter) alone(values []*ir.Value) bool {
	return values[0].Sweep == 0 && len(e.inner(values)) == len(values)-1
}

// heading returns the comment above a group.
func (e *emitter) heading(values []*ir.Value) string {
	if s := values[0].Sweep; s > 0 {
		what := ""
		if e.byTiles(values[0]) {
			return fmt.Sprintf("loop %d over the entity table", s)
		}
		if slices.ContainsFunc(values, makesRows) {
			what = ", for uncached rows too"
		}
		if !slices.ContainsFunc(values, func(v *ir.Value) bool { return !makesRows(v) }) {
			what = ": scores uncached rows"
		}
		return fmt.Sprintf("sweep %d of the entity table%s", s, what)
	}
	for _, v := range values {
		if text := v.Origin.Text(e.local); text != "" {
			return text
		}
	}
	if slices.ContainsFunc(values, func(v *ir.Value) bool { return !inMessages(v) }) {
		return "for later steps"
	}
	return "messages for the next sweep"
}

// inMessages reports whether a value is a query vector or the links of a message, or is used to compute one.
func inMessages(v *ir.Value) bool {
	switch v.Op {
	case ir.Project, ir.Neighbors, ir.Traverse, ir.Loops, ir.Complement, ir.Normalize:
		return true
	}
	return false
}
