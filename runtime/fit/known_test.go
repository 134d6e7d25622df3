package fit_test

import (
	"testing"

	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/lang/benchmark"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/exact"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/testdata/modeltest"
	"github.com/efoc/efoc/testdata/require"
)

// TestKnown asks for answers that follow from observed links through one of 300 entities that are
// alike but for their ids, which is not among the K best, and whose predicted links all are false:
// known answers have degree 1.
func TestKnown(t *testing.T) {
	const hub, answer, other, first, witness, entities = 0, 1, 2, 3, 297, 303
	var facts []graph.Triple
	fact := func(h graph.EntityID, r int32, t graph.EntityID) {
		facts = append(facts, graph.Triple{Head: h, Relation: r, Tail: t})
	}
	for e := graph.EntityID(first); e < entities; e++ {
		fact(hub, 0, e)
		if e != witness {
			fact(e, 2, answer) // what the witness lacks
		}
	}
	fact(other, 1, answer)
	fact(other, 0, witness)
	fact(witness, 1, answer)
	fact(witness, 1, witness)
	m := handmade(t, entities, 3, facts)
	for shape, relations := range map[string][]int32{
		"2p": {0, 2}, "3p": {0, 2, 2}, // by relation: 0, its inverse 1, and so on
		"pni": {0, 4, 2}, "3c": {0, 2, 0, 2, 2}, "3cm": {0, 2, 0, 2, 2, 2}, "im": {0, 0, 2, 2}, "2nm": {0, 2, 4},
	} {
		q, err := benchmark.Query(shape)
		require.NoError(t, err)
		p := prepare(t, m, q, compiler.Options{})
		var args []int32
		for _, param := range q.Params {
			switch param.Name {
			case "s1":
				args = append(args, hub)
			case "s2":
				args = append(args, other)
			default:
				args, relations = append(args, relations[0]), relations[1:]
			}
		}
		b := p.Spec().Args(args...)
		known, err := (&exact.Solver{}).Answers(m.Bundle().Graph, p.Shape().Disjuncts, p.PartBindings(0, b))
		if err != nil || len(known) == 0 {
			t.Fatalf("%s: %d known answers, error %v", shape, len(known), err)
		}
		degrees := scores(t, p, b, model.Degrees{Candidates: 8, Negation: 3, Threshold: 0.1, Temperature: 1})
		for _, e := range known {
			if degrees[e] != 1 {
				t.Errorf("%s: entity %d is known and has degree %v; plan\n%s", shape, e, degrees[e], p.Compiled().Optimized)
			}
		}
	}
}

// handmade is a model with these facts, which predicts nothing: all embeddings are zero.
func handmade(t *testing.T, entities, relations int, facts []graph.Triple) *runtime.Model {
	t.Helper()
	bound := runtime.NewModel(modeltest.New(t, modeltest.Spec{Entities: entities, Relations: relations, Facts: facts}))
	t.Cleanup(func() { bound.Close() })
	return bound
}
