package sparql

import (
	"fmt"
	"maps"

	"github.com/efoc/efoc/lang/ast"
	"github.com/efoc/efoc/lang/internal/token"
	"github.com/efoc/efoc/lang/limits"
)

// inside runs work in a new frame.
func (p *parser) inside(sees func(name string) bool, work func()) {
	p.frame = &frame{sees, map[string]string{}, p.frame}
	work()
	p.frame = p.frame.outer
}

// resolve returns the unique name of a variable.
func (p *parser) resolve(f *frame, name string) string {
	if f == nil {
		return name
	}
	if f.sees(name) {
		return p.resolve(f.outer, name)
	}
	if f.own[name] == "" {
		f.own[name] = p.fresh(name)
	}
	return f.own[name]
}

// fresh returns an unused name similar to name.
func (p *parser) fresh(name string) string {
	unique := name
	for i := 2; p.taken[unique]; i++ {
		unique = fmt.Sprintf("%s_%d", name, i)
	}
	p.taken[unique] = true
	return unique
}

// group translates a group. The formula is nil if the group is empty or faulty.
func (p *parser) group(g *groupNode) (ast.Formula, *scope) {
	if g.Select != nil {
		return p.sub(g.Select)
	}
	sc := newScope()
	before := len(p.errs)
	var parts []ast.Formula
	var filters []*filterNode
	outer := p.block
	defer func() { p.block = outer }()
	p.nextBlock()
	for i, e := range g.Elements {
		if i > 0 && e.Triple != nil && g.Elements[i-1].Triple != nil && !g.Elements[i-1].Dot {
			p.add(position(e.Pos), "write a . between triples", "a triple starts before the last one has ended")
		}
		switch {
		case e.Filter != nil:
			filters = append(filters, e.Filter)
		case e.Minus != nil:
			parts = p.minus(e.Minus, sc, parts)
			p.nextBlock()
		case e.Union != nil:
			parts = append(parts, p.union(e.Union, sc))
			p.nextBlock()
		default:
			parts = append(parts, p.triples(e.Triple, sc)...)
		}
	}
	for _, f := range filters { // they see the whole group
		switch {
		case f.Exists != nil:
			parts = append(parts, p.exists(f.Exists, sc))
		default:
			parts = append(parts, p.condition(f.Expr, sc)...)
		}
	}
	f := and(parts, position(g.Pos))
	if f == nil && len(p.errs) == before {
		p.add(position(g.Pos), "", "an empty group holds of everything: want a pattern")
	}
	return f, sc
}

// nextBlock begins a group of triples, a basic graph pattern of SPARQL.
func (p *parser) nextBlock() {
	p.last++
	p.block = p.last
}

// sub translates a sub-SELECT: variables that it does not select are local.
func (p *parser) sub(s *selectNode) (f ast.Formula, sc *scope) {
	if len(s.Order) > 0 || len(s.Slice) > 0 {
		p.add(position(s.Pos), "", "a sub-SELECT cannot be ordered or cut here")
	}
	if s.Count != nil {
		p.add(position(s.Pos), "count in the outer SELECT, by COUNT(DISTINCT …)", "a sub-SELECT cannot count here")
	}
	selected := map[string]bool{}
	for _, v := range s.Vars {
		selected[variableName(v.Token.Value)] = true
	}
	var inner *scope
	p.inside(func(name string) bool { return s.All != nil || selected[name] }, func() { f, inner = p.group(s.Where) })
	sc = newScope()
	for _, name := range inner.order {
		if s.All != nil || selected[name] {
			sc.see(inner.seen[name])
			if inner.bound[name] {
				sc.bound[name] = true
			}
		}
	}
	return f, sc
}

// union translates the alternatives of UNION.
func (p *parser) union(groups []*groupNode, sc *scope) ast.Formula {
	var parts []ast.Formula
	var bound map[string]bool
	for i, g := range groups {
		f, inner := p.group(g)
		parts = append(parts, f)
		for _, name := range inner.order {
			sc.see(inner.seen[name])
		}
		if i == 0 {
			bound = maps.Clone(inner.bound)
		} else {
			maps.DeleteFunc(bound, func(name string, _ bool) bool { return !inner.bound[name] })
		}
	}
	maps.Copy(sc.bound, bound)
	return or(parts, position(groups[0].Pos))
}

// minus translates MINUS. Without a shared variable it removes no solutions.
func (p *parser) minus(g *groupNode, sc *scope, parts []ast.Formula) []ast.Formula {
	f, inner := p.group(g)
	shared := false
	for _, name := range inner.order {
		if _, ok := sc.seen[name]; ok {
			shared = true
		}
	}
	if !shared && !comparesValues(f) || f == nil {
		return parts
	}
	p.mustBind(inner, sc, "MINUS")
	return append(parts, &ast.Not{Arg: f, Pos: position(g.Pos)})
}

