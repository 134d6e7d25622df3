package gogen

import (
	"reflect"
	"testing"

	"github.com/efoc/efoc/compiler/ir"
	"github.com/efoc/efoc/runtime"
)

// TestOps checks that each op of the op table is a method of the runtime's
// workspace, which takes what the table says, in its order.
func TestOps(t *testing.T) {
	spaces := map[ir.Space]reflect.Type{ir.Entities: reflect.TypeFor[runtime.Vector](), ir.Embedding: reflect.TypeFor[runtime.Embedding]()}
	for _, op := range ir.Ops() {
		info := op.Info()
		name := methods[op]
		if op == ir.Entity {
			name = "Entity" // read where it is used, so there is no call of its own
		}
		m, ok := reflect.TypeFor[*runtime.Workspace]().MethodByName(name)
		if !ok {
			t.Errorf("%s: the workspace has no method %q", op, name)
			continue
		}
		want := []reflect.Type{reflect.TypeFor[*runtime.Workspace]()}
		if op != ir.Entity {
			want = append(want, spaces[info.Result])
		}
		for _, a := range info.Args {
			want = append(want, spaces[a])
		}
		for _, attribute := range []struct {
			has bool
			typ reflect.Type
		}{
			{info.Const, reflect.TypeFor[runtime.EntityID]()},
			{info.Rel, reflect.TypeFor[runtime.RelationID]()},
			{info.Dir, reflect.TypeFor[runtime.Direction]()},
			{info.Neg, reflect.TypeFor[runtime.Sign]()},
		} {
			if attribute.has {
				want = append(want, attribute.typ)
			}
		}
		var got []reflect.Type
		for i := range m.Type.NumIn() {
			got = append(got, m.Type.In(i))
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: method %s takes %v, want %v", op, name, got, want)
		}
	}
}
