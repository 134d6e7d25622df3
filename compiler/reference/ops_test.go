package reference

import (
	"testing"

	"github.com/efoc/efoc/compiler/ir"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/testdata/modeltest"
)

// tiny is a model of three entities with embeddings 1+2i, 3+4i and 0, and one
// relation, whose embedding is i; its facts are (0,0), (0,1) and (2,0). The
// inverse has the embedding 1.
func tiny(t *testing.T) *model.Model {
	t.Helper()
	return modeltest.New(t, modeltest.Spec{
		Entities: 3, Relations: 1, Facts: []graph.Triple{{Head: 0, Tail: 0}, {Head: 0, Tail: 1}, {Head: 2, Tail: 0}},
		Rows: []float32{1, 2, 3, 4, 0, 0}, RelationRows: []float32{0, 1, 1, 0},
	})
}

// TestOps checks that each op has one loop.
func TestOps(t *testing.T) {
	for _, op := range ir.Ops() {
		if (ops[op] == nil) == (degreeOps[op] == nil) {
			t.Errorf("%s has no loop, or two", op)
		}
	}
	if _, err := new(machine).eval(&ir.Value{Op: ir.Invalid}); err == nil {
		t.Error("an unknown op is executed")
	}
}
