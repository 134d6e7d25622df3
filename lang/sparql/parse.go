package sparql

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/lang/ast"
	"github.com/efoc/efoc/runtime/kind"
)

// Parse parses and checks a SPARQL query. The error is a lang.ErrorList.
func Parse(text string) (*Request, error) {
	p := newParser(text)
	tokens := p.scan()
	if tokens == nil {
		return nil, p.errs
	}
	node, err := grammar().ParseString("", text)
	if err != nil {
		p.misfit(err, tokens)
		return nil, p.errs
	}

	p.read(node, tokens)
	if len(p.errs) > 0 {
		return nil, p.errs
	}
	p.request.Query = p.query
	return p.request, nil
}

// read translates a parsed query; tokens are its tokens.
func (p *parser) read(node *queryNode, tokens []lexer.Token) {
	p.lone = true
	for _, t := range tokens {
		if t.Type == varToken {
			name := variableName(t.Value)
			p.taken[name] = true
			if _, of := p.about(name); of == "" {
				p.lone = false
			}
		}
	}
	p.values = p.ordered(tokens)
	p.translate(node)
}

// translate fills the request.
func (p *parser) translate(node *queryNode) {
	for _, d := range node.Prologue {
		p.declare(d)
	}
	switch {
	case node.Describe != nil:
		p.describe(node.Describe)
	case node.Ask != nil:
		if found, sc := p.group(node.Ask); len(p.errs) == 0 {
			p.whether(found, sc, position(node.Ask.Pos))
		}
	default:
		p.selects(node.Select)
	}
}

// selects fills the request of a SELECT.
func (p *parser) selects(s *selectNode) {
	p.request.Distinct = s.Distinct || s.Count != nil
	p.slice(s)
	p.choose(s)
	if len(p.errs) > 0 || p.browse(s) {
		return
	}
	found, sc := p.group(s.Where)
	if s.Count != nil && !p.counted(s, found) {
		return
	}
	if p.withoutAnswer(s, sc, found) {
		return
	}
	if s.All != nil {
		p.star(s, sc)
	}
	for _, o := range s.Order {
		p.order(o)
	}
	if len(p.errs) > 0 {
		return
	}
	p.checkChosen(s, sc)
	if len(p.errs) > 0 {
		return
	}
	p.finish(sc.seen[p.free], found)
	if p.others == nil {
		p.sliced(s, found)
	} else {
		p.several(s)
	}
}

// slice reads LIMIT and OFFSET.
func (p *parser) slice(s *selectNode) {
	for i, cut := range s.Slice {
		n, err := strconv.ParseUint(cut.N, 10, 31)
		switch {
		case err != nil:
			p.add(position(cut.Pos), "", "the number is %s, want a whole number from 0 to 2147483647", cut.N)
		case slices.ContainsFunc(s.Slice[:i], func(o *sliceNode) bool { return o.Limit == cut.Limit }):
			p.add(position(cut.Pos), "", "LIMIT and OFFSET are given once each")
		case cut.Limit:
			p.request.Limit = new(int(n))
		default:
			p.request.Offset = int(n)
		}
	}
}

// checkChosen refuses selected variables that are unbound in some solutions.
func (p *parser) checkChosen(s *selectNode, sc *scope) {
	for _, name := range append([]string{p.free}, p.others...) {
		switch v, ok := sc.seen[name]; {
		case !ok && p.values[name]:
			p.add(position(s.Pos), "name the entity that has it", "?%s stands for values, which are selected beside their entity and not counted", name)
		case !ok && s.Count != nil:
			p.add(position(s.Count.Of.Pos), "", "?%s does not occur in the pattern", name)
		case !ok && p.request.Values != nil:
			p.add(position(s.Vars[0].Token.Pos), "name the entity that has the values, or write SERVICE before other triples in the query that sends this one", "?%s does not occur in the pattern", name)
		case !ok:
			p.add(position(s.Vars[0].Token.Pos), "", "?%s does not occur in the pattern", name)
		case !sc.bound[name]:
			p.add(v.Pos, "give it a value in each part of the UNION", "?%s has no value in some solutions", name)
		case name != p.free:
			p.query.Others = append(p.query.Others, v)
		}
	}
}

// several refuses clauses that a SELECT of several variables does not support.
func (p *parser) several(s *selectNode) {
	if len(s.Order) > 0 {
		p.add(position(s.Order[0].Pos), "leave ORDER BY out", "the best rows of several variables come in their own order")
	}
	if p.request.Limit == nil {
		p.add(position(s.Pos), "write LIMIT 100 behind the pattern; to join all stored facts, "+elsewhere, "a SELECT of several variables returns the best rows, without saying how many")
	}
}

// withoutAnswer fills the request of a SELECT whose variable does not occur in the pattern, and reports whether it is one.
func (p *parser) withoutAnswer(s *selectNode, sc *scope, found ast.Formula) bool {
	_, place := sc.seen[p.free]
	if len(p.errs) > 0 || !constants(found) || place || p.others != nil || p.values[p.free] || p.request.Values != nil || s.Count != nil || s.All != nil && len(sc.order) > 0 {
		return false
	}
	p.request.Solution = true
	p.request.Selected = p.free
	p.whether(found, sc, found.Position())
	return true
}

// sliced refuses LIMIT and OFFSET of ordered solutions that may repeat an answer: SPARQL counts solutions, but
// each answer appears once.
func (p *parser) sliced(s *selectNode, found ast.Formula) {
	if !s.Distinct && len(s.Order) > 0 && len(s.Slice) > 0 && repeats(found, len(p.request.Values)) {
		p.add(position(s.Slice[0].Pos), "write SELECT DISTINCT", "an answer may repeat among the ordered solutions, which LIMIT and OFFSET count")
	}
}

