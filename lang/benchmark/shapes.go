// Package benchmark lists the query shapes of the BetaE and real-EFO1 benchmarks.
package benchmark

import (
	"fmt"

	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/lang/nearest"
)

// Shape is one of the 23 query shapes of the BetaE and real-EFO1 benchmarks.
type Shape struct {
	// Name is the benchmark's name, such as 2p.
	Name string
	// Group is the average that includes the shape: P for positive shapes, N for those with
	// negation, F for the real-EFO1 shapes.
	Group string
	// Formula is the shape in the notation of lang.ParseBenchmark.
	Formula string
	// Key is the canonical text of the shape, by which plans are known. Its slots may be numbered otherwise.
	Key string
}

// Shapes are the benchmark shapes.
var Shapes = []Shape{
	{"1p", "P", "r1(s1,f)", "r1(s1,f)"},
	{"2p", "P", "r1(s1,e1)&r2(e1,f)", "r1(s1,e1) & r2(e1,f)"},
	{"3p", "P", "r1(s1,e1)&r2(e1,e2)&r3(e2,f)", "r1(s1,e1) & r2(e1,e2) & r3(e2,f)"},
	{"2i", "P", "r1(s1,f)&r2(s2,f)", "r1(s1,f) & r2(s2,f)"},
	{"3i", "P", "r1(s1,f)&r2(s2,f)&r3(s3,f)", "r1(s1,f) & r2(s2,f) & r3(s3,f)"},
	{"pi", "P", "r1(s1,e1)&r2(e1,f)&r3(s2,f)", "r1(s1,e1) & r2(s2,f) & r3(e1,f)"},
	{"ip", "P", "r1(s1,e1)&r2(s2,e1)&r3(e1,f)", "r1(s1,e1) & r2(s2,e1) & r3(e1,f)"},
	{"2in", "N", "r1(s1,f)&!r2(s2,f)", "r1(s1,f) & !r2(s2,f)"},
	{"3in", "N", "r1(s1,f)&r2(s2,f)&!r3(s3,f)", "r1(s1,f) & r2(s2,f) & !r3(s3,f)"},
	{"inp", "N", "r1(s1,e1)&!r2(s2,e1)&r3(e1,f)", "r1(s1,e1) & !r2(s2,e1) & r3(e1,f)"},
	{"pin", "N", "r1(s1,e1)&r2(e1,f)&!r3(s2,f)", "r1(s1,e1) & !r2(s2,f) & r3(e1,f)"},
	{"pni", "F", "r1(s1,e1)&!r2(e1,f)&r3(s2,f)", "r1(s1,e1) & r2(s2,f) & !r3(e1,f)"},
	{"2u", "P", "r1(s1,f)|r2(s2,f)", "r1(s1,f) | r2(s2,f)"},
	{"up", "P", "(r1(s1,e1)|r2(s2,e1))&r3(e1,f)", "r1(s1,e1) & r2(e1,f) | r3(s2,e1) & r2(e1,f)"},
	{"2il", "F", "r1(s1,f)&r2(e1,f)", "r1(s1,f) & r2(e1,f)"},
	{"3il", "F", "r1(s1,f)&r2(s2,f)&r3(e1,f)", "r1(s1,f) & r2(s2,f) & r3(e1,f)"},
	{"2m", "F", "r1(s1,e1)&r2(e1,f)&r3(e1,f)", "r1(s1,e1) & r2(e1,f) & r3(e1,f)"},
	{"2nm", "F", "r1(s1,e1)&r2(e1,f)&!r3(e1,f)", "r1(s1,e1) & r2(e1,f) & !r3(e1,f)"},
	{"3mp", "F", "r1(s1,e1)&r2(e1,e2)&r3(e1,e2)&r4(e2,f)", "r1(s1,e1) & r2(e1,e2) & r3(e1,e2) & r4(e2,f)"},
	{"3pm", "F", "r1(s1,e1)&r2(e1,e2)&r3(e2,f)&r4(e2,f)", "r1(s1,e1) & r2(e1,e2) & r3(e2,f) & r4(e2,f)"},
	{"im", "F", "r1(s1,e1)&r2(s2,e1)&r3(e1,f)&r4(e1,f)", "r1(s1,e1) & r2(s2,e1) & r3(e1,f) & r4(e1,f)"},
	{"3c", "F", "r1(s1,e1)&r2(e1,f)&r3(s2,e2)&r4(e2,f)&r5(e1,e2)", "r1(s1,e1) & r2(s2,e2) & r3(e1,e2) & r4(e1,f) & r5(e2,f)"},
	{"3cm", "F", "r1(s1,e1)&r2(e1,f)&r3(s2,e2)&r4(e2,f)&r5(e1,e2)&r6(e1,f)", "r1(s1,e1) & r2(s2,e2) & r3(e1,e2) & r4(e1,f) & r5(e1,f) & r6(e2,f)"},
}

// Group returns the group of a benchmark shape, empty if there is no such shape.
func Group(name string) string {
	for _, s := range Shapes {
		if s.Name == name {
			return s.Group
		}
	}
	return ""
}

// Query returns the shape of the given name as a query.
func Query(name string) (*lang.Query, error) {
	var names []string
	for _, s := range Shapes {
		if s.Name == name {
			return lang.ParseBenchmark(s.Formula)
		}
		names = append(names, s.Name)
	}
	return nil, lang.ErrorList{{
		Msg:  fmt.Sprintf("unknown shape %q", name),
		Hint: nearest.Hint(nearest.Names(name, names, nearest.Max)),
	}}
}
