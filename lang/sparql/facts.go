package sparql

import "github.com/efoc/efoc/lang/ast"

// Facts is a triple with a variable for the relation.
type Facts struct{ Subject, Predicate, Object ast.Term }

// Stored reports whether stored facts answer the query, rather than a plan.
func (r *Request) Stored() bool { return r.Facts != nil || r.Describe != nil }

// aboutFacts fills the request of a query that consists of a triple with a variable for the relation, and
// reports whether it is one.
func (p *parser) aboutFacts(node *queryNode) bool {
	s := node.Select
	group := node.Ask
	if s != nil {
		group = s.Where
	}
	t := single(group)
	if t == nil {
		return false
	}

	sc := newScope()
	predicate := t.Properties[0].Var
	f := &Facts{}
	f.Subject, _ = p.term(t.Subject, sc)
	f.Predicate, _ = p.term(&termNode{Token: predicate}, sc)
	f.Object, _ = p.term(t.Properties[0].Objects[0], sc)
	again := func(t ast.Term) bool { return t.Kind == ast.Variable && t.Name == f.Predicate.Name }
	if again(f.Subject) || again(f.Object) {
		p.add(position(predicate.Pos), "use two variables", "%s stands for a relation and an entity", predicate.Value)
	}
	p.request.Facts = f
	p.request.Ask = s == nil
	p.query.Pos = position(group.Pos)
	if s != nil {
		p.selectFacts(s, sc)
	}
	return true
}

// single returns the triple of a group that has only one, with a variable for the relation; nil for others.
func single(g *groupNode) *tripleNode {
	if g.Select != nil || len(g.Elements) != 1 || g.Elements[0].Triple == nil {
		return nil
	}
	t := g.Elements[0].Triple
	if len(t.Properties) != 1 || t.Properties[0].Var == nil || len(t.Properties[0].Objects) != 1 {
		return nil
	}
	if len(t.Subject.Properties)+len(t.Properties[0].Objects[0].Properties) > 0 {
		return nil
	}
	return t
}

// selectFacts fills in which variables of a triple are selected, and which solutions.
func (p *parser) selectFacts(s *selectNode, sc *scope) {
	if s.Count != nil {
		p.add(position(s.Count.Pos), "name the relation", "facts with a variable for the relation are not counted")
		return
	}
	p.slice(s)
	p.choose(s)
	if s.All != nil {
		p.star(s, sc)
	}
	for _, o := range s.Order {
		p.order(o)
	}
	p.checkChosen(s, sc)
	p.query.Free = p.free
	p.query.FreePos = sc.seen[p.free].Pos
}

// bindStored resolves the entities of a query that stored facts answer.
func (r *Request) bindStored(b binder) {
	terms := r.Describe
	if r.Facts != nil {
		terms = []ast.Term{r.Facts.Subject, r.Facts.Object}
	}
	for i := range terms {
		if terms[i].Kind == ast.Constant {
			terms[i].Name = entityOf(terms[i].Name, b.Graph)
			r.Empty = r.Empty || r.Facts != nil && b.lacks(terms[i].Name)
		}
	}
	if r.Facts != nil {
		r.Facts.Subject = terms[0]
		r.Facts.Object = terms[1]
	}
}
