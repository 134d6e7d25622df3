package codegen_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dave/jennifer/jen"

	"github.com/efoc/efoc/codegen/internal/codegen"
	"github.com/efoc/efoc/runtime/device"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/runtime/scq"
)

// TestLiteral checks which fields are printed, how, and on which lines.
func TestLiteral(t *testing.T) {
	graph := scq.Disjunct{Variables: []string{"f"}, Atoms: []scq.Atom{
		{Relation: 0, Head: scq.Const(0), Tail: scq.Var(0)},
		scq.NewUnequal(scq.Var(0), scq.Const(1)),
	}}
	for _, c := range []struct {
		value   any
		instead codegen.Fields
		want    string
	}{
		{[]scq.Disjunct{graph}, nil, `{{
	Variables: []string{"f"},
	Atoms: []plan.Atom{
		{Relation: 0, Head: plan.Const(0), Tail: plan.Var(0)},
		{Relation: plan.Identity, Head: plan.Var(0), Tail: plan.Const(1), Negated: true},
	},
}}`},
		{plan.Plan{Shape: "x\"", Places: slices.Repeat([]int32{7}, 25)}, codegen.Fields{"Run": jen.Id("run"), "Shape": nil}, `{
	Semantics: plan.Mixed,
	Places: []int32{
		` + strings.Repeat("7, ", 23) + `7,
		7,
	},
	Run: run,
}`},
		{plan.Alias{Name: "x\"", Place: "a.efo:1"}, nil, `{Name: "x\"", Place: "a.efo:1"}`},
		{&device.Kernels{Semantics: model.FIT, Degrees: &device.Degrees{Lists: []int{1}}, Program: device.Program{
			Launches: []device.Launch{{Kernel: "k", Count: 2}}, Scores: []device.Score{{Kind: device.Cosine, Relation: device.None}},
		}}, nil, `{
	Semantics: plan.FIT,
	Program: device.Program{
		Scores: []device.Score{
			{Kind: device.Cosine, Relation: -1},
		},
		Launches: []device.Launch{
			{Kind: device.Steps, Kernel: "k", Count: 2},
		},
	},
	Degrees: &device.Degrees{Lists: []int{1}},
}`},
	} {
		if got := fmt.Sprintf("%#v", jen.Id("x").Add(codegen.Literal(c.value, c.instead))); got != "x"+c.want {
			t.Errorf("%T is printed as\n%s\nwant\nx%s", c.value, got, c.want)
		}
	}
}
