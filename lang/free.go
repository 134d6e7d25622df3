package lang

import (
	"fmt"
	"strings"
)

// adHocFree finds the free variable of an ad-hoc question: the only one that
// no quantifier binds.
func (p *parser) adHocFree(q *Query) {
	free := unbound(q.Formula)
	switch len(free) {
	case 0:
		p.add(q.Pos, "the free variable is the one that no quantifier binds", "the formula has no free variable")
	case 1:
		q.Free, q.FreePos = free[0].Name, free[0].Pos
	default:
		names := make([]string, len(free))
		for i, t := range free {
			names[i] = t.Name
		}
		hint := fmt.Sprintf("bind all but one: exists %s. …", strings.Join(names[1:], ", "))
		for _, t := range free {
			if looksLikeEntity(t.Name) {
				hint = fmt.Sprintf("an entity is quoted: %q", t.Name)
				break
			}
		}
		p.add(free[1].Pos, hint, "the formula has several free variables: %s", strings.Join(names, ", "))
	}
}

// unbound returns the variables that no quantifier binds, each at its first
// place, in source order.
func unbound(f Formula) []Term {
	var free []Term
	seen := make(map[string]bool)
	bound := make(map[string]int)
	var visit func(Formula)
	visit = func(f Formula) {
		switch f := f.(type) {
		case *And:
			for _, a := range f.Args {
				visit(a)
			}
		case *Or:
			for _, a := range f.Args {
				visit(a)
			}
		case *Not:
			visit(f.Arg)
		case *Exists:
			for _, v := range f.Vars {
				bound[v.Name]++
			}
			visit(f.Body)
			for _, v := range f.Vars {
				bound[v.Name]--
			}
		case *Atom:
			for _, t := range []Term{f.Head, f.Tail} {
				if t.Kind == Variable && bound[t.Name] == 0 && !seen[t.Name] {
					seen[t.Name] = true
					free = append(free, t)
				}
			}
		}
	}
	visit(f)
	return free
}
