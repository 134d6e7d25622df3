package sparql

import (
	"cmp"
	"slices"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/efoc/efoc/lang/ast"
)

// Facts is what a query asks of stored facts. Its pattern is the formula of Request.Query, without a normal form. In
// it, a relation that is a parameter is a variable, a conjunction joins, a disjunction unites, negations are
// conditions, and a call of ISIRI, ISBLANK or ISLITERAL tells what kind of term its argument is.
type Facts struct {
	// Columns are the selected columns, nil for ASK and for a DESCRIBE of IRIs.
	Columns []Column
	// Distinct says that rows do not repeat.
	Distinct bool
	// Grouped says that a row is a group of solutions, which have the same values of the variables Group.
	Grouped bool
	Group   []string
	// Describe says that facts about the values of the columns and about IRIs are wanted in place of rows.
	Describe bool
	IRIs     []ast.Term
}

// Column is a column of the rows: what Key says of the values of a variable, or numbers of solutions.
type Column struct {
	Name string
	// Of is the variable. Key is ByIRI for its values themselves.
	Of  string
	Key Key
	// Counts says that it has numbers: of solutions if Of is empty, otherwise of its values, each once if Distinct.
	Counts, Distinct bool
}

// asksFacts reports whether a query counts solutions or describes entities, which needs stored facts even if it
// names all its relations.
func asksFacts(node *queryNode) bool {
	s := node.Select
	if s == nil {
		return node.Describe != nil
	}
	several := len(s.Counts) > 0 && len(s.Counts)+len(s.Vars) > 1
	return s.Group != nil || several || len(s.Counts) == 1 && s.Counts[0].Of.Value == "*"
}

// anyRelation translates a triple with a variable for the relation.
func (p *parser) anyRelation(v *lexer.Token, subject, object ast.Term, sc *scope) ast.Formula {
	p.needsFacts = true
	if p.values[object.Name] {
		p.add(object.Pos, "name the attribute that has it", "?%s is compared as a value, and stands behind a variable for a relation", object.Name)
	}
	predicate, _ := p.term(&termNode{Token: v}, sc)
	return &ast.Atom{Relation: ast.Relation{Name: predicate.Name, Param: true, Pos: predicate.Pos}, Head: subject, Tail: object, Pos: subject.Pos}
}

// facts fills the request of a query that stored facts answer.
func (p *parser) facts(node *queryNode) {
	p.request.Facts = &Facts{}
	s := node.Select
	switch {
	case node.Ask != nil:
		s = &selectNode{Pos: node.Ask.Pos, Where: node.Ask}
		p.request.Ask = true
	case node.Describe != nil:
		s = p.described(node.Describe)
	}
	if s == nil {
		return
	}

	p.slice(s)
	found, sc := p.group(s.Where)
	p.query.Formula = found
	p.query.Pos = position(s.Where.Pos)
	if p.request.Judged {
		p.add(position(s.Pos), "leave the filter out", "stored facts answer this query: all of its solutions are known")
	}
	if found == nil || len(p.errs) > 0 {
		return
	}
	p.onlyRelations(found)
	if !p.request.Ask {
		p.project(s, sc)
	}
}

// described reads the IRIs of DESCRIBE, and returns the query for the values of its variables, nil if it has none.
func (p *parser) described(d *describeNode) *selectNode {
	f := p.request.Facts
	f.Describe = true
	for _, n := range d.IRIs {
		t := &n.Token
		f.IRIs = append(f.IRIs, ast.Term{Kind: ast.Constant, Name: p.iri(t), Pos: position(t.Pos)})
	}
	switch {
	case d.Where == nil && (d.Vars != nil || d.All != nil):
		p.add(position(d.Pos), "write DESCRIBE ?x { ?x :borders :Brazil }", "DESCRIBE of a variable needs a pattern")
	case d.Where == nil && len(d.Order)+len(d.Slice) > 0:
		p.add(position(d.Pos), "leave ORDER BY, LIMIT and OFFSET out", "a DESCRIBE without a pattern has no order and no parts")
	case d.Where != nil && d.Vars == nil && d.All == nil:
		p.add(position(d.Where.Pos), "name one of its variables: DESCRIBE ?x { … }", "the pattern of this DESCRIBE gives nothing a value")
	case d.Where != nil:
		return &selectNode{Pos: d.Pos, Distinct: true, All: d.All, Vars: d.Vars, Where: d.Where, Order: d.Order, Slice: d.Slice}
	}
	return nil
}

