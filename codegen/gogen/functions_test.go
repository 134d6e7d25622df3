package gogen

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
)

// checkFunctions checks the functions that run plans.
func checkFunctions(t tb, code []byte) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "x.go", code, 0)
	if err != nil {
		t.Fatalf("%v", err)
	}
	functions := 0
	for _, d := range file.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && runsPlan(fn) {
			functions++
			checkStraight(t, fn)
		}
	}
	if functions == 0 {
		t.Fatalf("no plan runs in\n%s", code)
	}
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
		case *ast.ExprStmt, *ast.DeclStmt:
		case *ast.ForStmt:
			if !strings.Contains(strings.ToLower(fn.Name.Name), "small") {
				t.Fatalf("%s has a loop", fn.Name.Name)
			}
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
