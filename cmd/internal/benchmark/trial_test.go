package benchmark

import (
	"slices"
	"testing"

	"github.com/efoc/efoc/cmd/internal/trial"
)

func TestSummarize(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   trial.Summary
	}{
		{nil, trial.Summary{}},
		{[]float64{3}, trial.Summary{Median: 3, Min: 3, Max: 3}},
		{[]float64{4, 1}, trial.Summary{Median: 2.5, Min: 1, Max: 4}},
		{[]float64{5, 1, 4, 2, 3}, trial.Summary{Median: 3, Min: 1, Max: 5}},
	} {
		before := slices.Clone(c.values)
		if got := trial.Summarize(c.values); got != c.want {
			t.Errorf("Summarize(%v) is %+v, want %+v", c.values, got, c.want)
		}
		if !slices.Equal(c.values, before) {
			t.Errorf("Summarize sorted its argument to %v", c.values)
		}
	}
	if got := trial.Median([]float64{9, 1, 2}); got != 2 {
		t.Errorf("Median is %g", got)
	}
}
