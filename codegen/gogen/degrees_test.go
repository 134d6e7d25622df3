package gogen

import (
	"reflect"
	"strings"
	"testing"

	"github.com/efoc/efoc/compiler/ir"
	"github.com/efoc/efoc/runtime/fit"
	"github.com/efoc/efoc/runtime/plan"
)

// degreeTypes are the operand and result types of truth-degree ops.
var degreeTypes = map[ir.Space]reflect.Type{
	ir.Entities: reflect.TypeFor[plan.Vec](), ir.Degrees: reflect.TypeFor[*fit.Set](), ir.Candidates: reflect.TypeFor[*fit.Candidates](),
	ir.AtomRows: reflect.TypeFor[*fit.AtomRows](), ir.Branches: reflect.TypeFor[*fit.Branches](),
}

// checkDegreeMethod checks that the machine of truth degrees, a sweep if the op makes rows, or the
// workspace if the result is a vector, has a method of the name of an op that may be called as the generator calls it: destination of a vector, attributes in
// the order of the op table, operands, of which the last may repeat.
func checkDegreeMethod(t *testing.T, op ir.Op) {
	t.Helper()
	info, receiver := op.Info(), reflect.TypeFor[*fit.Machine]()
	switch {
	case info.Rows:
		receiver = reflect.TypeFor[*plan.Sweep]()
	case info.Result == ir.Entities:
		receiver = reflect.TypeFor[*plan.Workspace]()
	}
	m, ok := receiver.MethodByName(opMethod(op))
	if !ok || !strings.EqualFold(m.Name, op.String()) {
		t.Errorf("%s: %v has no method %q of that name", op, receiver, opMethod(op))
		return
	}
	results := []reflect.Type{degreeTypes[info.Result]}
	var got []reflect.Type
	for i := range m.Type.NumOut() {
		got = append(got, m.Type.Out(i))
	}
	if !reflect.DeepEqual(got, results) {
		t.Errorf("%s: method %s returns %v, want %v", op, m.Name, got, results)
	}
	calls := [][]reflect.Type{degreeParameters(op)}
	if info.Optional {
		parameters := degreeParameters(op)
		calls = append(calls, parameters[:len(parameters)-len(info.Args)])
	}
	if info.Variadic {
		last := degreeTypes[info.Args[len(info.Args)-1]]
		calls = append(calls, append(degreeParameters(op), last, last))
	}
	for _, call := range calls {
		if !takes(m.Type, call) {
			t.Errorf("%s: method %s has type %v, want one that takes %v", op, m.Name, m.Type, call)
		}
	}
}

// degreeParameters returns the parameter types of a truth-degree op.
func degreeParameters(op ir.Op) []reflect.Type {
	info := op.Info()
	var want []reflect.Type
	if info.Result == ir.Entities {
		want = append(want, degreeTypes[ir.Entities])
	}
	want = append(want, attributes(info)...)
	if info.Index {
		want = append(want, reflect.TypeFor[int]())
	}
	for _, a := range info.Args {
		want = append(want, degreeTypes[a])
	}
	return want
}

// takes reports whether a method may be called with arguments of these types.
func takes(method reflect.Type, arguments []reflect.Type) bool {
	fixed := method.NumIn()
	if method.IsVariadic() {
		fixed--
	}
	if len(arguments) < fixed-1 || len(arguments) > fixed-1 && !method.IsVariadic() {
		return false
	}
	for i, a := range arguments {
		want := method.In(min(i+1, fixed)) // after the receiver
		if i+1 >= fixed {
			want = want.Elem()
		}
		if a != want {
			return false
		}
	}
	return true
}
