// Package plantext reads the text form of plans, which tests of the compiler write and compare.
package plantext

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/efoc/efoc/compiler/ir"
)

// Parse reads a plan's text form. It checks the syntax and that operands are
// known; ir.Verify checks the rest.
func Parse(text string) (*ir.Plan, error) {
	p := &parser{plan: &ir.Plan{}}
	for i, line := range strings.Split(text, "\n") {
		if strings.TrimSpace(line) != "" {
			p.line(line)
		}
		if p.err != nil {
			return nil, fmt.Errorf("plan line %d: %w", i+1, p.err)
		}
	}
	if p.plan.Answer == nil {
		return nil, fmt.Errorf("plan has no answer line")
	}
	return p.plan, nil
}

// parser keeps its first error, so that most of it needs no error branches.
type parser struct {
	plan *ir.Plan
	err  error
}

func (p *parser) failf(format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf(format, args...)
	}
}

func (p *parser) line(line string) {
	if shape, ok := strings.CutPrefix(line, "plan "); ok {
		s, err := strconv.Unquote(strings.TrimSpace(shape))
		if err != nil {
			p.failf("shape %s is not a quoted string", shape)
		}
		p.plan.Shape = s
		return
	}
	line, note, _ := strings.Cut(line, ";")
	f := strings.Fields(line)
	switch {
	case len(f) == 0:
		p.failf("nothing before the note")
	case f[0] == "constants" && len(f) == 2:
		p.plan.Constants = p.number(f[1])
	case f[0] == "relations" && len(f) == 2:
		p.plan.Relations = p.number(f[1])
	case f[0] == "filters" && len(f) == 2:
		p.plan.Filters = p.number(f[1])
	case f[0] == "layers":
		for _, s := range f[1:] {
			p.plan.Layers = append(p.plan.Layers, p.number(s))
		}
	case f[0] == "answer" && len(f) == 2:
		p.plan.Answer = p.ref(f[1])
	case f[0] == "set" && len(f) == 4:
		p.plan.Sets = append(p.plan.Sets, ir.Set{Disjunct: p.number(f[1]), Variable: f[2], Value: p.ref(f[3])})
	case len(f) >= 3 && f[1] == "=":
		p.value(f[0], f[2], f[3:], strings.TrimSpace(note))
	default:
		p.failf("cannot read %q", strings.TrimSpace(line))
	}
}

func (p *parser) value(head, opName string, rest []string, note string) {
	i := slices.IndexFunc(ir.Ops(), func(op ir.Op) bool { return op.String() == opName })
	if i < 0 {
		p.failf("unknown op %q", opName)
		return
	}
	op := ir.Ops()[i]
	v := &ir.Value{Op: op, Note: note}
	name, space, _ := strings.Cut(head, ":")
	if want := "v" + strconv.Itoa(len(p.plan.Values)); name != want {
		p.failf("value is named %q, want %q: values are numbered in order", name, want)
	}
	if space != op.Info().Result.String() {
		p.failf("%s has type %q, want %q", opName, space, op.Info().Result)
	}
	for _, word := range rest {
		p.operand(v, word)
	}
	p.plan.Values = append(p.plan.Values, v)
}

// operand reads one word of the right side: a value, a slot or a flag.
func (p *parser) operand(v *ir.Value, word string) {
	info := v.Op.Info()
	switch {
	case word == "backward" && info.Dir:
		v.Backward = true
	case word == "negated" && info.Neg:
		v.Negated = true
	case word[0] == '@' && info.Sweeps > 0:
		v.Sweep = p.number(word[1:])
	case word[0] == '^' && info.Exchanges:
		v.Exchange = p.number(word[1:])
	case word[0] == '#' && info.Index:
		v.Index = p.number(word[1:])
	case word[0] == 's' && info.Const:
		v.Const = p.slot(word)
	case word[0] == 'r' && info.Rel:
		v.Rel = p.slot(word)
	case word[0] == 'p' && info.Filter:
		v.Filter = p.slot(word)
	case word[0] == 'v':
		v.Args = append(v.Args, p.ref(word))
	default:
		p.failf("%s takes no %q", v.Op, word)
	}
}

func (p *parser) ref(word string) *ir.Value {
	id, err := strconv.Atoi(strings.TrimPrefix(word, "v"))
	if err != nil || word[0] != 'v' || id < 0 || id >= len(p.plan.Values) {
		p.failf("no value %q above this line", word)
		return nil
	}
	return p.plan.Values[id]
}

func (p *parser) slot(word string) int {
	i, err := strconv.Atoi(word[1:])
	if err != nil || i < 1 {
		p.failf("%q is not a slot", word)
	}
	return i - 1
}

func (p *parser) number(s string) int {
	i, err := strconv.Atoi(s)
	if err != nil || i < 0 {
		p.failf("%q is not a number", s)
	}
	return i
}
