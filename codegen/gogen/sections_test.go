package gogen

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/testdata/require"
)

// TestParts checks that types and plans can be generated separately, and that a file's variables are literals:
// no init code can fail.
func TestParts(t *testing.T) {
	f, err := lang.ParseFile("x.efo", []byte(`query Q(a entity) y show x = exists x. r($a, x) & s(x, y) | t("b", y) & y != $a`))
	require.NoError(t, err)
	f.Semantics = "nsmp" // which truth degrees explain
	declared := map[bool][]string{}
	for _, plansOnly := range []bool{false, true} {
		out, err := File(analyzed(t, f), Options{Source: "x.efo", Package: "p", PlansOnly: plansOnly})
		require.NoError(t, err)
		file, err := parser.ParseFile(token.NewFileSet(), "x.go", out.Code, 0)
		require.NoError(t, err)
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				declared[plansOnly] = append(declared[plansOnly], d.Name.Name)
			case *ast.GenDecl:
				for _, s := range d.Specs {
					if v, ok := s.(*ast.ValueSpec); ok && v.Names[0].Name != "_" {
						checkLiteral(t, v)
						declared[plansOnly] = append(declared[plansOnly], v.Names[0].Name)
					}
				}
			}
		}
	}
	for plansOnly, want := range map[bool]string{
		false: "args specQ BindQ replyQ Answer AnswerBatch Best Why Warning XPlans disjunctsQ planQ runQ smallQ degreesQ whyQ",
		true:  "XPlans disjunctsQ planQ runQ smallQ degreesQ whyQ",
	} {
		if got := strings.Join(declared[plansOnly], " "); got != want {
			t.Errorf("with plans only %t, the file declares %s, want %s", plansOnly, got, want)
		}
	}
}

// checkLiteral checks that a variable's value calls only constructors of terms.
func checkLiteral(t *testing.T, v *ast.ValueSpec) {
	t.Helper()
	ast.Inspect(v, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			if f, ok := call.Fun.(*ast.SelectorExpr); !ok || f.Sel.Name != "Const" && f.Sel.Name != "Var" {
				t.Errorf("%s calls a function", v.Names[0].Name)
			}
		}
		return true
	})
}
