package lang

import (
	"reflect"
	"strings"
	"testing"

	"github.com/efoc/efoc/lang/ast"
	"github.com/efoc/efoc/runtime/kind"
	"github.com/efoc/efoc/testdata/require"
)

// TestParseFormula compares notations with their canonical form.
func TestParseFormula(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`r("a",y)`, `r("a", y)`},
		{`r('a', y)`, `r("a", y)`},
		{"r(`a\\`, y)", `r("a\\", y)`},
		{`r('it\'s "so"', y)`, `r("it's \"so\"", y)`},
		{`r("it\'s", y)`, `r("it's", y)`},
		{`r("\u00e9\t\xff\101\\", y)`, `r("é\t\xffA\\", y)`},
		{`"r"("a", y)`, `r("a", y)`},
		{`"exists"("a", y)`, `"exists"("a", y)`},
		{`größe("a", größe2)`, `größe("a", größe2)`},
		{`r^-1("a", y) & 'q r' ^-1 ("b", y)`, `r^-1("a", y) & "q r"^-1("b", y)`},
		{`r("a", y) and s("b", y) && t("c", y) ∧ u("d", y)`, `r("a", y) & s("b", y) & t("c", y) & u("d", y)`},
		{`r("a", y) or s("b", y) || t("c", y) ∨ u("d", y)`, `r("a", y) | s("b", y) | t("c", y) | u("d", y)`},
		{`r("a", y) & !s("b", y) & ¬t("c", y) & ~u("d", y) & not v("e", y)`,
			`r("a", y) & !s("b", y) & !t("c", y) & !u("d", y) & !v("e", y)`},
		{`r("a", y) | s("b", y) & !t("c", y)`, `r("a", y) | s("b", y) & !t("c", y)`},
		{`(r("a", y) | s("b", y)) & t("c", y)`, `(r("a", y) | s("b", y)) & t("c", y)`},
		{`r("a", y) | (s("b", y) & (t("c", y)))`, `r("a", y) | s("b", y) & t("c", y)`},
		{`!(r("a", y) & s("b", y)) & t("c", y)`, `!(r("a", y) & s("b", y)) & t("c", y)`},
		{`∃x.r("a",x)∧s(x,y)`, `exists x. r("a", x) & s(x, y)`},
		{`r("a", y) & exists z. s("b", z) & t(z, y)`, `r("a", y) & exists z. s("b", z) & t(z, y)`},
		{`r("a", y) & (exists z. s("b", z) & t(z, y))`, `r("a", y) & exists z. s("b", z) & t(z, y)`},
		{`(exists z. s("b", z) & t(z, y)) & r("a", y)`, `(exists z. s("b", z) & t(z, y)) & r("a", y)`},
		{`r("a", y) | s("b", y) & exists z. t("c", z) & u(z, y) | v("d", z) & w(z, y)`,
			`r("a", y) | s("b", y) & exists z. t("c", z) & u(z, y) | v("d", z) & w(z, y)`},
		{"exists x, // the film\n\tz. r(\"a\", x) & s(x, z)\n& t(z, y) // its end", `exists x, z. r("a", x) & s(x, z) & t(z, y)`},
		{`exists x. exists z. r("a", x) & s(x, z) & t(z, y)`, `exists x. exists z. r("a", x) & s(x, z) & t(z, y)`},
		{`not(r("a", y)) & s("b", y)`, `!r("a", y) & s("b", y)`},
		{`r("a", y) & s(y, y)`, `r("a", y) & s(y, y)`},
		{`r("a",y)&y!="a"&'b'≠y`, `r("a", y) & y != "a" & "b" != y`},
		{`count y: r("a",y)`, `count y: r("a", y)`},
		{`count y: City & r("a",y)`, `count y: City & r("a", y)`},
		{`count y: y: City & r("a",y)`, `count y: City & r("a", y)`},
		{`count y: "a:b"^-1("c d") & (r("a",y) | s("b",y))`, `count y: "a:b"^-1("c d") & (r("a", y) | s("b", y))`},
		{`count y: size(y) > 1 & r("a",y)`, `count y: size(y) > 1 & r("a", y)`},
		{`count, y: r(count,y) & s("a",y) & s("a",count)`, `count, y: r(count, y) & s("a", y) & s("a", count)`},
		{`count: City & r("a",count)`, `count: City & r("a", count)`},
		{`count("a",y)`, `count("a", y)`},
		{`count count: r("a",count)`, `count count: r("a", count)`},
		{`exists x. r("a", x) & s("a", y) & (!(x != y) | !x!=y & r(x, y))`, `exists x. r("a", x) & s("a", y) & (!x != y | !x != y & r(x, y))`},
	} {
		q, err := ParseFormula(c.text)
		if err != nil {
			t.Errorf("%s\n%v", c.text, err)
			continue
		}
		if got := q.String(); got != c.want {
			t.Errorf("%s\ngot  %s\nwant %s", c.text, got, c.want)
		}
	}
}

