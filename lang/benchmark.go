package lang

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/efoc/efoc/lang/ast"
	"github.com/efoc/efoc/runtime/kind"
)

// slotName matches the names of a benchmark formula: s1, e1, r1, f, f1, …
var slotName = regexp.MustCompile(`^([sre](0|[1-9][0-9]*)|f(0|[1-9][0-9]*)?)$`)

// ParseBenchmark parses and checks a formula string of the EFO-1 and FIT data sets, such as
// (r1(s1,e1))&(!(r2(e1,f))). s1, s2, … become entity parameters and r1, r2, … relation parameters; e1, e2, …
// are existential, and f or f1, f2, … are free. Parameters are in numerical order, entities first. The error is
// an ErrorList.
func ParseBenchmark(text string) (*Query, error) {
	return parseSole(text, (*parser).slots)
}

// slots turns the names of a benchmark formula into parameters and variables.
func (p *parser) slots(q *Query) {
	s := slotReader{p, map[byte][]ast.Term{}}
	ast.Walk(q.Formula, s.formula)
	first := s.first
	if len(first['f']) == 0 && len(p.errs) == 0 {
		p.add(q.Pos, "the free variable is f, or they are f1, f2, …", "the formula has no free variable")
	}
	for _, terms := range first {
		slices.SortFunc(terms, func(a, b ast.Term) int {
			return cmp.Or(cmp.Compare(len(a.Name), len(b.Name)), strings.Compare(a.Name, b.Name))
		})
	}
	for _, t := range first['s'] {
		q.Params = append(q.Params, Param{t.Name, kind.Entity, t.Pos})
	}
	for _, t := range first['r'] {
		q.Params = append(q.Params, Param{t.Name, kind.Relation, t.Pos})
	}
	if free := first['f']; len(free) > 0 {
		q.Free = free[0].Name
		q.FreePos = free[0].Pos
		q.Others = free[1:]
	}
	if vars := first['e']; len(vars) > 0 {
		q.Formula = &ast.Exists{Vars: vars, Body: q.Formula, Pos: q.Formula.Position()}
	}
}

// slotReader reads the names of a benchmark formula.
type slotReader struct {
	*parser
	// first holds the first occurrence of each name, by initial letter.
	first map[byte][]ast.Term
}

// kind returns the initial letter of a slot's name, 0 if name is none.
func (s slotReader) kind(name string, pos ast.Pos) byte {
	if !slotName.MatchString(name) {
		return 0
	}
	if !ast.HasName(s.first[name[0]], name) {
		s.first[name[0]] = append(s.first[name[0]], ast.Term{Name: name, Pos: pos})
	}
	return name[0]
}

// formula converts the atoms of f and refuses constructs that benchmark formulas lack.
func (s slotReader) formula(f ast.Formula) {
	switch f := f.(type) {
	case *ast.Exists:
		s.add(f.Pos, "e1, e2, … are existential without a quantifier", "a benchmark formula has no quantifiers")
	case *ast.Path, *ast.Implies:
		s.add(f.Position(), "write its atoms", "a benchmark formula has no paths and implications")
	case *ast.Forall:
		s.add(f.Pos, "e1, e2, … are existential without a quantifier", "a benchmark formula has no quantifiers")
	case *ast.Unequal, *ast.Filter:
		s.add(f.Position(), "", "a benchmark formula has no inequalities or filters")
	case *ast.Atom:
		r := &f.Relation
		if r.Param || s.kind(r.Name, r.Pos) != 'r' {
			s.add(r.Pos, "relations are r1, r2, …", "%s is not a relation of a benchmark formula", *r)
		}
		r.Param = true
		s.term(&f.Head)
		s.term(&f.Tail)
	}
}

// term converts an argument.
func (s slotReader) term(t *ast.Term) {
	if t.Kind != ast.Variable {
		s.add(t.Pos, "", "a benchmark formula names no entities: use s1, s2, …")
		return
	}
	switch s.kind(t.Name, t.Pos) {
	case 's':
		t.Kind = ast.Parameter
	case 'e':
	case 'f':
		if one := s.first['f'][0].Name; t.Name != one && (t.Name == "f" || one == "f") {
			s.add(t.Pos, "several free variables are f1, f2, …", "%s is a second free variable after %s", t.Name, one)
		}
	default:
		s.add(t.Pos, "arguments are s1, s2, … for entities, e1, e2, … for existential variables and f for the free one",
			"%s is not an argument of a benchmark formula", t.Name)
	}
}
