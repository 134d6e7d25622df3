package fit

import (
	"fmt"
	"strings"

	"github.com/efoc/efoc/runtime"
)

// Describe returns the plan of a pattern for people, a line a step.
func Describe(p *runtime.Pattern) []string {
	plan := newPlan(p)
	var lines []string
	for i := range plan.steps {
		lines = append(lines, plan.describe(&plan.steps[i]))
	}
	return lines
}

// describe says what a step does.
func (p *plan) describe(s *step) string {
	u, v := p.pattern.Variables[s.u], p.pattern.Variables[s.v]
	switch s.kind {
	case fact:
		return fmt.Sprintf("%s scales all degrees", p.atoms(s))
	case constant:
		return fmt.Sprintf("row %s restricts %s", p.atoms(s), v)
	case loop:
		return fmt.Sprintf("rows of the K best of %s: %s restricts it", v, p.atoms(s))
	case push:
		return fmt.Sprintf("rows of the K best of %s: push %s along %s into %s", u, u, p.atoms(s), v)
	case leaf:
		return fmt.Sprintf("push %s, of which nothing is known, along %s into %s", u, p.atoms(s), v)
	case vanish:
		return fmt.Sprintf("the best degree of %s scales all degrees", u)
	case propose:
		return fmt.Sprintf("rows of the K best of %s: %s proposes values of %s", u, p.atoms(s), v)
	}
	return fmt.Sprintf("rows of the K best of %s: a branch for each, in which %s restricts its neighbours", u, p.atoms(s))
}

// atoms names the atoms of a step; r^-1 is read from its tail.
func (p *plan) atoms(s *step) string {
	var texts []string
	for i := range s.links {
		l, a := &s.links[i], p.pattern.Atoms[s.links[i].atom]
		from, to := p.term(a.Head), p.term(a.Tail)
		text := fmt.Sprintf("r%d(%s,%s)", a.Relation+1, from, to)
		if l.inverse {
			text = fmt.Sprintf("r%d^-1(%s,%s)", a.Relation+1, to, from)
		}
		if l.negated {
			text = "!" + text
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, ", ")
}

func (p *plan) term(t runtime.PatternTerm) string {
	if t.Constant {
		return fmt.Sprintf("s%d", t.Index+1)
	}
	return p.pattern.Variables[t.Index]
}
