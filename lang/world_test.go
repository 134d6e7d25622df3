package lang

import (
	"maps"
	"slices"
	"strconv"

	"pgregory.net/rapid"

	"github.com/efoc/efoc/lang/ast"
)

// world is a tiny structure: the facts of the relations, by name and inverse, and the elements denoted by the
// names of entities.
type world struct {
	size     int
	holds    map[string][]bool
	entities map[string]int
}

// drawWorld draws a world of three elements for the names of soundGen.
func drawWorld(t *rapid.T) *world {
	w := &world{size: 3, holds: make(map[string][]bool), entities: make(map[string]int)}
	for _, r := range []string{"r", "s", "to do", "$p1", "$p2"} {
		w.holds[r] = rapid.SliceOfN(rapid.Bool(), 9, 9).Draw(t, r)
	}
	for _, e := range []string{"a", "b c", "ü", "$e1", "$e2"} {
		w.entities[e] = rapid.IntRange(0, 2).Draw(t, e)
	}
	return w
}

// entity returns the element that a term denotes.
func (w *world) entity(t ast.Term, env map[string]int) int {
	switch t.Kind {
	case ast.Constant:
		return w.entities[t.Name]
	case ast.Parameter:
		return w.entities["$"+t.Name]
	}
	return env[t.Name]
}

// atom evaluates an atom.
func (w *world) atom(r ast.Relation, head, tail ast.Term, env map[string]int) bool {
	name := r.Name
	if r.Param {
		name = "$" + name
	}
	h, u := w.entity(head, env), w.entity(tail, env)
	if r.Inverse {
		h, u = u, h
	}
	return w.holds[name][h*w.size+u]
}

// formula evaluates a formula as written.
func (w *world) formula(f ast.Formula, env map[string]int) bool {
	switch f := f.(type) {
	case *ast.And:
		return !slices.ContainsFunc(f.Args, func(a ast.Formula) bool { return !w.formula(a, env) })
	case *ast.Or:
		return slices.ContainsFunc(f.Args, func(a ast.Formula) bool { return w.formula(a, env) })
	case *ast.Not:
		return !w.formula(f.Arg, env)
	case *ast.Implies:
		return !w.formula(f.If, env) || w.formula(f.Then, env)
	case *ast.Exists:
		return w.some(ast.Names(f.Vars), env, func(env map[string]int) bool { return w.formula(f.Body, env) })
	case *ast.Forall:
		return !w.some(ast.Names(f.Vars), env, func(env map[string]int) bool { return !w.formula(f.Body, env) })
	case *ast.Path:
		return w.path(f, env)
	case *ast.Atom:
		return w.atom(f.Relation, f.Head, f.Tail, env)
	case *ast.Unequal:
		return w.entity(f.Left, env) != w.entity(f.Right, env)
	case *ast.Filter:
		return meets(f.Condition, w.entity(f.Subject, env))
	}
	panic("unknown formula")
}

// meets reports whether a number meets a condition.
func meets(c ast.Condition, number int) bool {
	return c.Negated == slices.ContainsFunc(c.Comparisons, func(by ast.Comparison) bool {
		y, _ := strconv.Atoi(by.Value)
		return !map[string]bool{"<": number < y, "<=": number <= y, ">=": number >= y, "=": number == y, "!=": number != y}[by.Operator]
	})
}

// path reports whether a path leads from its head to its tail, by computing the elements reached after each
// number of steps.
func (w *world) path(f *ast.Path, env map[string]int) bool {
	reached := map[int]bool{w.entity(f.Head, env): true}
	for step := 0; ; step++ {
		if step >= f.Least && reached[w.entity(f.Tail, env)] {
			return true
		}
		if step == f.Most {
			return false
		}
		next := map[int]bool{}
		for from := range reached {
			for to := range w.size {
				ends := map[string]int{"from": from, "to": to}
				for _, r := range f.Relations {
					next[to] = next[to] || w.atom(r, ast.Term{Name: "from"}, ast.Term{Name: "to"}, ends)
				}
			}
		}
		for to, is := range next {
			if !is {
				delete(next, to)
			}
		}
		reached = next
	}
}

// some reports whether a condition holds for some values of the variables.
func (w *world) some(vars []string, env map[string]int, holds func(map[string]int) bool) bool {
	if len(vars) == 0 {
		return holds(env)
	}
	inner := maps.Clone(env)
	if inner == nil {
		inner = map[string]int{}
	}
	for e := range w.size {
		inner[vars[0]] = e
		if w.some(vars[1:], inner, holds) {
			return true
		}
	}
	return false
}

// dnf evaluates a disjunctive normal form, given the values of its free variables.
func (w *world) dnf(d *ast.DNF, env map[string]int) bool {
	return slices.ContainsFunc(d.Disjuncts, func(s ast.Disjunct) bool {
		vars := slices.DeleteFunc(existential(s, d.Free), func(v string) bool { _, free := env[v]; return free })
		return w.some(vars, env, func(env map[string]int) bool {
			return !slices.ContainsFunc(s.Literals, func(l ast.Literal) bool {
				switch l.Kind {
				case ast.SameAtom:
					return (w.entity(l.Head, env) == w.entity(l.Tail, env)) == l.Negated
				case ast.FilterAtom:
					return meets(l.Condition, w.entity(l.Head, env)) == l.Negated
				}
				return w.atom(l.Relation, l.Head, l.Tail, env) == l.Negated
			})
		})
	})
}

// existential returns the existential variables of a disjunct.
func existential(s ast.Disjunct, free string) []string {
	var vars []string
	for _, l := range s.Literals {
		for _, t := range l.Terms() {
			if t.Kind == ast.Variable && t.Name != free && !slices.Contains(vars, t.Name) {
				vars = append(vars, t.Name)
			}
		}
	}
	return vars
}
