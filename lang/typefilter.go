package lang

import (
	"fmt"
	"strconv"

	"github.com/alecthomas/participle/v2/lexer"
)

// TypeFilter keeps only answers that the graph types by a fact.
type TypeFilter struct {
	// Relation leads from an answer to its type. If its name is empty, it is the model's own type
	// relation.
	Relation Relation
	// Entity is the type, a Constant.
	Entity Term
	Pos    Pos

	variable Term     // whose type it is
	written  Relation // as it was written, with its alias
}

// String prints the type: City, or instance_of("City").
func (l *TypeFilter) String() string {
	if l.Relation.Name != "" {
		return l.asWritten().String() + "(" + l.Entity.String() + ")"
	}
	if IsIdent(l.Entity.Name) {
		return l.Entity.Name
	}
	return strconv.Quote(l.Entity.Name)
}

// hint says what to write in place of a type that is not known without its relation.
func (l *TypeFilter) hint() string {
	return fmt.Sprintf("write %s: RELATION(%q), with the relation that leads to types, or make the model with import or train --type-relation RELATION",
		l.variable.Name, l.Entity.Name)
}

// asWritten returns the relation as it was written.
func (l *TypeFilter) asWritten() Relation {
	if l.written.Name != "" {
		return l.written
	}
	return l.Relation
}

// filterNode is the conjunct y: City of a formula as it was read. takeTypeFilter removes it.
type filterNode struct{ *TypeFilter }

// Position is where the filter starts.
func (f *filterNode) Position() Pos { return f.Pos }

// typeFilter converts a type.
func (p *parser) typeFilter(variable lexer.Token, n *typeNode) *TypeFilter {
	l := &TypeFilter{Pos: position(variable.Pos), variable: p.term(variable)}
	name := n.Name
	if n.Entity != nil {
		l.written = p.relation(n.Name, n.Inverse)
		l.Relation = p.scope.relation(l.written)
		name = *n.Entity
	}
	l.Entity = Term{Kind: Constant, Name: p.name(name), Pos: position(name.Pos)}
	return l
}

// takeTypeFilter moves the type filter from the query's formula to the query. It applies to all
// answers, so only & and exists may stand around it.
func (p *parser) takeTypeFilter(q *Query) {
	rest := p.withoutTypeFilters(q.Formula, func(l *TypeFilter) {
		if q.TypeFilter != nil {
			p.add(l.Pos, "ask for the other one with an atom", "%s has a type already, at %s", l.variable, at(q.TypeFilter.Pos))
			return
		}
		q.TypeFilter = l
	})
	if rest == nil {
		p.add(q.TypeFilter.Pos, "a type leaves out answers of a formula: join one by &", "there is nothing to answer but a type")
		return
	}
	q.Formula = rest
}

// withoutTypeFilters returns a formula without its type filters, nil if nothing is left, and calls
// found with each filter.
func (p *parser) withoutTypeFilters(f Formula, found func(*TypeFilter)) Formula {
	switch f := f.(type) {
	case *filterNode:
		found(f.TypeFilter)
		return nil
	case *Exists:
		if body := p.withoutTypeFilters(f.Body, found); body != nil {
			return &Exists{Vars: f.Vars, Body: body, Pos: f.Pos}
		}
		return nil
	case *And:
		var args []Formula
		for _, a := range f.Args {
			if rest := p.withoutTypeFilters(a, found); rest != nil {
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
		if l, ok := part.(*filterNode); ok {
			p.add(l.Pos, "put it in front of the formula: "+l.variable.Name+": "+l.String()+" & (…)",
				"a type filter applies to the whole query and cannot stand under | or !")
		}
	})
	return f
}

// checkTypeFilter reports a type filter of another variable than the free one, or of one of several.
func (p *parser) checkTypeFilter(q *Query) {
	l := q.TypeFilter
	if l == nil {
		return
	}
	hint := "say it with an atom, such as instance_of(" + l.variable.Name + ", " + strconv.Quote(l.Entity.Name) + ")"
	switch {
	case q.Free == "":
		p.add(l.Pos, hint, "a sentence, which has no free variable, has no answers to limit to a type")
	case len(q.Others) > 0:
		p.add(l.Pos, hint, "a query with several answer variables has no type filter")
	case l.variable.Name != q.Free:
		p.add(l.Pos, hint,
			"only the answers, %s, can be limited to a type, not %s", q.Free, l.variable.Name)
	}
}
