package tune

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestEstimated(t *testing.T) {
	// The mean of 1, 2, 3, 6 is 3, their variance (4+1+0+9)/3, its share 14/12.
	if e := estimated([]float64{1, 2, 3, 6}); e.mean != 3 || math.Abs(e.err-math.Sqrt(14.0/12)) > 1e-12 {
		t.Errorf("estimated %+v", e)
	}
	if e := estimated([]float64{1}); !math.IsInf(e.err, 1) {
		t.Errorf("one value has error %v", e.err)
	}
}

// noise returns rows of values around ½.
func noise(rng *rand.Rand, rows, queries int) [][]float32 {
	mrr := make([][]float32, rows)
	for k := range mrr {
		for range queries {
			mrr[k] = append(mrr[k], rng.Float32())
		}
	}
	return mrr
}

// TestChooseNoise checks that settings that differ by chance alone are refused:
// the best of 300 looks better by far on the queries that it was chosen by.
func TestChooseNoise(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	taken, fitted, trials := 0, 0, 40
	for range trials {
		mrr := noise(rng, 300, 50)
		x := table{mrr: mrr, base: 7}
		if x.best(func(int) bool { return true }) != 7 {
			fitted++
		}
		if c := x.choose(5); c.setting != 7 {
			taken++
		}
	}
	// A gain of nothing exceeds its standard error in 16 of 100 cases.
	if fitted < trials/2 || taken > trials/4 {
		t.Errorf("of %d choices among noise %d looked better and %d were taken", trials, fitted, taken)
	}
}

// TestChoosePlanted hides one good setting among noise, and checks that the gain is
// that of the plant.
func TestChoosePlanted(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	mrr := noise(rng, 300, 400)
	for q := range mrr[123] {
		mrr[123][q] = min(1, mrr[7][q]+0.2*rng.Float32())
	}
	c := (&table{mrr: mrr, base: 7}).choose(5)
	if c.setting != 123 || c.heldOut.mean < 0.05 || c.heldOut.mean > 0.1 {
		t.Errorf("chose %+v, want setting 123 with a gain of somewhat less than 0.1", c)
	}
	// Fewer queries than folds, down to one, which proves nothing.
	for queries := 1; queries < 4; queries++ {
		few := [][]float32{make([]float32, queries), make([]float32, queries)}
		for q := range queries {
			few[1][q] = 1
		}
		if c := (&table{mrr: few}).choose(5); (c.setting == 1) != (queries > 2) {
			t.Errorf("of %d queries: %+v", queries, c)
		}
	}
}
