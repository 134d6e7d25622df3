package plan

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/efoc/efoc/runtime/fit"
	"github.com/efoc/efoc/runtime/internal/top"
	"github.com/efoc/efoc/runtime/model/graph"
)

// TestBestOfMixture compares the best entities of a mixture with the first of all, sorted by the score of package math.
func TestBestOfMixture(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 8))
	for range 200 {
		g := rng.Float64()
		n := 1 + rng.IntN(600)
		values := 1 + rng.IntN(50) // few, so that there are ties
		b := bounds{Scorer: fit.NewScorer(g)}
		for range n {
			b.p = append(b.p, float32(math.Exp(-float64(rng.IntN(values)))))
			b.d = append(b.d, float32(rng.IntN(values))/float32(values))
		}
		mixed := func(p, d float32) float64 { return math.Pow(float64(p)+1e-12, 1-g) * math.Pow(float64(d)+1e-6, g) }
		least := mixed(0, 0)
		all := make([]top.Ranked, n)
		for e := range all {
			score := (mixed(b.p[e], b.d[e]) - least) / (mixed(1, 1) - least)
			all[e] = top.Ranked{Entity: graph.EntityID(e), Score: float32(score)}
		}
		slices.SortStableFunc(all, func(x, y top.Ranked) int { return cmp.Compare(y.Score, x.Score) })
		k := min(n, 1+rng.IntN(top.MostInserted))
		got := b.best(nil, k)
		for i, want := range all[:k] {
			if off := math.Abs(float64(got[i].Score - want.Score)); off > 1e-6*float64(want.Score) {
				t.Fatalf("answer %d of %d is %v, want %v", i, n, got[i], want)
			}
			tied := i > 0 && got[i].Score == got[i-1].Score
			if tied && got[i].Entity < got[i-1].Entity {
				t.Fatalf("answers with the score %v are in the order %v", got[i].Score, got)
			}
		}
	}
}
