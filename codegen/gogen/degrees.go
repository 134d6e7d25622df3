package gogen

import (
	"github.com/dave/jennifer/jen"

	"github.com/efoc/efoc/compiler/ir"
)

// degreeMethods are the names of the ops of truth degrees.
var degreeMethods = map[ir.Op]string{
	ir.Row: "Row", ir.Any: "Any", ir.Peak: "Peak", ir.Best: "Best", ir.Every: "Every", ir.Values: "Values",
	ir.Rows: "Rows", ir.Diagonal: "Diagonal", ir.Push: "Push", ir.Narrow: "Narrow", ir.Leaf: "Leaf", ir.Root: "Root", ir.Branch: "Branch",
	ir.Each: "Each", ir.Follow: "Follow", ir.Join: "Join", ir.Times: "Times", ir.Either: "Either", ir.Dense: "Dense",
	ir.Mixture: "Mixture",
}

// makesRows reports whether a value is a row of truth degrees, or several.
func makesRows(v *ir.Value) bool { return v.Op.Info().Rows }

// degree prints the call that computes a value of truth degrees: attributes first,
// operands last. What is a vector is written to it.
func (e *emitter) degree(b *jen.Group, v *ir.Value, method string) {
	info := v.Op.Info()
	var args []jen.Code
	if info.Result == ir.Entities {
		args = append(args, e.buffer(v))
	}
	args = append(args, e.attributes(v)...)
	if info.Index {
		args = append(args, jen.Lit(v.Index))
	}
	for _, a := range v.Args {
		args = append(args, e.ref(a))
	}
	e.set(b, v, invocation{"f", method, args})
}
