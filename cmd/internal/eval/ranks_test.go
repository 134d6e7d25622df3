package eval

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestRanks has ranks that were worked out by hand.
func TestRanks(t *testing.T) {
	scores := []float32{0.5, 0.9, 0.5, 0.1, 0.5, 0.9, 0}
	for _, c := range []struct {
		name           string
		hard, filtered []int32
		want           []float64
	}{
		{"alone", []int32{1}, nil, []float64{1.5}},                                    // 5 is level
		{"level one filtered", []int32{1}, []int32{5}, []float64{1}},                  // nothing left at 0.9
		{"middle", []int32{0}, nil, []float64{4}},                                     // 1 and 5 above, 2 and 4 level
		{"hard ones do not compete", []int32{0, 1, 2}, nil, []float64{2.5, 1.5, 2.5}}, // above: 5; level with 0: 4
		{"last", []int32{6}, []int32{0, 1}, []float64{5}},
		{"all filtered", []int32{3}, []int32{0, 1, 2, 4, 5, 6}, []float64{1}},
		{"in both lists", []int32{0, 3}, []int32{0, 3, 5}, []float64{3, 4}}, // 0: 1 above, 2 and 4 level; 3: 1, 2 and 4 above
		{"none", nil, []int32{1}, []float64{}},
	} {
		got, err := Ranks(scores, c.hard, c.filtered)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: ranks are %v, want %v (%v)", c.name, got, c.want, err)
		}
	}
	// A constant score is worth the middle, not the top.
	if got, _ := Ranks(make([]float32, 101), []int32{7}, nil); got[0] != 51 {
		t.Errorf("rank among 100 level ones is %v", got[0])
	}
	if _, err := Ranks([]float32{1, float32(math.NaN())}, []int32{0}, nil); err == nil || !strings.Contains(err.Error(), "entity 1 ") {
		t.Errorf("a NaN score gives %v", err)
	}
}

// TestRanksRandom compares with a plain loop over all pairs.
func TestRanksRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		scores := make([]float32, 1+r.IntN(40))
		for i := range scores {
			scores[i] = float32(r.IntN(8)) / 8
		}
		var hard, filtered []int32
		for e := range scores {
			switch r.IntN(4) {
			case 0:
				hard = append(hard, int32(e))
			case 1:
				filtered = append(filtered, int32(e))
			}
		}
		want := make([]float64, len(hard))
		for i, h := range hard {
			want[i] = 1
			for e, s := range scores {
				switch {
				case slices.Contains(hard, int32(e)) || slices.Contains(filtered, int32(e)):
				case s > scores[h]:
					want[i]++
				case s == scores[h]:
					want[i] += 0.5
				}
			}
		}
		if got, err := Ranks(scores, hard, filtered); err != nil || !slices.Equal(got, want) {
			t.Fatalf("scores %v, hard %v, filtered %v: ranks %v, want %v (%v)", scores, hard, filtered, got, want, err)
		}
	}
}

func TestRankMetrics(t *testing.T) {
	for rank, want := range map[float64]Metrics{
		1:    {1, 1, 1, 1},
		1.5:  {1 / 1.5, 0, 1, 1},
		3:    {1.0 / 3, 0, 1, 1},
		10:   {0.1, 0, 0, 1},
		10.5: {1 / 10.5, 0, 0, 0},
	} {
		if got := rankMetrics(rank); got != want {
			t.Errorf("metrics of rank %v are %+v, want %+v", rank, got, want)
		}
	}
}