// exists translates EXISTS and NOT EXISTS.
func (p *parser) exists(e *existsNode, sc *scope) (f ast.Formula) {
	var inner *scope
	outer := p.frame
	p.inside(func(name string) bool { _, ok := sc.seen[p.resolve(outer, name)]; return ok }, func() { f, inner = p.group(e.Group) })
	if f == nil {
		return nil
	}
	if e.Not {
		p.mustBind(inner, sc, "NOT EXISTS")
		return &ast.Not{Arg: f, Pos: position(e.Pos)}
	}
	for _, name := range inner.order {
		if v, ok := sc.seen[name]; ok && !sc.bound[name] {
			p.add(v.Pos, "", "?%s has no value in some solutions, which EXISTS asks about", name)
		}
	}
	return f
}

// mustBind reports variables of a negated group that the rest of the pattern does not bind.
func (p *parser) mustBind(inner, sc *scope, what string) {
	for _, name := range inner.order {
		if !sc.bound[name] {
			v := inner.seen[name]
			p.add(v.Pos, "give it a value outside by a triple", "%s of a variable that has no value outside says \"for none\", which is not part of EFO1", what)
			return
		}
	}
}

// triples translates a subject with its properties.
func (p *parser) triples(t *tripleNode, sc *scope) []ast.Formula {
	subject, parts := p.term(t.Subject, sc)
	if len(t.Properties) == 0 && len(parts) == 0 {
		p.add(subject.Pos, "", "a triple needs a predicate and an object")
	}
	return append(parts, p.properties(subject, t.Properties, sc)...)
}

func (p *parser) properties(subject ast.Term, list []*propertyNode, sc *scope) (parts []ast.Formula) {
	for _, property := range list {
		if property.Var != nil {
			p.add(position(property.Var.Pos), "name the relation, or "+elsewhere, "%s stands for a relation, as only in SELECT ?p ?o { :Brazil ?p ?o } and SELECT ?s ?p { ?s ?p :Brazil }", property.Var.Value)
			continue
		}
		for _, o := range property.Objects {
			if p.valueVariable(o) != "" {
				parts = append(parts, p.value(subject, property.Path, o))
				continue
			}
			object, more := p.term(o, sc)
			parts = append(parts, p.path(property.Path, subject, object, sc))
			parts = append(parts, more...)
		}
	}
	return parts
}

// path translates a property path between two terms.
func (p *parser) path(n *pathNode, from, to ast.Term, sc *scope) ast.Formula {
	var choice []ast.Formula
	for _, sequence := range n.Args {
		var parts []ast.Formula
		at := from
		for i, step := range sequence.Args {
			next := to
			if i < len(sequence.Args)-1 {
				next = p.between(step)
				if len(n.Args) == 1 {
					sc.bind(next)
				} else { // only this choice's
					sc.see(next)
				}
			}
			parts = append(parts, p.step(step, at, next, sc))
			at = next
		}
		choice = append(choice, and(parts, from.Pos))
	}
	return or(choice, from.Pos)
}

// between returns a variable for the node after a step of a path.
func (p *parser) between(n *stepNode) ast.Term {
	v := ast.Term{Kind: ast.Variable, Name: p.fresh("step"), Pos: position(n.Pos)}
	p.made[v.Name] = v.Name
	return v
}

// step translates one step of a path, which may be repeated.
func (p *parser) step(n *stepNode, from, to ast.Term, sc *scope) ast.Formula {
	chain := ast.Chain{Least: 0, Most: 1, Pos: position(n.Pos), Open: true}
	switch t := n.Repeat; {
	case n.Not != nil:
		p.add(position(n.Not.Pos), "", "paths of ! are outside the part of SPARQL that is answered here")
		return nil
	case t == nil:
		return p.once(n, from, to, sc)
	case t.Type == boundsToken:
		var mistake, hint string
		chain.Least, chain.Most, mistake, hint = token.ReadBounds(t.Value, limits.Atoms)
		if mistake != "" {
			p.add(position(t.Pos), hint, "%s", mistake)
			return nil
		}
	case t.Value != "?":
		p.add(position(t.Pos), "write how many steps it has at most, such as {1,3}", "paths of %s have no bound, which an answer here needs", t.Value)
		return nil
	}
	chain.Via = func() ast.Term {
		v := p.between(n)
		sc.see(v)
		return v
	}
	chain.Step = func(from, to ast.Term) ast.Formula {
		p.steps++
		if p.steps == limits.Atoms+1 {
			p.add(position(n.Repeat.Pos), "", "the paths of the query have more than %d steps, which is the limit", limits.Atoms)
		}
		if p.steps <= limits.Atoms {
			if f := p.once(n, from, to, sc); f != nil {
				return f
			}
		}
		return &ast.Atom{Head: from, Tail: to}
	}
	return chain.Between(from, to)
}

// once translates one step of a path.
func (p *parser) once(n *stepNode, from, to ast.Term, sc *scope) ast.Formula {
	if n.Group != nil {
		if n.Inverse {
			from, to = to, from
		}
		return p.path(n.Group, from, to, sc)
	}
	r := ast.Relation{Name: p.iri(n.IRI), Inverse: n.Inverse, Pos: position(n.IRI.Pos)}
	return &ast.Atom{Relation: r, Head: from, Tail: to, Pos: position(n.Pos)}
}