// repeats reports whether an answer of a formula may have several solutions, given how many of its variables stand for
// selected values.
func repeats(found ast.Formula, selected int) bool {
	repeated := len(variables(found)) > 1+selected
	ast.Walk(found, func(f ast.Formula) {
		if _, ok := f.(*ast.Or); ok {
			repeated = true
		}
	})
	return repeated
}

// counted marks the request as a count, and reports whether the answers can be counted.
func (p *parser) counted(s *selectNode, found ast.Formula) bool {
	count := s.Count
	p.request.Count = variableName(count.As.Value)
	p.query.Wants = kind.Count
	switch pos := position(count.Pos); {
	case len(p.errs) > 0:
	case !count.Distinct && repeats(found, 0):
		p.add(pos, "write COUNT(DISTINCT "+count.Of.Value+")", "an answer may repeat among the solutions, which COUNT counts")
	case p.request.Judged:
		p.add(pos, "leave the condition out: the number tells known answers from expected ones", "answers that are counted have no confidence or status to filter by")
	case len(s.Order)+len(s.Slice) > 0:
		p.add(pos, "leave out ORDER BY, LIMIT and OFFSET", "a number has no order and no parts")
	}
	return len(p.errs) == 0
}

// choose resolves the selected variables; star resolves *.
func (p *parser) choose(s *selectNode) {
	if c := s.Count; c != nil {
		if c.Of.Type != varToken {
			p.add(position(c.Of.Pos), "count one variable, as in COUNT(DISTINCT ?y), or "+elsewhere, "solutions are not counted, but the answers of one variable")
			return
		}
		p.free = variableName(c.Of.Value)
		return
	}
	var first *lexer.Token
	for _, v := range s.Vars {
		t := &v.Token
		if _, about := p.about(variableName(t.Value)); about != "" {
			continue
		}
		if p.values[variableName(t.Value)] {
			p.request.Values = append(p.request.Values, Value{Name: variableName(t.Value), Pos: position(t.Pos)})
			continue
		}
		if first != nil {
			p.others = append(p.others, variableName(t.Value))
			continue
		}
		first = t
	}
	switch {
	case first != nil:
		p.free = variableName(first.Value)
	case len(p.request.Values) > 0: // refused below, unless something else is wrong
		p.free = p.request.Values[0].Name
		p.request.Values = nil
	case s.All == nil:
		p.add(position(s.Vars[0].Token.Pos), "", "%s says something about an answer: select the answer too", s.Vars[0].Token.Value)
	}
}

// star resolves the variables of SELECT *.
func (p *parser) star(s *selectNode, sc *scope) {
	var names []string
	for _, name := range sc.order {
		if p.made[name] == "" {
			names = append(names, name)
		}
	}
	for _, v := range p.valued {
		p.request.Values = append(p.request.Values, Value{Name: v.Name, Pos: v.Pos})
	}
	switch len(names) {
	case 0:
		p.add(position(s.Pos), "", "the pattern has no variable")
	case 1:
		p.free = names[0]
	default:
		p.free = names[0]
		p.others = names[1:]
		if p.request.Judged {
			p.add(position(s.Pos), "leave the filter out", unjudged)
		}
	}
}

// order records a condition of ORDER BY.
func (p *parser) order(o *orderNode) {
	t := cmp.Or(o.In, o.Var)
	name := variableName(t.Value)
	key, of := p.about(name)
	column := slices.Index(append([]string{p.free}, p.others...), cmp.Or(of, name))
	if value := slices.IndexFunc(p.request.Values, func(v Value) bool { return v.Name == name }); value >= 0 {
		key = ByValue
		column = value
	}
	if column < 0 {
		p.add(position(t.Pos), fmt.Sprintf("order by ?%s, ?%[1]s_label, ?%[1]s_confidence or ?%[1]s_status", p.free),
			"answers cannot be ordered by %s", t.Value)
	}
	p.request.Order = append(p.request.Order, Order{key, o.Down, column})
}

// whether fills the request of an ASK.
func (p *parser) whether(found ast.Formula, sc *scope, pos ast.Pos) {
	p.request.Ask = true
	p.request.Distinct = true
	switch {
	case found == nil:
		p.add(pos, "", "the pattern is empty")
		return
	case !p.request.Judged || len(sc.order) == 0:
		p.finish(ast.Term{}, found)
		return
	}
	for _, name := range sc.order {
		if sc.bound[name] {
			p.free = name
			p.finish(sc.seen[name], found)
			return
		}
	}
	p.add(pos, "", "no variable has a value in all solutions")
}

// finish makes the query: an existential quantifier binds all variables except the free ones. A sentence has no
// free variables.
func (p *parser) finish(free ast.Term, found ast.Formula) {
	q := p.query
	q.Free, q.FreePos, q.Formula, q.Pos = free.Name, free.Pos, found, found.Position()
	p.request.Query = q
	b := binder{request: p.request}
	b.bindValues()
	p.errs = append(p.errs, b.errs...)
	var others []ast.Term
	for _, v := range variables(q.Formula) {
		if v.Name != free.Name && !slices.Contains(p.others, v.Name) {
			others = append(others, v)
		}
	}
	if len(others) > 0 {
		q.Formula = &ast.Exists{Vars: others, Body: q.Formula, Pos: found.Position()}
	}
	if len(p.errs) > 0 {
		return
	}
	if err := q.Normalize(); err != nil {
		p.errs = append(p.errs, err.(lang.ErrorList)...)
	}
}
