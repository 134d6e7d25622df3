package lang

import (
	"strconv"

	"github.com/alecthomas/participle/v2/lexer"
)

// TypeFilter says of which type the answers must be, by a fact of the graph.
type TypeFilter struct {
	// Relation leads from an answer to its type. Its name is empty where the text names none:
	// then it is the one that the model has for types.
	Relation Relation
	// Entity is the type, a Constant.
	Entity Term
	Pos    Pos

	variable Term // whose type it is
}

// String prints the type: City, or instance_of("City").
func (l *TypeFilter) String() string {
	if l.Relation.Name != "" {
		return l.Relation.String() + "(" + l.Entity.String() + ")"
	}
	if isIdent(l.Entity.Name) {
		return l.Entity.Name
	}
	return strconv.Quote(l.Entity.Name)
}

// limited is the conjunct y: City of a formula as it was read, from which takeLimit removes
// it.
type limited struct{ *TypeFilter }

// Position is where the limit starts.
func (f *limited) Position() Pos { return f.Pos }

// limit converts a type.
func (p *parser) limit(variable lexer.Token, n *typeNode) *TypeFilter {
	l := &TypeFilter{Pos: position(variable.Pos), variable: p.term(variable)}
	name := n.Name
	if n.Entity != nil {
		l.Relation = Relation{Name: p.name(n.Name), Inverse: n.Inverse, Pos: position(n.Name.Pos)}
		name = *n.Entity
	}
	l.Entity = Term{Kind: Constant, Name: p.name(name), Pos: position(name.Pos)}
	return l
}

// takeLimit moves the limit from the query's formula to where it belongs. A limit holds for
// all answers, so that only & and exists may stand around it.
func (p *parser) takeLimit(q *Query) {
	rest := p.withoutLimits(q.Formula, func(l *TypeFilter) {
		if q.Limit != nil {
			p.add(l.Pos, "ask for the other one with an atom", "%s has a type already, at %s", l.variable, at(q.Limit.Pos))
			return
		}
		q.Limit = l
	})
	if rest == nil {
		p.add(q.Limit.Pos, "a type leaves out answers of a formula: join one by &", "there is nothing to answer but a type")
		return
	}
	q.Formula = rest
}

// withoutLimits returns what is left of a formula without its limits, nil where that is
// nothing, and calls found with each.
func (p *parser) withoutLimits(f Formula, found func(*TypeFilter)) Formula {
	switch f := f.(type) {
	case *limited:
		found(f.TypeFilter)
		return nil
	case *Exists:
		if body := p.withoutLimits(f.Body, found); body != nil {
			return &Exists{f.Vars, body, f.Pos}
		}
		return nil
	case *And:
		var args []Formula
		for _, a := range f.Args {
			if rest := p.withoutLimits(a, found); rest != nil {
				args = append(args, rest)
			}
		}
		switch len(args) {
		case 0:
			return nil
		case 1:
			return args[0]
		}
		return &And{args, f.Pos}
	}
	Walk(f, func(part Formula) {
		if l, ok := part.(*limited); ok {
			p.add(l.Pos, "put it in front of the formula: "+l.variable.Name+": "+l.String()+" & (…)",
				"a type filter applies to the whole query and cannot stand under | or !")
		}
	})
	return f
}

// checkLimit reports a limit of another variable than the free one.
func (p *parser) checkLimit(q *Query) {
	if l := q.Limit; l != nil && l.variable.Name != q.Free {
		p.add(l.Pos, "say it with an atom, such as instance_of("+l.variable.Name+", "+l.Entity.String()+")",
			"only the answers, %s, can be limited to a type, not %s", q.Free, l.variable.Name)
	}
}
