package gogen

import (
	"reflect"
	"slices"
	"testing"

	"github.com/efoc/efoc/compiler/ir"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/plan"
)

var spaces = map[ir.Space]reflect.Type{ir.Entities: reflect.TypeFor[plan.Vec](), ir.Embedding: reflect.TypeFor[plan.Emb]()}

// TestOps checks that each op of the op table is a method of the runtime's sweep if it makes one, otherwise of its
// workspace, which takes what the table says, in its order; and of its tiles if plans for small tables call it there.
// Ops of truth degrees are methods of their machine.
func TestOps(t *testing.T) {
	workspace, sweep, tiles := reflect.TypeFor[*plan.Workspace](), reflect.TypeFor[*plan.Sweep](), reflect.TypeFor[*plan.Tiles]()
	vector, embedding, vectors := spaces[ir.Entities], spaces[ir.Embedding], reflect.TypeFor[[]plan.Vec]()
	for _, op := range ir.Ops() {
		if info := op.Info(); info.Result == ir.Number || slices.Contains(info.Args, ir.Number) {
			continue // for devices only: the CPU reduces and maps in one op
		}
		if op >= ir.Row {
			checkDegreeMethod(t, op)
			continue
		}
		if byTiles := (&emitter{tiles: true}).byTiles(&ir.Value{Op: op, Sweep: op.Info().Sweeps}); byTiles && op != ir.Correct && op != ir.Estimate {
			checkMethod(t, tiles, opMethod(op), parameters(op)...)
		}
		switch op {
		case ir.Message, ir.State:
			continue
		case ir.Estimate: // only in sweeps; its weights are a separate value
			checkMethod(t, sweep, opMethod(op), embedding, vector, vectors)
			checkMethod(t, tiles, opMethod(op), embedding, vectors)
			if m, _ := sweep.MethodByName(opMethod(op)); !m.Type.IsVariadic() {
				t.Errorf("%s: method %s does not take a list of factors", op, m.Name)
			}
			continue
		case ir.Correct:
			checkMethod(t, workspace, opMethod(op), embedding, vector, reflect.TypeFor[[]plan.Estimate]())
			checkMethod(t, tiles, opMethod(op), embedding, vector, reflect.TypeFor[[]plan.Emb]())
			continue
		case ir.Score: // a sweep takes the links of its message too
			checkMethod(t, sweep, opMethod(op), append(parameters(op), vectors)...)
			continue
		case ir.Entity: // read in place
			continue
		}
		receiver := workspace
		if op.Info().Sweeps > 0 {
			receiver = sweep
		}
		checkMethod(t, receiver, opMethod(op), parameters(op)...)
	}
}

// parameters returns the parameters of a method for an op: destination, operands, slots and flags in the order
// of the op table.
func parameters(op ir.Op) []reflect.Type {
	info := op.Info()
	want := []reflect.Type{spaces[info.Result]}
	for _, a := range info.Args {
		want = append(want, spaces[a])
	}
	if info.Variadic {
		want = append(want, reflect.SliceOf(spaces[info.Args[len(info.Args)-1]]))
	}
	return append(want, attributes(info)...)
}

// attributes returns the types of the slots and flags of an op.
func attributes(info ir.Info) []reflect.Type {
	var types []reflect.Type
	for _, attribute := range []struct {
		has bool
		typ reflect.Type
	}{
		{info.Const, reflect.TypeFor[graph.EntityID]()},
		{info.Rel, reflect.TypeFor[graph.RelationID]()},
		{info.Filter, reflect.TypeFor[*model.Selection]()},
		{info.Dir, reflect.TypeFor[graph.Direction]()},
		{info.Neg, reflect.TypeFor[graph.Sign]()},
	} {
		if attribute.has {
			types = append(types, attribute.typ)
		}
	}
	return types
}

// checkMethod checks that a type has a method with these parameters.
func checkMethod(t *testing.T, receiver reflect.Type, name string, parameters ...reflect.Type) {
	t.Helper()
	m, ok := receiver.MethodByName(name)
	if !ok {
		t.Errorf("%v has no method %q", receiver, name)
		return
	}
	var got []reflect.Type
	for i := range m.Type.NumIn() {
		got = append(got, m.Type.In(i))
	}
	if want := append([]reflect.Type{receiver}, parameters...); !reflect.DeepEqual(got, want) {
		t.Errorf("method %s takes %v, want %v", name, got, want)
	}
}
