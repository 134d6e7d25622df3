package gogen

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
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
			if !ok || strings.HasPrefix(fn.Name.Name, "New") {
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

// TestValueNames checks what variables are called.
func TestValueNames(t *testing.T) {
	f, err := lang.ParseFile("x.efo", []byte(`query Q(a, b entity) y = exists x. r($a, x) & !q($b, x) & p(x, y)`))
	if err != nil {
		t.Fatal(err)
	}
	out, err := File(f, Options{Source: "x.efo", Package: "p"})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"r1ToE1At1 := w.Message(", // of the first relation slot, to variable e1, in layer 1
		"e1At1 := w.Normalize(",   // the state
		"e1At1Emb := w.Correct2(e1At1Estimate, e1At1, e1At1Weights, e1At1EstimateB, ", // of two estimates
		"fAt2Emb := w.Correct(fAt2Estimate, fAt2, fAt2Weights)",
		"r3ToFAt2Query := w.Project(x[",
		"answer := w.Readout(",
		"r3Rows := f.Rows(", // of truth degrees
	} {
		if !strings.Contains(string(out.Code), "\t"+want) {
			t.Errorf("the code lacks %s:\n%s", want, out.Code)
		}
	}
}
