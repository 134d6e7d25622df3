package cugen

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/efoc/efoc/compiler/ir"
)

// elements are the element-wise ops of a launch time.
type elements struct {
	values []*ir.Value        // computed element-wise
	made   []*ir.Value        // numbers reduced from them
	loads  []*ir.Value        // operands computed at other times
	read   map[*ir.Value]bool // operands
}

// elements returns the element-wise ops of a time.
func (p *program) elements(time int) elements {
	x := elements{read: map[*ir.Value]bool{}}
	load := func(v *ir.Value) {
		if !x.read[v] && (scored(v) || p.places[v].time != time) {
			x.loads = append(x.loads, v)
		}
		x.read[v] = true
	}
	for _, v := range p.plan.Values {
		if !isMap(v) || p.places[v].time != time {
			continue
		}
		x.values = append(x.values, v)
		if v.Op != ir.Traverse {
			for _, a := range v.Args {
				if a.Space() == ir.Entities {
					load(a)
				}
			}
		}
	}
	for _, v := range p.plan.Values {
		if v.Space() == ir.Number && p.places[v].time == time && !p.reducedBySweep(v) && !known(v) {
			x.made = append(x.made, v)
			load(v.Args[0])
		}
	}
	return x
}

// fuzzy prints the element-wise ops of a time.
func (p *program) fuzzy(time int) {
	x := p.elements(time)
	values := x.values
	made := x.made
	if len(values)+len(made) == 0 {
		return
	}
	p.read(values)
	p.declare(made)
	traverses := slices.ContainsFunc(values, func(v *ir.Value) bool { return v.Op == ir.Traverse })
	if traverses {
		p.printf("    t.each_warp([&](int e) {\n")
	} else {
		p.printf("    t.each([&](int e) {\n")
	}
	for _, v := range values {
		if v.Op == ir.Traverse {
			p.printf("      const float v%d = %s;%s\n", p.places[v].id, p.formula(v), note(v))
		}
	}
	if traverses {
		p.printf("      if (e >= t.n) return;\n")
	}
	p.load(x.loads)
	for _, v := range values {
		p.element(v, x.read[v])
	}
	for _, v := range made {
		p.printf("      %s;\n", p.stat(v, statTexts[v.Op].add))
	}
	p.printf("    });\n")
	for _, v := range made {
		p.printf("    %s;\n", p.stat(v, statTexts[v.Op].put))
	}
}

// element prints the op of a value for an entity; read says whether another op of the time reads it.
func (p *program) element(v *ir.Value, read bool) {
	at := p.places[v]
	switch {
	case v.Op == ir.Traverse && at.inMemory():
		p.printf("      t.put(%d, e, v%d);\n", at.vector, at.id)
	case v.Op == ir.Traverse:
	case at.inMemory() && !read:
		p.printf("      t.put(%d, e, %s);%s\n", at.vector, p.formula(v), note(v))
	case at.inMemory():
		p.printf("      const float v%d = t.put(%d, e, %s);%s\n", at.id, at.vector, p.formula(v), note(v))
	default:
		p.printf("      const float v%d = %s;%s\n", at.id, p.formula(v), note(v))
	}
}

// declare declares the partial reductions of a step, one line per type.
func (p *program) declare(made []*ir.Value) {
	parts := map[string][]string{}
	for _, v := range made {
		kind := statTexts[v.Op]
		parts[kind.kind] = append(parts[kind.kind], p.stat(v, kind.none))
	}
	for _, kind := range slices.Sorted(maps.Keys(parts)) {
		p.printf("    %s %s;\n", kind, strings.Join(parts[kind], ", "))
	}
}

// load prints the entries that a step reads from memory.
func (p *program) load(values []*ir.Value) {
	var entries []string
	for _, v := range values {
		entries = append(entries, fmt.Sprintf("v%d = t.vector(%d)[e]", p.places[v].id, p.places[v].vector))
	}
	if len(entries) > 0 {
		p.printf("      const float %s;\n", strings.Join(entries, ", "))
	}
}

// read prints the whole-vector inputs of the values, each once.
func (p *program) read(values []*ir.Value) {
	done := map[*ir.Value]bool{}
	for _, v := range values {
		if v.Op == ir.Neighbors {
			p.row(v, done)
		}
		for _, a := range v.Args {
			if a.Space() == ir.Number {
				p.number(a, done)
			}
		}
	}
}

// formulas compute entry e of a value: %x and %y are the entries of the operands, %all is the last operand, a
// reduction, %rel, %dir, %const and %filter are attributes, and %id is the value.
var formulas = map[ir.Op]string{
	ir.OneHot:     "one_hot(t, %const, e)",
	ir.Factors:    "t.filter(%filter)[e]",
	ir.Neighbors:  "contains(m, row%id, e)",
	ir.Loops:      "loops(t, %rel, e)",
	ir.Ends:       "ends(t, %rel, %dir, e)",
	ir.Traverse:   "traverse(t, t.vector(%vector), %rel, %dir, e)",
	ir.Share:      "softmax(%x, %all)",
	ir.Cut:        "normalize(%x, %all, q.input->epsilon)",
	ir.Over:       "ratio(%x, %all)",
	ir.Elsewhere:  "1.f - %x",
	ir.Complement: "complement(%x, q.input->alpha, t.n)",
	ir.Blend:      "blend(%x, %y, q.input->weight)",
	ir.Mix:        "mix(%x, %y, q.input->lambda)",
}

// formula prints entry e of a value; lower has refused ops without a formula.
func (p *program) formula(v *ir.Value) string {
	var args []string
	for _, a := range v.Args {
		args = append(args, fmt.Sprintf("v%d", p.places[a].id))
	}
	switch v.Op {
	case ir.Mul:
		return strings.Join(args, " * ")
	case ir.Max:
		text := args[0]
		for _, a := range args[1:] {
			text = fmt.Sprintf("fmaxf(%s, %s)", text, a)
		}
		return text
	}
	words := []string{
		"%const", fmt.Sprint(v.Const), "%filter", fmt.Sprint(v.Filter), "%rel", fmt.Sprint(v.Rel), "%dir", direction(v), "%id", fmt.Sprint(p.places[v].id),
	}
	if len(args) > 0 {
		last := v.Args[len(args)-1]
		words = append(words, "%all", p.numberName(last), "%x", args[0], "%y", args[len(args)-1], "%vector", fmt.Sprint(p.places[v.Args[0]].vector))
	}
	return strings.NewReplacer(words...).Replace(formulas[v.Op])
}
