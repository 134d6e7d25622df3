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

// TestValueNames checks that variables are called what the template calls what they hold.
func TestValueNames(t *testing.T) {
	for text, wants := range map[string][]string{
		`query Q(a, b entity) y = exists x. r($a, x) & !q($b, x) & p(x, y)`: {
			"a := w.Constant(0)", // the parameter
			"aToX := w.Message(", // to variable x, in the only layer that sends it
			"x := w.Normalize(",  // the state
			"xEmb := w.Correct2(xEstimate, x, xWeights, xEstimateB, ", // of two estimates
			"yEmb := w.Correct(yEstimate, y, yWeights)",
			"xToYQuery := w.Project(emb[",
			"// layer 1: $b -> x by !q($b, x)",
			"answer := w.Readout(",
			"xToYRows := deg.Rows(p, ", // of truth degrees
		},
		`query Q y = exists x. "/people/person/nationality"(x, "New York") & near(x, y) & by("New York", y)`: { // a cycle: several layers
			"newYork := w.Constant(0)",
			"nationalityInverse := w.Relation(0)",
			"x := w.Normalize(", // whose first state reaches no answer
			"yAt3 := w.Normalize(",
			"yAt1 := w.Normalize(",
			"newYorkToX := w.Message(",
			`// layer 1: "New York" -> x by "/people/person/nationality"(x, "New York")`,
		},
		`query Q(vec, type, w entity) y = close($vec, y) & near($type, y) & far($vec, y) & at($w, y)`: { // words of the generator and of Go
			"vecB := w.Constant(", "typeB := w.Constant(", "wB := w.Constant(",
			"vecBToYByClose := w.Message(", "vecBToYByFar := w.Message(",
		},
		`query Q y = "∞"("?", y)`: {"constant := w.Constant(0)", "relation := w.Relation(0)"},
	} {
		f, err := lang.ParseFile("x.efo", []byte("semantics nsmp\n"+text))
		if err != nil {
			t.Fatal(err)
		}
		out, err := File(f, Options{Source: "x.efo", Package: "p"})
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range wants {
			if !strings.Contains(string(out.Code), "\t"+want) {
				t.Errorf("the code lacks %s:\n%s", want, out.Code)
			}
		}
	}
}
