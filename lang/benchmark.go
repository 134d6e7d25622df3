package lang

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// The names of a benchmark formula.
var (
	entitySlot      = regexp.MustCompile(`^s(0|[1-9][0-9]*)$`)
	existentialSlot = regexp.MustCompile(`^e(0|[1-9][0-9]*)$`)
	relationSlot    = regexp.MustCompile(`^r(0|[1-9][0-9]*)$`)
	freeSlot        = regexp.MustCompile(`^f(0|[1-9][0-9]*)?$`)
)

// ParseBenchmark parses and checks a formula string of the EFO-1 and FIT data
// sets, such as (r1(s1,e1))&(!(r2(e1,f))): s1, s2, … become entity parameters,
// r1, r2, … relation parameters, e1, e2, … are existential, and f or f1 is the
// free variable. The parameters are in numerical order, entities first. The
// error is an ErrorList.
func ParseBenchmark(text string) (*Query, error) {
	p := newParser("", text)
	formula := p.sole()
	if formula == nil {
		return nil, p.err()
	}
	q := &Query{Pos: formula.Position(), src: p.src}
	if p.slots(q, formula); len(p.errs) == 0 {
		p.check(q)
	}
	if err := p.err(); err != nil {
		return nil, err
	}
	return q, nil
}

// slots turns the names of a benchmark formula into parameters and variables.
func (p *parser) slots(q *Query, formula Formula) {
	var entities, relations []Param
	var existential []Term
	seen := make(map[string]bool)
	// term converts an argument.
	term := func(t *Term) {
		first := !seen[t.Name]
		seen[t.Name] = true
		switch {
		case t.Kind != Variable:
			p.add(t.Pos, "", "a benchmark formula names no entities: use s1, s2, …")
		case entitySlot.MatchString(t.Name):
			t.Kind = Parameter
			if first {
				entities = append(entities, Param{t.Name, EntityKind, t.Pos})
			}
		case existentialSlot.MatchString(t.Name):
			if first {
				existential = append(existential, *t)
			}
		case t.Name == "f" || t.Name == "f1":
			if q.Free != "" && q.Free != t.Name {
				p.add(t.Pos, "queries with several free variables are not supported", "%s is a second free variable after %s", t.Name, q.Free)
			} else if q.Free == "" {
				q.Free, q.FreePos = t.Name, t.Pos
			}
		case freeSlot.MatchString(t.Name):
			p.add(t.Pos, "queries with several free variables are not supported", "%s cannot be a free variable: the only one is f or f1", t.Name)
		default:
			p.add(t.Pos, "arguments are s1, s2, … for entities, e1, e2, … for existential variables and f for the free one",
				"%s is not an argument of a benchmark formula", t.Name)
		}
	}
	walk(formula, func(f Formula) {
		switch f := f.(type) {
		case *Exists:
			p.add(f.Pos, "e1, e2, … are existential without a quantifier", "a benchmark formula has no quantifiers")
		case *Atom:
			r := &f.Relation
			if r.Param || !relationSlot.MatchString(r.Name) {
				p.add(r.Pos, "relations are r1, r2, …", "%s is not a relation of a benchmark formula", *r)
			} else {
				if !seen[r.Name] {
					relations = append(relations, Param{r.Name, RelationKind, r.Pos})
				}
				seen[r.Name] = true
			}
			r.Param = true
			term(&f.Head)
			term(&f.Tail)
		}
	})
	if q.Free == "" && len(p.errs) == 0 {
		p.add(q.Pos, "the free variable is f or f1", "the formula has no free variable")
	}
	byNumber := func(a, b string) int {
		return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
	}
	slices.SortFunc(entities, func(a, b Param) int { return byNumber(a.Name, b.Name) })
	slices.SortFunc(relations, func(a, b Param) int { return byNumber(a.Name, b.Name) })
	slices.SortFunc(existential, func(a, b Term) int { return byNumber(a.Name, b.Name) })
	q.Params = append(entities, relations...)
	q.Formula = formula
	if len(existential) > 0 {
		q.Formula = &Exists{Vars: existential, Body: formula, Pos: formula.Position()}
	}
}

// walk calls visit for a formula and all its parts, in source order.
func walk(f Formula, visit func(Formula)) {
	visit(f)
	switch f := f.(type) {
	case *And:
		for _, a := range f.Args {
			walk(a, visit)
		}
	case *Or:
		for _, a := range f.Args {
			walk(a, visit)
		}
	case *Not:
		walk(f.Arg, visit)
	case *Exists:
		walk(f.Body, visit)
	case *Atom:
	default:
		panic(fmt.Sprintf("internal error: lang: unknown formula %T", f))
	}
}
