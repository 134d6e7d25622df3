package gogen

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"testing"

	"pgregory.net/rapid"

	"github.com/efoc/efoc/compiler/plantest"
	"github.com/efoc/efoc/lang"
)

// TestRunFunctions checks that the functions of random plans are straight lines in which
// each variable is written once: there is one way to the end, and what a name means does
// not change on it. Only the sweep is started again.
func TestRunFunctions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := &lang.File{Package: "p", Semantics: rapid.SampledFrom([]string{"nsmp", "fit", "mixed"}).Draw(t, "semantics")}
		for i := range rapid.IntRange(1, 2).Draw(t, "queries") {
			f.Queries = append(f.Queries, plantest.Formula(t, plantest.Options{Entities: 4, Relations: 3, Name: fmt.Sprint("T", i)}))
		}
		out, err := File(f, Options{Source: "random.efo", Package: "p"})
		if err != nil {
			t.Fatal(err)
		}
		file, err := parser.ParseFile(token.NewFileSet(), "x.go", out.Code, 0)
		if err != nil {
			t.Fatal(err)
		}
		functions := 0
		for _, d := range file.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || !runsPlan(fn) {
				continue
			}
			functions++
			checkStraight(t, fn)
		}
		if functions == 0 {
			t.Fatalf("no plan runs in\n%s", out.Code)
		}
	})
}

// runsPlan reports whether a function takes a workspace.
func runsPlan(fn *ast.FuncDecl) bool {
	params := fn.Type.Params.List
	return fn.Recv == nil && len(params) == 1 && params[0].Names[0].Name == "w"
}

// checkStraight checks the body of a function that runs a plan.
func checkStraight(t tb, fn *ast.FuncDecl) {
	t.Helper()
	written := map[string]bool{}
	for i, s := range fn.Body.List {
		switch s := s.(type) {
		case *ast.ExprStmt:
		case *ast.ReturnStmt:
			if i < len(fn.Body.List)-1 {
				t.Fatalf("%s returns early", fn.Name.Name)
			}
		case *ast.AssignStmt:
			for _, x := range s.Lhs {
				name := x.(*ast.Ident).Name
				if written[name] && name != "sweep" {
					t.Fatalf("%s writes %s twice", fn.Name.Name, name)
				}
				written[name] = true
			}
		default:
			t.Fatalf("%s has a %T", fn.Name.Name, s)
		}
	}
}