// TestParseQuantifierReach checks the scope of quantifiers.
func TestParseQuantifierReach(t *testing.T) {
	q, err := ParseFormula(`r("a", y) & exists z. s("b", z) & t(z, y)`)
	require.NoError(t, err)
	and, ok := q.Formula.(*ast.And)
	if !ok || len(and.Args) != 2 {
		t.Fatalf("got %s", q)
	}
	e, ok := and.Args[1].(*ast.Exists)
	if !ok {
		t.Fatalf("got %s", q)
	}
	if body, ok := e.Body.(*ast.And); !ok || len(body.Args) != 2 {
		t.Errorf("the quantifier reaches %s", ast.Text(e.Body))
	}
}

// TestParsePositions checks positions after tabs and multi-byte characters.
func TestParsePositions(t *testing.T) {
	const text = "package p\n\nquery Q(é entity, rel relation) y =\n\t∃x. \"日本\"(x, $é) ∧ ¬$rel^-1(x, y)\n"
	f, err := ParseFile("dir/q.efo", []byte(text))
	require.NoError(t, err)
	q := f.Queries[0]
	body := q.Formula.(*ast.Exists).Body.(*ast.And)
	not := body.Args[1].(*ast.Not)
	atom := not.Arg.(*ast.Atom)
	for _, c := range []struct {
		what string
		pos  ast.Pos
		want string
		at   string
	}{
		{"query", q.Pos, "dir/q.efo:3:7", "Q("},
		{"parameter", q.Params[1].Pos, "dir/q.efo:3:19", "rel r"},
		{"free variable", q.FreePos, "dir/q.efo:3:33", "y ="},
		{"quantifier", q.Formula.Position(), "dir/q.efo:4:2", "∃x"},
		{"bound variable", q.Formula.(*ast.Exists).Vars[0].Pos, "dir/q.efo:4:3", "x."},
		{"conjunction", body.Position(), "dir/q.efo:4:6", `"日本"`},
		{"negation", not.Position(), "dir/q.efo:4:20", "¬"},
		{"atom", atom.Position(), "dir/q.efo:4:21", "$rel"},
		{"argument", atom.Tail.Pos, "dir/q.efo:4:32", "y)"},
	} {
		if c.pos.String() != c.want || !strings.HasPrefix(text[c.pos.Offset:], c.at) {
			t.Errorf("%s: got %s, want %s", c.what, c.pos, c.want)
		}
	}
}

// TestParseFile checks the fields of a file's templates.
func TestParseFile(t *testing.T) {
	f, err := ParseFile("films.efo", []byte(`
// Films.
package films

// A loose remark.

// Shared asks for what a, b and c share.
query Shared(a, b entity, r relation, c entity) y = $r($a, y) & r($b, y) & r($c, y)
query Plain y = r("x", y)
`))
	require.NoError(t, err)
	if f.Package != "films" || f.Doc != "Films." || len(f.Queries) != 2 || len(f.loose) != 1 {
		t.Errorf("got %+v", f)
	}
	q := bare(f.Queries[0])
	want := []Param{{Name: "a", Kind: kind.Entity}, {Name: "b", Kind: kind.Entity}, {Name: "r", Kind: kind.Relation}, {Name: "c", Kind: kind.Entity}}
	if q.Name != "Shared" || q.Free != "y" || q.Doc != "Shared asks for what a, b and c share." || !reflect.DeepEqual(q.Params, want) {
		t.Errorf("got %+v", q)
	}
	if q := f.Queries[1]; q.Name != "Plain" || q.Doc != "" || q.Params != nil {
		t.Errorf("got %+v", q)
	}
	if f, err := ParseFile("empty.efo", nil); err != nil || f.Package != "" || f.Queries != nil {
		t.Errorf("an empty file gives %+v, %v", f, err)
	}
}

// TestParseBenchmark compares formula strings of the data sets with templates.
func TestParseBenchmark(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"r1(s1,f)", "query _(s1 entity, r1 relation) f =\n    $r1($s1, f)"},
		{"((r1(s1,e1))&(!(r2(e1,f1))))&(r3(s2,f1))",
			"query _(s1, s2 entity, r1, r2, r3 relation) f1 =\n    exists e1. $r1($s1, e1) & !$r2(e1, f1) & $r3($s2, f1)"},
		{"((r1(s1,e1))&(r3(e1,f1)))|((r2(s2,e1))&(r3(e1,f1)))",
			"query _(s1, s2 entity, r1, r2, r3 relation) f1 =\n    exists e1. $r1($s1, e1) & $r3(e1, f1) | $r2($s2, e1) & $r3(e1, f1)"},
		{"r10(s10,f)&r2(s2,f)&r1(s1,e2)&r3(e2,e1)&r3(e1,f)",
			"query _(s1, s2, s10 entity, r1, r2, r3, r10 relation) f =\n    exists e1, e2. $r10($s10, f) & $r2($s2, f) & $r1($s1, e2) & $r3(e2, e1) & $r3(e1, f)"},
	} {
		q, err := ParseBenchmark(c.text)
		if err != nil {
			t.Errorf("%s\n%v", c.text, err)
			continue
		}
		if got := q.String(); got != c.want {
			t.Errorf("%s\ngot  %s\nwant %s", c.text, got, c.want)
		}
	}
}