// onlyRelations refuses variables that stand for relations and entities.
func (p *parser) onlyRelations(f ast.Formula) {
	relations := relationVariables(f)
	ast.Walk(f, func(f ast.Formula) {
		a, ok := f.(*ast.Atom)
		if !ok {
			return
		}
		for _, t := range []ast.Term{a.Head, a.Tail} {
			if t.Kind == ast.Variable && relations[t.Name] {
				p.add(t.Pos, "use two variables", "?%s stands for a relation and an entity", t.Name)
			}
		}
	})
}

// relationVariables returns the names of variables that stand for relations.
func relationVariables(f ast.Formula) map[string]bool {
	names := map[string]bool{}
	ast.Walk(f, func(f ast.Formula) {
		if a, ok := f.(*ast.Atom); ok && a.Relation.Param {
			names[a.Relation.Name] = true
		}
	})
	return names
}

// project fills in the selected columns.
func (p *parser) project(s *selectNode, sc *scope) {
	f := p.request.Facts
	f.Distinct = s.Distinct
	f.Grouped = len(s.Group)+len(s.Counts) > 0
	if f.Grouped && s.Distinct {
		p.add(position(s.Pos), "leave DISTINCT out", "the rows of groups differ as they are")
	}
	for _, v := range s.Group {
		f.Group = append(f.Group, p.chosen(variableName(v.Token.Value), position(v.Token.Pos), sc))
	}
	p.columns(s, sc)
	if len(p.errs) > 0 {
		return
	}

	p.free = f.Columns[0].Name
	for _, c := range f.Columns[1:] {
		p.others = append(p.others, c.Name)
	}
	for _, o := range s.Order {
		p.order(o)
	}
}

// columns fills in the columns, in the order in which they are selected.
func (p *parser) columns(s *selectNode, sc *scope) {
	f := p.request.Facts
	at := map[string]int{}
	for _, c := range s.Counts {
		column := Column{Name: variableName(c.As.Value), Counts: true, Distinct: c.Distinct}
		switch {
		case c.Of.Type == varToken:
			column.Of = p.chosen(variableName(c.Of.Value), position(c.Of.Pos), sc)
		case c.Distinct:
			p.add(position(c.Of.Pos), "count one of the variables", "different solutions are not counted by COUNT(DISTINCT *)")
		}
		_, taken := sc.seen[column.Name]
		if _, twice := at[column.Name]; twice || taken {
			p.add(position(c.As.Pos), "give the number another name", "?%s has a value already", column.Name)
		}
		at[column.Name] = c.Pos.Offset
		f.Columns = append(f.Columns, column)
	}
	for _, v := range s.Vars {
		pos := position(v.Token.Pos)
		column := Column{Name: variableName(v.Token.Value)}
		column.Key, column.Of = p.about(column.Name)
		column.Of = p.chosen(cmp.Or(column.Of, column.Name), pos, sc)
		if f.Grouped && !slices.Contains(f.Group, column.Of) {
			p.add(pos, "write GROUP BY ?"+column.Of+" behind the pattern", "solutions are counted together that may differ in ?%s", column.Of)
		}
		at[column.Name] = pos.Offset
		f.Columns = append(f.Columns, column)
	}
	slices.SortStableFunc(f.Columns, func(a, b Column) int { return cmp.Compare(at[a.Name], at[b.Name]) })
	if s.All != nil && f.Grouped {
		p.add(position(s.All.Pos), "select what the solutions are grouped by", "* has variables in which solutions of a group may differ")
	}
	for _, name := range sc.order {
		if s.All != nil && p.made[name] == "" {
			f.Columns = append(f.Columns, Column{Name: name, Of: p.chosen(name, sc.seen[name].Pos, sc)})
		}
	}
	if len(f.Columns) == 0 {
		p.add(position(s.Pos), "", "nothing is selected that has a value")
	}
}

// chosen returns the name of a variable that is selected, counted or grouped by, and refuses one that some
// solutions lack.
func (p *parser) chosen(name string, pos ast.Pos, sc *scope) string {
	v, ok := sc.seen[name]
	switch {
	case !ok && p.values[name]:
		p.add(pos, "select the entity that has it", "?%s stands for values, which are compared and not selected", name)
	case !ok:
		p.add(pos, "", "?%s does not occur in the pattern", name)
	case !sc.bound[name]:
		p.add(v.Pos, "give it a value in each part of the UNION", "?%s has no value in some solutions", name)
	}
	return name
}
