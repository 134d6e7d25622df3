package lang

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/efoc/efoc/lang/ast"
	"github.com/efoc/efoc/lang/limits"
	"github.com/efoc/efoc/testdata/require"
	"github.com/efoc/efoc/testdata/seed"
)

func TestNormalize(t *testing.T) {
	for _, c := range []struct{ name, formula, want string }{
		{"atom", `r("a", y)`, `r("a", y)`},
		{"distribution", `(r("a", y) | s("a", y)) & (t("b", y) | !u("b", y))`,
			"r(\"a\", y) & t(\"b\", y)\nr(\"a\", y) & !u(\"b\", y)\ns(\"a\", y) & t(\"b\", y)\ns(\"a\", y) & !u(\"b\", y)"},
		{"de Morgan", `r("a", y) & !(s("b", y) & !t("c", y))`, "r(\"a\", y) & !s(\"b\", y)\nr(\"a\", y) & t(\"c\", y)"},
		{"double negation", `!!exists x. r("a", x) & !!!s(x, y)`, `r("a", x) & !s(x, y)`},
		{"siblings", `(exists x. r("a", x) & s(x, y)) & exists x. t("b", x) & s(x, y)`,
			`r("a", x) & s(x, y) & t("b", x_2) & s(x_2, y)`},
		{"names taken", `(exists x, x_2. r("a", x) & s(x, x_2) & t(x_2, y)) & exists x. t("b", x) & s(x, y)`,
			`r("a", x) & s(x, x_2) & t(x_2, y) & t("b", x_3) & s(x_3, y)`},
		{"names taken later", `(exists x. r("a", x) & s(x, y)) & (exists x. t("b", x) & s(x, y)) & exists x_2. u("b", x_2) & s(x_2, y)`,
			`r("a", x) & s(x, y) & t("b", x_3) & s(x_3, y) & u("b", x_2) & s(x_2, y)`},
		{"name of the free variable", `(exists x. r("a", x) & s(x, x_2)) & exists x. t("b", x) & s(x, x_2)`,
			`r("a", x) & s(x, x_2) & t("b", x_3) & s(x_3, x_2)`},
		{"equal literals", `r("a", y) & s("b", y) & r("a", y) & !t("c", y) & !t("c", y)`, `r("a", y) & s("b", y) & !t("c", y)`},
		{"inequality", `exists x. r("a", x) & r(x, y) & y != "a" & x ≠ y`, `r("a", x) & r(x, y) & y != "a" & x != y`},
		{"equal inequalities", `y != "a" & r("a", y) & "a" != y`, `y != "a" & r("a", y)`},
		{"inequality distributed", `r("a", y) & (y != "b" | s("b", y))`, "r(\"a\", y) & y != \"b\"\nr(\"a\", y) & s(\"b\", y)"},
		{"equality to the free variable", `exists x. r("a", x) & s("b", y) & !(x != y)`, `r("a", y) & s("b", y)`},
		{"equality of variables, merged", `exists x, z. r("a", x) & r("a", z) & s(z, y) & !z != x`, `r("a", x) & s(x, y)`},
		{"equality to an entity", `exists x. r(x, y) & !("a" != x) & x != y`, `r("a", y) & y != "a"`},
		{"equality in one disjunct", `exists x. r("a", y) & (s(x, y) & !(x != "b") | t("c", x) & s(x, y))`,
			"r(\"a\", y) & s(\"b\", y)\nr(\"a\", y) & t(\"c\", x) & s(x, y)"},
		{"equal to itself", `r("a", y) & !(y != y)`, `r("a", y)`},
		{"equality that contradicts", `exists x. r("a", x) & r("b", y) & !(x != y) & x != y | s("c", y)`, `s("c", y)`},
		{"inverse of an equal literal", `r("a", y) & r^-1(y, "a")`, `r("a", y)`},
		{"inverse of an equal negated literal", `s("a", y) & !r^-1(y, "a") & !r("a", y)`, `s("a", y) & !r("a", y)`},
		{"inverse of another literal", `r("a", y) & r^-1("a", y)`, `r("a", y) & r^-1("a", y)`},
		{"contradiction by an inverse", `r("a", y) & !r^-1(y, "a") | s("a", y)`, `s("a", y)`},
		{"disjuncts that differ in direction", `(exists x. r("a", x) & s(x, y)) | exists x. r("a", x) & s(y, x)`,
			"r(\"a\", x) & s(x, y)\nr(\"a\", x_2) & s^-1(x_2, y)"},
		{"entities first", `r(y, "a") & s^-1(y, "b") & !t^-1("c", y)`, `r^-1("a", y) & s("b", y) & !t^-1("c", y)`},
		{"towards the free variable", `exists u, v. r("a", u) & s(v, u) & !t(y, v)`, `r("a", u) & s^-1(u, v) & !t^-1(v, y)`},
		{"by distance from the free variable", `exists u, v. r(u, "a") & s(u, v) & t(v, y) & p(y, u)`,
			`r^-1("a", u) & s(u, v) & t(v, y) & p^-1(u, y)`},
		{"equally far", `exists u, v. r("a", u) & s(u, y) & s(v, y) & p(v, u) & q^-1(v, u)`,
			`r("a", u) & s(u, y) & s(v, y) & p(v, u) & q(u, v)`},
		{"directions of one atom in two disjuncts", `exists u, v. r("a", u) & s("b", v) & p(u, v) & (t(u, y) | t(v, y))`,
			"r(\"a\", u) & s(\"b\", v) & p^-1(v, u) & t(u, y)\nr(\"a\", u) & s(\"b\", v) & p(u, v) & t(v, y)"},
		{"loop turned", `r("a", y) & s^-1(y, y)`, `r("a", y) & s(y, y)`},
		{"entities connect nothing", `exists u, v. r("a", y) & s("a", u) & t(u, v) & t(v, y)`, `r("a", y) & s("a", u) & t(u, v) & t(v, y)`},
		{"disjuncts that differ in links",
			`(exists x, z. r("a", x) & r("a", z) & s(x, y) & t(x, y)) | exists x, z. r("a", x) & r("a", z) & s(x, y) & t(z, y)`,
			"r(\"a\", x) & r(\"a\", z) & s(x, y) & t(x, y)\nr(\"a\", x_2) & r(\"a\", z_2) & s(x_2, y) & t(z_2, y)"},
		{"unused variable of a disjunct", `exists x. r("a", y) | s("b", x) & t(x, y)`, "r(\"a\", y)\ns(\"b\", x) & t(x, y)"},
		{"loop", `r("a", y) & s(y, y)`, `r("a", y) & s(y, y)`},
	} {
		t.Run(c.name, func(t *testing.T) {
			q, err := ParseFormula(c.formula)
			require.NoError(t, err)
			dnf, _, err := normalize(q)
			require.NoError(t, err)
			if got := dnf.String(); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

// TestNormalizeSites checks that the copies of an atom keep its site.
func TestNormalizeSites(t *testing.T) {
	q, err := ParseFormula(`(r("a", y) | s("b", y)) & t("c", y)`)
	require.NoError(t, err)
	dnf, _, err := normalize(q)
	require.NoError(t, err)
	var got []string
	for _, s := range dnf.Disjuncts {
		for _, l := range s.Literals {
			got = append(got, fmt.Sprintf("%d@%d", l.Site, l.Pos.Col))
		}
	}
	if want := "0@2 2@27 1@14 2@27"; strings.Join(got, " ") != want {
		t.Errorf("got %v, want %s", got, want)
	}
}

// TestNormalizeErrors builds queries that no parser produces.
func TestNormalizeErrors(t *testing.T) {
	y := ast.Term{Name: "y"}
	atom := &ast.Atom{Relation: ast.Relation{Name: "r"}, Head: ast.Term{Kind: ast.Constant, Name: "a"}, Tail: y}
	var deep ast.Formula = atom
	for range limits.Nesting + 1 {
		deep = &ast.Not{Arg: deep}
	}
	for _, c := range []struct {
		formula ast.Formula
		want    string
	}{
		{&ast.And{}, "a conjunction needs an operand"},
		{&ast.Or{}, "a disjunction needs an operand"},
		{&ast.Exists{Body: atom}, "a quantifier needs a variable"},
		{&ast.Atom{Head: y, Tail: ast.Term{Kind: ast.Constant}}, "an argument's name cannot be empty"},
		{&ast.Atom{Head: y, Tail: ast.Term{Kind: ast.Constant, Name: "a"}}, "a relation's name cannot be empty"},
		{deep, "nests more than 100 deep"},
		{&ast.Not{Arg: &ast.Exists{Vars: []ast.Term{{Name: "x"}}, Body: atom}}, `a negated exists says "for no x"`},
	} {
		_, _, err := normalize(&Query{Free: "y", Formula: c.formula})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

// checkParts compares a query with several answer variables with its parts: a marginal holds if some values of
// the other variables make the normal form true. The query for a variable given those before it holds if some
// values of those after it do, provided that the omitted literals, which mention only given terms, hold too.
func checkParts(t *rapid.T, q *Query, dnf *ast.DNF, w *world) {
	q.Normal = dnf
	defer func() { q.Normal = nil }()
	vars := ast.Names(q.Variables())
	holds := func(env map[string]int) bool { return w.dnf(dnf, env) }
	for i, v := range vars {
		others := slices.Delete(slices.Clone(vars), i, i+1)
		for e := range w.size {
			env := map[string]int{v: e}
			want := w.some(others, env, holds)
			for _, got := range []bool{w.formula(q.Marginal(i).Formula, env), w.dnf(q.Marginal(i).Normal, env)} {
				if got != want {
					t.Fatalf("%s\nhas the marginal %s", q, q.Marginal(i))
				}
			}
		}
		w.some(vars[:i+1], map[string]int{}, func(env map[string]int) bool {
			want, got := w.some(vars[i+1:], env, holds), false
			for d := range dnf.Disjuncts {
				got = got || w.given(q, d, i, env)
			}
			if got != want {
				t.Fatalf("%s\nis %v of %v up to %s, by parts %v", q, want, env, v, got)
			}
			return false
		})
	}
}

// given evaluates a disjunct for the given variables and variable i, using the queries Given.
func (w *world) given(q *Query, disjunct, i int, env map[string]int) bool {
	inner := &world{size: w.size, holds: w.holds, entities: maps.Clone(w.entities)}
	for j, v := range q.Variables()[:i] {
		inner.entities["$"+q.givenName(v.Name)] = env[v.Name]
		own := q.Given(disjunct, j, true)
		if own != nil && !inner.formula(own.Formula, env) {
			return false
		}
		for _, l := range q.Normal.Disjuncts[disjunct].Literals { // nor are inequalities of its own
			if l.Kind == ast.SameAtom && !slices.ContainsFunc(existential(ast.Disjunct{Literals: []ast.Literal{l}}, ""), func(x string) bool { return !ast.HasName(q.Variables()[:j+1], x) }) &&
				w.entity(l.Head, env) == w.entity(l.Tail, env) {
				return false
			}
		}
	}
	p := q.Given(disjunct, i, false)
	env = map[string]int{p.Free: env[p.Free]}
	return inner.formula(p.Formula, env) && inner.dnf(p.Normal, env)
}

// TestNormalizeMeaning compares queries and their normal forms on random tiny worlds, and checks the guarantees
// of Normalize.
func TestNormalizeMeaning(t *testing.T) {
	accepted := 0
	seed.Check(t, func(t *rapid.T) {
		q := soundQuery(t, rapid.Bool().Draw(t, "template"))
		dnf, warnings, err := normalize(q)
		if q.Free == "" && err == nil {
			checkSentence(t, q)
			return
		}
		if err != nil {
			if !strings.Contains(err.Error(), "never hold") && !strings.Contains(err.Error(), "disjuncts") &&
				!strings.Contains(err.Error(), "where equal terms are one") && !strings.Contains(err.Error(), "which gives its answer away") &&
				!strings.Contains(err.Error(), "does not occur") && !strings.Contains(err.Error(), "always holds") &&
				!(q.Free == "" && strings.Contains(err.Error(), "restricted only by")) {
				t.Fatalf("%s\nis refused: %v", q, err)
			}
			return
		}
		accepted++
		for range 4 {
			w := drawWorld(t)
			w.some(ast.Names(q.Variables()), map[string]int{}, func(env map[string]int) bool {
				if got, want := w.dnf(dnf, env), w.formula(q.Formula, env); got != want {
					t.Fatalf("%s\nis %v of %v, but its normal form is %v:\n%s", q, want, env, got, dnf)
				}
				return false
			})
			checkParts(t, q, dnf, w)
		}
		checkSites(t, q, dnf)
		again, more, err := normalize(q)
		if err != nil || again.String() != dnf.String() || !reflect.DeepEqual(more, warnings) {
			t.Fatalf("a second run gives\n%s\nafter\n%s", again, dnf)
		}
	})
	if accepted < 10 && seed.Enough() {
		t.Errorf("only %d queries were accepted", accepted)
	}
}

// checkSentence compares a sentence and its parts on random tiny worlds.
func checkSentence(t *rapid.T, q *Query) {
	t.Helper()
	require.NoError(t, q.Normalize())
	for range 4 {
		w := drawWorld(t)
		holds := func(part int) bool {
			p := q.Parts()[part]
			if p.At != nil {
				return w.dnf(p.Normal, map[string]int{p.Free: w.entity(*p.At, nil)})
			}
			return w.some([]string{p.Free}, nil, func(env map[string]int) bool { return w.dnf(p.Normal, env) })
		}
		got := slices.ContainsFunc(q.Disjuncts(), func(parts []int) bool {
			return !slices.ContainsFunc(parts, func(i int) bool { return !holds(i) })
		})
		if want := w.formula(q.Formula, nil); got != want {
			t.Fatalf("%s\nis %v, but its parts say %v", q, want, got)
		}
	}
}

// checkSites checks that literals have the sites of the formula, in its order, and that literals changed by
// substitution have new ones.
func checkSites(t *rapid.T, q *Query, dnf *ast.DNF) {
	t.Helper()
	var leaves []ast.Formula
	plain, _ := q.expand()
	ast.Walk(plain, func(f ast.Formula) {
		if ast.Terms(f) != nil {
			leaves = append(leaves, f)
		}
	})
	own := map[int]bool{}
	for _, s := range dnf.Disjuncts {
		last := -1
		place := func(site int) {
			switch {
			case site >= len(leaves) && own[site]:
				t.Fatalf("site %d is there twice in\n%s", site, dnf)
			case site >= len(leaves):
				own[site] = true
			case site <= last:
				t.Fatalf("the sites of %s are not in order", s)
			default:
				last = site
			}
		}
		for _, l := range s.Literals {
			place(l.Site)
			if l.Site < len(leaves) {
				if _, ok := leaves[l.Site].(*ast.Unequal); ok && l.Kind == ast.SameAtom {
					continue
				}
				if f, ok := leaves[l.Site].(*ast.Filter); ok && l.Kind == ast.FilterAtom && f.Attribute == l.Condition.Attribute {
					continue
				}
				a, ok := leaves[l.Site].(*ast.Atom)
				w := l
				if l.Reversed {
					w = l.Reverse()
				}
				if !ok || a.Relation != w.Relation || a.Head.Kind != w.Head.Kind || a.Tail.Kind != w.Tail.Kind {
					t.Fatalf("site %d of %s is %v", l.Site, s, leaves[l.Site])
				}
			}
		}
	}
}

// TestNormalizeEqualSites checks that literals derived from the same atom, but different in different
// disjuncts, have different sites.
func TestNormalizeEqualSites(t *testing.T) {
	q, err := ParseFormula(`exists x, z. t(z, x) & s("b", z) & r(x, y) & (!(x != "c") | !(x != "d"))`)
	require.NoError(t, err)
	dnf := q.Normal
	want := "t^-1(\"c\", z) & s(\"b\", z) & r(\"c\", y)\nt^-1(\"d\", z) & s(\"b\", z) & r(\"d\", y)"
	one, two := dnf.Disjuncts[0].Literals, dnf.Disjuncts[1].Literals
	if dnf.String() != want || one[0].Site == two[0].Site || one[1].Site != two[1].Site || one[2].Site == two[2].Site {
		t.Errorf("got %v\nwant\n%s", dnf, want)
	}
}

// TestNormalizeWarnings checks the one-line form; testdata/errors has the rest.
func TestNormalizeWarnings(t *testing.T) {
	q, err := ParseFormula(`exists x. r("a", y) & s("b", x) & t("c", x)`)
	require.NoError(t, err)
	if len(q.Warnings) != 1 {
		t.Fatalf("got %v", q.Warnings)
	}
	if got, want := q.Warnings[0].String(), "1:30: warning: no atom links x to y: what the query says of x rules out all entities or none"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	var list ErrorList
	if _, err := ParseFormula(`r("a", y) & !r("a", y)`); !errors.As(err, &list) {
		t.Errorf("got %v", err)
	}
}

// normalize returns the results of Normalize, and leaves the query unchanged.
func normalize(q *Query) (*ast.DNF, []Warning, error) {
	own := *q
	if err := own.Normalize(); err != nil {
		return nil, nil, err
	}
	return own.Normal, own.Warnings, nil
}
