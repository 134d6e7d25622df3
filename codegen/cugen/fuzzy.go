package cugen

import (
	"fmt"
	"strings"

	"github.com/efoc/efoc/compiler/ir"
	"github.com/efoc/efoc/runtime/device"
)

// isMap reports whether a value is computed entity by entity.
func isMap(v *ir.Value) bool {
	return v.Space() == ir.Entities && !scored(v)
}

// fuzzy prints the kernel of a time that computes entity by entity, if there is one.
func (p *program) fuzzy(time int) {
	var values []*ir.Value
	var loads []*ir.Value
	loaded := map[*ir.Value]bool{}
	load := func(v *ir.Value) {
		if !loaded[v] && (scored(v) || p.places[v].time != time) {
			loaded[v] = true
			loads = append(loads, v)
		}
	}
	for _, v := range p.plan.Values {
		if !isMap(v) || p.places[v].time != time {
			continue
		}
		values = append(values, v)
		if v.Op != ir.Traverse {
			for _, a := range v.Args {
				load(a)
			}
		}
	}
	var made []*stat
	for _, s := range p.statOrder {
		if !s.pass && s.time == time {
			made = append(made, s)
			load(s.value)
		}
	}
	if len(values)+len(made) == 0 {
		return
	}
	name := p.kernel(device.Map, "map", 0)
	p.notes(values)
	p.open(name, false)
	p.printf("  const Map t(*m, *q);\n  if (!t.asked()) return;\n")
	p.read(values)
	for _, s := range made {
		p.printf("  %s;\n", s.declare(p))
	}
	p.printf("  for (int base = t.base(); base < t.n; base += t.step) {\n    const int e = base + threadIdx.x;\n")
	for _, v := range values {
		if v.Op == ir.Traverse {
			p.printf("    const float v%d = %s;\n", p.places[v].id, p.formula(v))
		}
	}
	p.printf("    if (e >= t.n) continue;\n")
	for _, v := range loads {
		p.printf("    const float v%d = t.vector(%d)[e];\n", p.places[v].id, p.places[v].vector)
	}
	for _, v := range values {
		if v.Op != ir.Traverse {
			p.printf("    const float v%d = %s;\n", p.places[v].id, p.formula(v))
		}
		if at := p.places[v]; at.inMemory() {
			p.printf("    t.vector(%d)[e] = v%d;\n", at.vector, at.id)
		}
	}
	for _, s := range made {
		p.printf("    %s;\n", s.add(p))
	}
	p.printf("  }\n")
	for _, s := range made {
		p.printf("  %s;\n", s.put(p))
	}
	p.printf("}\n\n")
}

// read prints what the values need of whole vectors, each once.
func (p *program) read(values []*ir.Value) {
	done := map[*stat]bool{}
	for _, v := range values {
		if v.Op == ir.Neighbors {
			p.printf("  const Tails row%d = neighbor_row(t, %d, %d, %s);\n", p.places[v].id, v.Const, v.Rel, direction(v))
		}
		kind, ok := reductions[v.Op]
		if !ok {
			continue
		}
		s := p.stats[statKey{v.Args[0], kind}]
		if done[s] {
			continue
		}
		done[s] = true
		switch kind {
		case softmax:
			blocks := "q->mapBlocks"
			if s.pass {
				blocks = "q->sweepBlocks"
			}
			p.printf("  const float2 all%d = t.softmax_stat(%d, %s);\n", s.number, s.number, blocks)
		case top:
			p.printf("  const float all%d = fmaxf(t.top_stat(%d), 0.f);\n", s.number, s.number)
		default:
			p.printf("  const float all%d = t.sum_stat(%d);\n", s.number, s.number)
		}
	}
}

func (s *stat) declare(p *program) string {
	switch s.kind {
	case softmax:
		return fmt.Sprintf("float2 part%d = no_stat()", s.number)
	case top:
		return fmt.Sprintf("float part%d = -INFINITE", s.number)
	}
	return fmt.Sprintf("float part%d = 0", s.number)
}

func (s *stat) add(p *program) string {
	v := p.places[s.value].id
	switch s.kind {
	case softmax:
		return fmt.Sprintf("part%d = merge(part%d, make_float2(v%d, 1.f))", s.number, s.number, v)
	case top:
		return fmt.Sprintf("part%d = fmaxf(part%d, v%d)", s.number, s.number, v)
	case cutSum:
		return fmt.Sprintf("part%d += cut(v%d, q->epsilon)", s.number, v)
	}
	return fmt.Sprintf("part%d += v%d", s.number, v)
}

func (s *stat) put(p *program) string {
	method := map[reduction]string{softmax: "put_stat", top: "put_top", cutSum: "put_sum", sum: "put_sum"}[s.kind]
	return fmt.Sprintf("t.%s(%d, part%d)", method, s.number, s.number)
}

// formula prints the entry e of a value.
func (p *program) formula(v *ir.Value) string {
	var args []string
	for _, a := range v.Args {
		args = append(args, fmt.Sprintf("v%d", p.places[a].id))
	}
	all := ""
	if kind, ok := reductions[v.Op]; ok {
		all = fmt.Sprintf("all%d", p.stats[statKey{v.Args[0], kind}].number)
	}
	switch v.Op {
	case ir.OneHot:
		return fmt.Sprintf("e == t.constant(%d) ? 1.f : 0.f", v.Const)
	case ir.Neighbors:
		return fmt.Sprintf("contains(*m, row%d, e)", p.places[v].id)
	case ir.Loops:
		return fmt.Sprintf("loops(t, %d, e)", v.Rel)
	case ir.Traverse:
		return fmt.Sprintf("traverse(t, t.vector(%d), %d, %s, e)", p.places[v.Args[0]].vector, v.Rel, direction(v))
	case ir.Softmax:
		return fmt.Sprintf("softmax(%s, %s)", args[0], all)
	case ir.Normalize:
		return fmt.Sprintf("normalize(%s, %s, q->epsilon)", args[0], all)
	case ir.ScaleMax, ir.ScaleSum:
		return fmt.Sprintf("ratio(%s, %s)", args[0], all)
	case ir.Complement:
		return fmt.Sprintf("complement(%s, q->alpha, t.n)", args[0])
	case ir.Blend:
		return fmt.Sprintf("blend(%s, %s, q->weight)", args[0], args[1])
	case ir.Mix:
		return fmt.Sprintf("mix(%s, %s, q->lambda)", args[0], args[1])
	case ir.Mul:
		return strings.Join(args, " * ")
	case ir.Max:
		text := args[0]
		for _, a := range args[1:] {
			text = fmt.Sprintf("fmaxf(%s, %s)", text, a)
		}
		return text
	}
	return "" // lower has refused every other op
}
