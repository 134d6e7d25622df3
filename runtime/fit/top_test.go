package fit

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/efoc/efoc/runtime/internal/top"
	"github.com/efoc/efoc/runtime/model/graph"
)

// TestTop compares the best entities with the first of a sorted list, for vectors of few values, so
// that there are ties, and of many, in order and not.
func TestTop(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	special := []float32{float32(math.Inf(1)), float32(math.Inf(-1)), 0, float32(math.Copysign(0, -1)), 1e-40, -1e-40}
	for range 300 {
		n, values := rng.IntN(1000), 1+rng.IntN(2000)
		x := make([]float32, n)
		for i := range x {
			x[i] = float32(rng.IntN(values)) - 5
			if rng.IntN(50) == 0 {
				x[i] = special[rng.IntN(len(special))]
			}
		}
		switch rng.IntN(4) {
		case 0:
			slices.Sort(x)
		case 1:
			slices.Sort(x)
			slices.Reverse(x)
		}
		want := make([]top.Ranked, n)
		for e := range want {
			want[e] = top.Ranked{Entity: graph.EntityID(e), Score: x[e]}
		}
		slices.SortStableFunc(want, func(a, b top.Ranked) int {
			switch {
			case a.Score > b.Score:
				return -1
			case a.Score < b.Score:
				return 1
			}
			return 0
		})
		for _, k := range []int{0, 1, 3, 10, 64, 65, n / 2, n, n + 5} {
			if got := top.Of(x, k); !slices.Equal(got, want[:min(k, n)]) {
				t.Fatalf("the %d best of %v are %v, want %v", k, x, got, want[:min(k, n)])
			}
		}
		if got := slices.Collect(top.Descending(x)); !slices.Equal(got, want) {
			t.Fatalf("in order %v is %v, want %v", x, got, want)
		}
	}
}

func BenchmarkTop(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	x := make([]float32, 14505)
	for i := range x {
		x[i] = rng.Float32()
	}
	for _, k := range []int{10, 4096} {
		b.Run(strconv.Itoa(k), func(b *testing.B) {
			var list []top.Ranked
			for b.Loop() {
				list = top.Into(list, x, k)
			}
		})
	}
}
