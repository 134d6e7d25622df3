package lang

import (
	"fmt"

	"github.com/efoc/efoc/lang/ast"
	"github.com/efoc/efoc/lang/internal/token"
	"github.com/efoc/efoc/lang/limits"
)

// scope holds the aliases of a file.
type scope struct {
	aliases map[string]*ast.Alias
	used    map[string]bool // the aliases in use
}

// expander expands the abbreviations in the formula of one query.
type expander struct {
	reporter
	q *Query
	// taken holds the names of variables, generated ones included.
	taken map[string]bool
	// atoms counts the atoms of the expanded formula.
	atoms int
	// borrows says that an alias was expanded.
	borrows bool
}

// expand returns a query's formula without abbreviations and with the model's relation names. An expansion has
// the position of its abbreviation.
func (q *Query) expand() (ast.Formula, ErrorList) {
	x := &expander{reporter: reporter{src: q.Source}, q: q, taken: map[string]bool{}}
	for _, v := range q.Variables() {
		x.taken[v.Name] = true
	}
	ast.Walk(q.Formula, func(f ast.Formula) {
		for _, v := range ast.Quantified(f) {
			x.taken[v.Name] = true
		}
		for _, t := range ast.Terms(f) {
			x.taken[t.Name] = true
		}
	})
	plain := x.formula(q.Formula)
	q.borrows = x.borrows
	return plain, x.errs
}

// formula expands a part of the formula.
func (x *expander) formula(f ast.Formula) ast.Formula {
	switch f := f.(type) {
	case *ast.And:
		return &ast.And{Args: each(f.Args, x.formula), Pos: f.Pos}
	case *ast.Or:
		return &ast.Or{Args: each(f.Args, x.formula), Pos: f.Pos}
	case *ast.Not:
		return &ast.Not{Arg: x.formula(f.Arg), Pos: f.Pos}
	case *ast.Implies:
		return &ast.Or{Args: []ast.Formula{&ast.Not{Arg: x.formula(f.If), Pos: f.Pos}, x.formula(f.Then)}, Pos: f.Pos}
	case *ast.Exists:
		return &ast.Exists{Vars: f.Vars, Body: x.formula(f.Body), Pos: f.Pos}
	case *ast.Forall:
		refusal := "a formula of EFO1 says \"for every\" only under a negation, as in !(forall x. …)"
		return &ast.Not{Arg: &ast.Exists{Vars: f.Vars, Body: &ast.Not{Arg: x.formula(f.Body), Pos: f.Pos}, Pos: f.Pos, Refusal: refusal}, Pos: f.Pos}
	case *ast.Path:
		return x.path(f)
	case *ast.Atom:
		return x.apply(f.Relation, f.Head, f.Tail, f.Pos)
	}
	x.atoms++ // an inequality or a filter
	return f
}

// each applies a function to each formula of a list.
func each(list []ast.Formula, of func(ast.Formula) ast.Formula) []ast.Formula {
	out := make([]ast.Formula, len(list))
	for i, f := range list {
		out[i] = of(f)
	}
	return out
}

// missing replaces an abbreviation that has a mistake.
func missing(pos ast.Pos) ast.Formula { return &ast.Atom{Pos: pos} }

// relation returns the relation of the model that a written relation denotes.
func (s *scope) relation(r ast.Relation) ast.Relation {
	if s != nil && !r.Param && !r.Quoted {
		if a := s.aliases[r.Name]; a != nil {
			s.used[a.Name] = true
			r.Name = a.Relation.Name
			r.Inverse = r.Inverse != a.Relation.Inverse
		}
	}
	r.Quoted = false
	return r
}

// relation returns the relation of the model that a written relation denotes.
func (x *expander) relation(r ast.Relation) ast.Relation {
	meant := x.q.scope.relation(r)
	x.borrows = x.borrows || meant.Name != r.Name || meant.Inverse != r.Inverse || r.Quoted
	return meant
}

// apply returns an atom of a relation.
func (x *expander) apply(r ast.Relation, head, tail ast.Term, pos ast.Pos) ast.Formula {
	x.atoms++
	return &ast.Atom{Relation: x.relation(r), Head: head, Tail: tail, Pos: pos}
}

// path expands a path.
func (x *expander) path(f *ast.Path) ast.Formula {
	steps := f.Most + max(0, f.Most-max(1, f.Least))
	n := len(f.Relations) * steps
	if f.Least == 0 {
		n++
	}
	if len(x.errs) > 0 {
		return missing(f.Pos)
	}
	if x.atoms+n > limits.Atoms {
		x.add(f.Pos, "", "%s stands for %d atoms, with which the formula is over the limit of %d", token.Clip(f.String(), token.MaxClip), n, limits.Atoms)
		return missing(f.Pos)
	}
	if f.Least == 0 {
		x.atoms++
	}
	chain := ast.Chain{Least: f.Least, Most: f.Most, Pos: f.Pos, Written: f.String()}
	chain.Via = func() ast.Term { return ast.Term{Name: x.fresh("via"), Pos: f.Pos} }
	chain.Step = func(from, to ast.Term) ast.Formula {
		var choice []ast.Formula
		for _, r := range f.Relations {
			choice = append(choice, x.apply(r, from, to, f.Pos))
		}
		return ast.Either(choice, f.Pos)
	}
	return chain.Between(f.Head, f.Tail)
}

// fresh returns a name that is unique in the query.
func (x *expander) fresh(name string) string {
	unique := name
	for i := 2; x.taken[unique]; i++ {
		unique = fmt.Sprintf("%s_%d", name, i)
	}
	x.taken[unique] = true
	return unique
}
