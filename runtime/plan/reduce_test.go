package plan

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/efoc/efoc/runtime/internal/collective"
	"github.com/efoc/efoc/runtime/internal/exchange"
)

// TestReduce computes what needs a number of all entities of vectors that are easy to get wrong: on
// a whole model, and in two parts of a split one.
func TestReduce(t *testing.T) {
	inf := float32(math.Inf(1))
	type op = func(w *Workspace, dst, x Vec) Vec
	softmax, normalize, scaleMax, scaleSum := (*Workspace).Softmax, (*Workspace).Normalize, (*Workspace).ScaleMax, (*Workspace).ScaleSum
	for _, c := range []struct {
		name    string
		op      op
		x, want Vector
	}{
		{"softmax", softmax, Vector{0, 1, 2, 3}, Vector{0.0320586, 0.0871443, 0.2368828, 0.6439143}},
		{"softmax of low scores", softmax, Vector{-5e3, -5e3, -5e3, -6e3}, Vector{1. / 3, 1. / 3, 1. / 3, 0}},
		{"softmax of large scores", softmax, Vector{3e38, 3e38, 0, -3e38}, Vector{0.5, 0.5, 0, 0}},
		{"softmax of far scores", softmax, Vector{-1e30, -1e30, -1e30, 100}, Vector{0, 0, 0, 1}},
		{"softmax where a part has no score", softmax, Vector{-inf, -inf, 1, 1}, Vector{0, 0, 0.5, 0.5}},
		{"normalize", normalize, Vector{0.5, 1, 1.5, 1}, Vector{0.125, 0.25, 0.375, 0.25}},
		{"normalize of what is below ε", normalize, Vector{1e-15, 0.9e-14, 0, 0}, Vector{0, 0, 0, 0}},
		{"normalize of ε", normalize, Vector{2e-14, 0, 0, 0}, Vector{1, 0, 0, 0}},
		{"normalize of an infinity", normalize, Vector{-inf, 0, 0, 3}, Vector{0, 0, 0, 1}},
		{"scalemax", scaleMax, Vector{1, 2, 4, 0}, Vector{0.25, 0.5, 1, 0}},
		{"scalemax of negatives", scaleMax, Vector{-1, -2, -3, -4}, Vector{0, 0, 0, 0}},
		{"scalesum", scaleSum, Vector{1, 2, 4, 1}, Vector{0.125, 0.25, 0.5, 0.125}},
		{"scalesum of zeros", scaleSum, Vector{0, 0, 0, 0}, Vector{0, 0, 0, 0}},
		{"scalesum of a negative sum", scaleSum, Vector{1, -1, -2, 1}, Vector{0, 0, 0, 0}},
	} {
		check := func(where string, got Vector) {
			for e, want := range c.want {
				if d := math.Abs(float64(got[e] - want)); !(d <= 1e-6) {
					t.Errorf("%s, %s: %v, want %v", c.name, where, got, c.want)
					return
				}
			}
		}
		run := func(p *exchange.Shard, x Vector) Vector {
			w := &Workspace{vectors: []Vector{make(Vector, len(x)), slices.Clone(x)}}
			w.settings.Epsilon, w.Part = 1e-14, p
			c.op(w, 0, 1)
			w.Exchange()
			return w.vectors[0]
		}
		check("whole", run(nil, c.x))
		got, half := make(Vector, len(c.x)), len(c.x)/2
		var all sync.WaitGroup
		for i, transport := range collective.Local(2, time.Minute) {
			all.Go(func() {
				p := &exchange.Shard{Group: collective.NewGroup(transport), First: i * half, Rows: half, Entities: len(c.x)}
				copy(got[i*half:], run(p, c.x[i*half:(i+1)*half]))
			})
		}
		all.Wait()
		check(fmt.Sprint("parts of ", half), got)
	}
}
