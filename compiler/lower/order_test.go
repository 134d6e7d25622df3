package lower_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/efoc/efoc/compiler/lower"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/lang/ast"
	"github.com/efoc/efoc/testdata/require"
	"github.com/efoc/efoc/testdata/seed"
)

// TestOrder checks which disjuncts are equal, and that the first of them is kept.
func TestOrder(t *testing.T) {
	for _, c := range []struct {
		name, formula string
		want          int
	}{
		{"order", `r("a", y) & s("b", y) | s("b", y) & r("a", y) | r("a", y)`, 2},
		{"renaming", `(exists x, z. r("a", x) & s(x, z) & s(z, y)) | exists u, v. s(v, y) & r("a", u) & s(u, v)`, 1},
		{"entity", `r("a", y) | r("b", y)`, 2},
		{"relation", `r("a", y) | s("a", y)`, 2},
		{"inverse", `r("a", y) | r^-1("a", y)`, 2},
		{"inverse turned", `r("a", y) | r^-1(y, "a")`, 1},
		{"inverse turned between variables", `(exists x. r("a", x) & s(x, y)) | exists x. r^-1(x, "a") & s^-1(y, x)`, 1},
		{"sign", `r("a", y) & s("a", y) | r("a", y) & !s("a", y)`, 2},
		{"direction", `(exists x. r("a", x) & s(x, y)) | exists x. r("a", x) & s(y, x)`, 2},
		{"places of names", `r("a", y) & s("b", y) | r("b", y) & s("a", y)`, 2},
		{"links", `(exists x, z. r("a", x) & r("a", z) & s(x, y) & t(x, y)) | exists x, z. r("a", x) & r("a", z) & s(x, y) & t(z, y)`, 2},
	} {
		q, err := lang.ParseFormula(c.formula)
		require.NoError(t, err)
		d := q.Normal
		ordered := lower.Order(d)
		if got := len(ordered.Disjuncts); got != c.want {
			t.Errorf("%s: %d disjuncts, want %d:\n%s", c.name, got, c.want, ordered)
		}
		if !slices.ContainsFunc(ordered.Disjuncts, func(s ast.Disjunct) bool { return sorted(s) == sorted(d.Disjuncts[0]) }) {
			t.Errorf("%s: got %s, want the first of the equal ones, %s", c.name, ordered, d.Disjuncts[0])
		}
	}
}

// sorted returns the literals of a disjunct in alphabetical order.
func sorted(s ast.Disjunct) string {
	var literals []string
	for _, l := range s.Literals {
		literals = append(literals, l.String())
	}
	slices.Sort(literals)
	return strings.Join(literals, "&")
}

// TestOrderRandom renames the variables and shuffles the literals of a disjunct, and
// compares Order with a search over all renamings.
func TestOrderRandom(t *testing.T) {
	vars := []string{"x0", "x1", "x2", "x3"}
	draw := func(t *rapid.T) ast.Disjunct {
		var s ast.Disjunct
		seen := map[string]bool{}
		for range rapid.IntRange(1, 5).Draw(t, "literals") {
			l := ast.Literal{
				Negated:  rapid.Bool().Draw(t, "negated"),
				Relation: ast.Relation{Name: rapid.SampledFrom([]string{"r", "s"}).Draw(t, "relation")},
				Head:     ast.Term{Name: rapid.SampledFrom(append(vars, "y")).Draw(t, "head")},
				Tail:     ast.Term{Name: rapid.SampledFrom(append(vars, "y")).Draw(t, "tail")},
				Site:     len(s.Literals),
			}
			if !seen[l.String()] { // as lang.Normalize does
				seen[l.String()] = true
				s.Literals = append(s.Literals, l)
			}
		}
		return s
	}
	rename := func(s ast.Disjunct, to []string) ast.Disjunct {
		out := ast.Disjunct{Literals: slices.Clone(s.Literals)}
		for i := range out.Literals {
			for _, t := range []*ast.Term{&out.Literals[i].Head, &out.Literals[i].Tail} {
				if k := slices.Index(vars, t.Name); k >= 0 {
					t.Name = to[k]
				}
			}
		}
		return out
	}
	same := func(a, b ast.Disjunct) bool {
		return len(lower.Order(&ast.DNF{Free: "y", Disjuncts: []ast.Disjunct{a, b}}).Disjuncts) == 1
	}
	seed.Check(t, func(t *rapid.T) {
		a := draw(t)
		b := rename(a, rapid.Permutation(vars).Draw(t, "names"))
		b.Literals = rapid.Permutation(b.Literals).Draw(t, "order")
		if !same(a, b) {
			t.Fatalf("%s\n%s\nare equal", a, b)
		}
		c := draw(t)
		want := false
		permute(vars, func(to []string) { want = want || sorted(rename(a, to)) == sorted(c) })
		if same(a, c) != want {
			t.Fatalf("%s\n%s\nwant equal: %v", a, c, want)
		}
	})
}

// permute calls visit for each order of the names.
func permute(names []string, visit func([]string)) {
	names = slices.Clone(names)
	var fill func(int)
	fill = func(i int) {
		if i == len(names) {
			visit(names)
		}
		for j := i; j < len(names); j++ {
			names[i], names[j] = names[j], names[i]
			fill(i + 1)
			names[i], names[j] = names[j], names[i]
		}
	}
	fill(0)
}
