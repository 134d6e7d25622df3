package judge

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/efoc/efoc/runtime/model/graph"
)

// TestSpread draws numbers of answers as a spread takes them to come about: a question has facts or none, each answer is
// true or not if it has, and a known answer may be refuted. Nine of ten lie within the bounds.
func TestSpread(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	for _, applies := range []float64{0.02, 0.1, 0.2, 0.3, 0.6, 0.9, 0.97, 1} {
		for _, questions := range []int{1, 2, 8} {
			for _, holds := range []float64{1, 0.9} {
				t.Run(fmt.Sprint(applies, questions, holds), func(t *testing.T) {
					const known = 20
					x := spread{low: -1.645, high: 1.645, known: known}
					for range known {
						x.addKnown(holds)
					}
					chances := make([][]float64, questions)
					for q := range chances {
						for range 30 {
							p := rng.Float64()
							chances[q] = append(chances[q], p)
							x.add(question{head: graph.EntityID(q)}, applies, p)
						}
					}
					low, high := x.bounds()
					covered := 0
					const draws = 4000
					for range draws {
						n := 0
						for _, list := range chances {
							has := rng.Float64() < applies
							for _, p := range list {
								if rng.Float64() < p && has {
									n++
								}
							}
						}
						for range known {
							if rng.Float64() < holds {
								n++
							}
						}
						if low <= float64(n) && float64(n) <= high {
							covered++
						}
					}
					if share := float64(covered) / draws; share < 0.85 {
						t.Errorf("%.3f of the numbers are within %.2f to %.2f", share, low, high)
					}
				})
			}
		}
	}
}

// TestSpreadCertain expects a spread of questions that have facts to be that of independent answers.
func TestSpreadCertain(t *testing.T) {
	x := spread{low: -2, high: 3, known: 5}
	for q := range graph.EntityID(4) {
		x.add(question{head: q}, 1, 0.5)
	}
	if low, high := x.bounds(); math.Abs(low-(5+2-2)) > 1e-9 || math.Abs(high-(5+2+3)) > 1e-9 || x.expected() != 2 {
		t.Errorf("%v to %v, %v expected", low, high, x.expected())
	}
}
