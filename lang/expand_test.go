package lang

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/lang/ast"
	"github.com/efoc/efoc/testdata/require"
)

// numbered prints a normal form with its existential variables numbered in order of appearance.
func numbered(d *ast.DNF) string {
	var lines []string
	for _, s := range d.Disjuncts {
		vars := existential(s, d.Free)
		for i, l := range s.Literals {
			for _, t := range []*ast.Term{&l.Head, &l.Tail} {
				if n := slices.Index(vars, t.Name); t.Kind == ast.Variable && n >= 0 {
					t.Name = fmt.Sprint("v", n)
				}
			}
			s.Literals[i] = l
		}
		lines = append(lines, s.String())
	}
	return strings.Join(lines, "\n")
}

// TestExpand compares abbreviations with their expansions.
func TestExpand(t *testing.T) {
	const head = `
relation far = "a long name"^-1
`
	for _, c := range []struct{ formula, want string }{
		{`r{1}("a", y)`, `r("a", y)`},
		{`r{2}("a", y)`, `exists x. r("a", x) & r(x, y)`},
		{`r^-1{1,3}("a", y)`, `r^-1("a", y) | (exists x. r^-1("a", x) & r^-1(x, y)) | exists x, z. r^-1("a", x) & r^-1(x, z) & r^-1(z, y)`},
		{`exists x. r{2,3}(x, y) & s("a", x)`,
			`exists x. ((exists u. r(x, u) & r(u, y)) | exists u, v. r(x, u) & r(u, v) & r(v, y)) & s("a", x)`},
		{`exists x. s("a", x) & t("b", y) & r{0,1}(x, y)`, `exists x. s("a", x) & t("b", y) & (!(x != y) | r(x, y))`},
		{`(r|s^-1)("a", y)`, `r("a", y) | s^-1("a", y)`},
		{`t("a", y) & !(r|s)("b", y)`, `t("a", y) & !r("b", y) & !s("b", y)`},
		{`(r | "s t"){1,2}("a", y)`, `r("a", y) | "s t"("a", y) | exists x. (r("a", x) | "s t"("a", x)) & (r(x, y) | "s t"(x, y))`},
		{`r("a", y) & (s("b", y) -> t("c", y))`, `r("a", y) & (!s("b", y) | t("c", y))`},
		{`r("a", y) & !(all x. s(y, x) -> t(y, x))`, `exists x. r("a", y) & s(y, x) & !t(y, x)`},
		{`r("a", y) & ¬∀x, z. s(y, x) & s(x, z) -> t(y, z)`, `exists x, z. r("a", y) & s(y, x) & s(x, z) & !t(y, z)`},
		{`r("a", y) & ((forall x. s(y, x)) -> t("b", y))`, `r("a", y) & ((exists x. !s(y, x)) | t("b", y))`},
		{`far^-1{1,2}("a", y)`, `"a long name"("a", y) | exists x. "a long name"("a", x) & "a long name"(x, y)`},
		{`("far"("a", y) | far("a", y))`, `far("a", y) | "a long name"^-1("a", y)`},
	} {
		f, err := ParseFile("", []byte(head+"query Main y = far{1}(\"z\", y) & "+c.formula+"\n"))
		if err != nil {
			t.Errorf("%s\n%s", c.formula, err.(ErrorList).Render())
			continue
		}
		f, err = ParseFile("", []byte(f.String()))
		require.NoError(t, err)
		got := f.Queries[len(f.Queries)-1]
		want, err := ParseFormula(`"a long name"^-1("z", y) & (` + c.want + ")")
		require.NoError(t, err)
		if a, b := numbered(got.Normal), numbered(want.Normal); a != b {
			t.Errorf("%s\nstands for\n%s\nwant\n%s", c.formula, a, b)
		}
	}
}

// TestREADME parses the examples of the language reference, and checks that they cover every construct of
// formulas.
func TestREADME(t *testing.T) {
	text, err := os.ReadFile("README.md")
	require.NoError(t, err)
	seen := map[string]bool{}
	note := func(q *Query) {
		ast.Walk(q.Formula, func(f ast.Formula) { seen[fmt.Sprintf("%T", f)] = true })
	}
	for _, m := range regexp.MustCompile("(?m)^- `([^`]+)`").FindAllSubmatch(text, -1) {
		q, err := ParseFormula(string(m[1]))
		if err != nil {
			t.Errorf("%s\n%s", m[1], err.(ErrorList).Render())
			continue
		}
		note(q)
	}
	for _, m := range regexp.MustCompile("(?ms)^```efo\n(.*?)^```").FindAllSubmatch(text, -1) {
		f, err := ParseFile("README.md", m[1])
		require.NoError(t, err)
		if got := f.String(); got != string(m[1]) {
			t.Errorf("it is formatted as\n%s", got)
		}
		for _, q := range f.Queries {
			note(q)
			if _, err := parseTemplate(q.Alone().String()); err != nil {
				t.Errorf("%s\n%v", q.Alone(), err)
			}
		}
	}
	for _, f := range []ast.Formula{&ast.And{}, &ast.Or{}, &ast.Not{}, &ast.Implies{}, &ast.Exists{}, &ast.Forall{}, &ast.Atom{}, &ast.Path{}, &ast.Unequal{}} {
		if name := fmt.Sprintf("%T", f); !seen[name] {
			t.Errorf("no example has a %s", name)
		}
	}
}
