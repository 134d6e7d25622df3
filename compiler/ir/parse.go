package ir

import (
	"fmt"
	"strconv"
	"strings"
)

// Parse reads a plan's text form. It checks the syntax and that operands are
// known; Verify checks the rest.
func Parse(text string) (*Plan, error) {
	p := &parser{plan: &Plan{}}
	for i, line := range strings.Split(text, "\n") {
		if strings.TrimSpace(line) == "" {
			continue
		}
		if err := p.line(line); err != nil {
			return nil, fmt.Errorf("plan line %d: %w", i+1, err)
		}
	}
	if p.plan.Answer == nil && p.plan.Keeps == nil {
		return nil, fmt.Errorf("plan has no answer line")
	}
	return p.plan, nil
}

type parser struct {
	plan *Plan
}

func (p *parser) line(line string) error {
	if shape, ok := strings.CutPrefix(line, "plan "); ok {
		s, err := strconv.Unquote(strings.TrimSpace(shape))
		if err != nil {
			return fmt.Errorf("shape %s is no quoted string", shape)
		}
		p.plan.Shape = s
		return nil
	}
	line, note, _ := strings.Cut(line, ";")
	note = strings.TrimSpace(note)
	f := strings.Fields(line)
	if len(f) == 0 {
		return fmt.Errorf("nothing before the note")
	}
	switch {
	case f[0] == "constants" && len(f) == 2:
		return atoi(f[1], &p.plan.Constants)
	case f[0] == "relations" && len(f) == 2:
		return atoi(f[1], &p.plan.Relations)
	case f[0] == "layers":
		for _, s := range f[1:] {
			var l int
			if err := atoi(s, &l); err != nil {
				return err
			}
			p.plan.Layers = append(p.plan.Layers, l)
		}
		return nil
	case f[0] == "answer" && len(f) == 2:
		return p.ref(f[1], &p.plan.Answer)
	case f[0] == "keep" && len(f) == 2:
		var v *Value
		if err := p.ref(f[1], &v); err != nil {
			return err
		}
		p.plan.Keeps = append(p.plan.Keeps, v)
		return nil
	case f[0] == "set" && len(f) == 4:
		s := Set{Variable: f[2]}
		if err := first(atoi(f[1], &s.SCQ), p.ref(f[3], &s.Value)); err != nil {
			return err
		}
		p.plan.Sets = append(p.plan.Sets, s)
		return nil
	case f[0] == "message" && len(f) == 7:
		m := Message{From: f[4], To: f[5]}
		err := first(atoi(f[1], &m.SCQ), atoi(f[2], &m.Layer), atoi(f[3], &m.Atom))
		if f[6] != "-" {
			err = first(err, p.ref(f[6], &m.Value))
		}
		if err != nil {
			return err
		}
		p.plan.Messages = append(p.plan.Messages, m)
		return nil
	case len(f) >= 3 && f[1] == "=":
		return p.value(f[0], f[2], f[3:], note)
	}
	return fmt.Errorf("cannot read %q", strings.TrimSpace(line))
}

func (p *parser) value(head, opName string, rest []string, note string) error {
	op, ok := opByName[opName]
	if !ok {
		return fmt.Errorf("unknown op %q", opName)
	}
	v := &Value{Op: op, Note: note}
	name, space, _ := strings.Cut(head, ":")
	if want := "v" + strconv.Itoa(len(p.plan.Values)); name != want {
		return fmt.Errorf("value is named %q, want %q: values are numbered in order", name, want)
	}
	if space != op.Info().Result.String() {
		return fmt.Errorf("%s has type %q, want %q", opName, space, op.Info().Result)
	}
	for _, word := range rest {
		if err := p.operand(v, word); err != nil {
			return err
		}
	}
	p.plan.Values = append(p.plan.Values, v)
	return nil
}

// operand reads one word of the right side: a value, a slot or a flag.
func (p *parser) operand(v *Value, word string) error {
	info := v.Op.Info()
	switch {
	case word == "backward" && info.Dir:
		v.Backward = true
		return nil
	case word == "negated" && info.Neg:
		v.Negated = true
		return nil
	case word[0] == '@' && info.Passes > 0:
		return atoi(word[1:], &v.Sweep)
	case word[0] == '#' && info.Index:
		return atoi(word[1:], &v.Index)
	case word[0] == 's' && info.Const:
		return slot(word, &v.Const)
	case word[0] == 'r' && info.Rel:
		return slot(word, &v.Rel)
	case word[0] == 'v':
		var a *Value
		if err := p.ref(word, &a); err != nil {
			return err
		}
		v.Args = append(v.Args, a)
		return nil
	}
	return fmt.Errorf("%s takes no %q", v.Op, word)
}

func (p *parser) ref(word string, v **Value) error {
	id, err := strconv.Atoi(strings.TrimPrefix(word, "v"))
	if err != nil || word[0] != 'v' || id < 0 || id >= len(p.plan.Values) {
		return fmt.Errorf("no value %q above this line", word)
	}
	*v = p.plan.Values[id]
	return nil
}

func slot(word string, n *int) error {
	i, err := strconv.Atoi(word[1:])
	if err != nil || i < 1 {
		return fmt.Errorf("%q is no slot", word)
	}
	*n = i - 1
	return nil
}

func atoi(s string, n *int) error {
	i, err := strconv.Atoi(s)
	if err != nil || i < 0 {
		return fmt.Errorf("%q is no number", s)
	}
	*n = i
	return nil
}

func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
