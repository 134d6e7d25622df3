package fuzzy

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestOperations compares the operations on sets that list few, many or all of the entities with the same
// operations entity by entity.
func TestOperations(t *testing.T) {
	const n = 200
	rng := rand.New(rand.NewPCG(46, 1))
	a := &Arena{Norm: Product{}, N: n}
	for range 500 {
		a.Reset()
		x := random(a, rng)
		y := random(a, rng)
		nu := float32(1 + rng.IntN(3))
		weights := []float32{rng.Float32(), rng.Float32()}
		a.Maximum.Start(n)
		sets := []*Set{x, y}
		largest := a.FoldMax(sets, weights, a.Offer(sets, weights))
		both := a.Mul(x, y)
		either := a.Either(x, y)
		negated := a.Negated(x, nu)
		for e := range int32(n) {
			p := x.At(e)
			q := y.At(e)
			for _, c := range []struct {
				name      string
				got, want float32
			}{
				{"conjunction", both.At(e), p * q},
				{"disjunction", either.At(e), 1 - (1-p)*(1-q)},
				{"negation", negated.At(e), 1 - min(1, nu*p)},
				{"maximum", largest.At(e), max(weights[0]*p, weights[1]*q)},
			} {
				if math.Abs(float64(c.got-c.want)) > 1e-6 {
					t.Fatalf("%s of %v and %v: entity %d has degree %v, want %v", c.name, x, y, e, c.got, c.want)
				}
			}
		}
	}
}

// TestBest compares the best entities of a set with its degrees.
func TestBest(t *testing.T) {
	const n = 200
	rng := rand.New(rand.NewPCG(46, 2))
	a := &Arena{Norm: Product{}, N: n}
	for range 300 {
		a.Reset()
		x := random(a, rng)
		k := 1 + rng.IntN(n)
		best := a.Best(x, k)
		listed := map[int32]bool{}
		last := float32(1)
		for _, b := range best {
			e := int32(b.Entity)
			if listed[e] || b.Score != x.At(e) || b.Score > last || !(b.Score > 0) {
				t.Fatalf("entity %d is listed with %v behind %v, it has %v", e, b.Score, last, x.At(e))
			}
			listed[e] = true
			last = b.Score
		}
		for e := range int32(n) {
			if d := x.At(e); !listed[e] && d > 0 && (len(best) < k || d > last) {
				t.Fatalf("entity %d with %v is not among the %d best, of which the last has %v", e, d, k, last)
			}
		}
	}
}

// random is a set that lists few of the entities, or many, or is full.
func random(a *Arena, rng *rand.Rand) *Set {
	rest := float32(0)
	if rng.IntN(2) == 0 {
		rest = rng.Float32()
	}
	if rng.IntN(3) == 0 {
		x := a.Dense(rest, a.N)
		for e := range x.Full {
			x.Full[e] = rng.Float32()
		}
		return x
	}
	share := []int{2, 30}[rng.IntN(2)]
	x := a.List(rest, a.N)
	for e := range int32(a.N) {
		if rng.IntN(share) == 0 {
			x.Add(e, rng.Float32())
		}
	}
	return a.Trim(x)
}
