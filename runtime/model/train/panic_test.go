package train

import (
	"errors"
	"testing"

	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/testdata/require"
)

// TestPanic has the workers of a training panic: steps and evaluations return that.
func TestPanic(t *testing.T) {
	g := randomGraph(t, 300, 3, 900)
	for _, threads := range []int{1, 3} {
		o := DefaultOptions()
		o.Rank = 4
		tr, err := New(g, o, threads)
		require.NoError(t, err)
		if _, err := tr.Step(0); err != nil {
			t.Fatal(err)
		}
		test := NewTest([]graph.Triple{{Head: 0, Relation: 0, Tail: 1}}, g)
		tr.entities.values.data = tr.entities.values.data[:8:8] // the other rows are gone
		var fault *runtime.PanicError
		if _, err := tr.Step(0); !errors.As(err, &fault) || len(fault.Stack) == 0 {
			t.Errorf("%d threads: a step has error %v", threads, err)
		}
		if _, err := tr.Evaluate(t.Context(), test, nil); !errors.As(err, &fault) {
			t.Errorf("%d threads: an evaluation has error %v", threads, err)
		}
		tr.workers.Each(10, func(int, int) {}) // they go on
	}
}
