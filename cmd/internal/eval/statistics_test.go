package eval

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/efoc/efoc/testdata/require"
)

// TestInterval compares with the normal distribution, which means of many values have: of two shapes
// with 400 and 100 values of deviation 1, the error of the mean of means is √(1/400 + 1/100) / 2.
func TestInterval(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	draw := func(n int, middle float64) []float64 {
		values := make([]float64, n)
		for i := range values {
			values[i] = middle + 2*float64(i%2) - 1 // deviation 1, whatever the order
		}
		rng.Shuffle(n, func(i, j int) { values[i], values[j] = values[j], values[i] })
		return values
	}
	got := interval(resample(draw(400, 3)), resample(draw(100, 5)))
	half := 1.96 * math.Sqrt(1./400+1./100) / 2
	for i, want := range []float64{4 - half, 4 + half} {
		if math.Abs(got[i]-want) > 0.1*half {
			t.Errorf("the interval is %v, want %.3f to %.3f", got, 4-half, 4+half)
		}
	}
}

// TestGain compares with figures that were worked out by hand: differences of -0.1, 0 and 0.4 have the
// mean 0.1 and the variance 0.07; those of 1, 2 and 3 have t = 2√3 and 2 degrees of freedom, for which
// the distribution is 1/2 + t / (2 √(2 + t²)).
func TestGain(t *testing.T) {
	g := NewGain([][]float64{{-0.1, 0, 0.4}, {1}}, [][]float64{{0, 0, 0}, {0}})
	if math.Abs(g.Mean-(0.1+1)/2) > 1e-12 || math.Abs(g.Err-math.Sqrt(0.07/3)/2) > 1e-12 || math.Abs(g.Freedom-2) > 1e-9 {
		t.Errorf("gain is %+v", g)
	}
	g = NewGain([][]float64{{2, 4, 6}}, [][]float64{{1, 2, 3}})
	if want := 1 - math.Sqrt(12./14); math.Abs(g.P()-want) > 1e-9 {
		t.Errorf("p is %v, want %v", g.P(), want)
	}
	same, constant := NewGain([][]float64{{1, 2}}, [][]float64{{1, 2}}), NewGain([][]float64{{2, 3}}, [][]float64{{1, 2}})
	if same.P() != 1 || constant.P() != 0 {
		t.Errorf("p of no difference is %v, of a constant one %v", same.P(), constant.P())
	}
	// Two shapes with the same error and 4 degrees of freedom have 8 together.
	g = NewGain([][]float64{{0, 1, 2, 3, 4}, {0, 1, 2, 3, 4}}, [][]float64{make([]float64, 5), make([]float64, 5)})
	if math.Abs(g.Freedom-8) > 1e-9 || math.Abs(g.Err-math.Sqrt(0.5)/math.Sqrt2) > 1e-9 {
		t.Errorf("gain of two shapes is %+v", g)
	}
}

// TestCompare compares a report with itself and with a better one, and refuses others.
func TestCompare(t *testing.T) {
	r, better := handReport(t), handReport(t)
	better.Shapes[0].MRRs = []float64{0.725, 0.7} // 0.1 and 0.2 more
	require.NoError(t, r.Compare("same.json", handReport(t)))
	require.NoError(t, r.Compare("better.json", better))
	for _, x := range r.Against[0].Rows {
		if x.Difference != 0 || x.P != 1 {
			t.Errorf("a run differs from itself: %+v", x)
		}
	}
	var names []string
	for _, x := range r.Against[1].Rows {
		names = append(names, x.Name)
	}
	if got := strings.Join(names, " "); got != "1p 2in AVG.(P) AVG.(N)" {
		t.Errorf("compared %s", got)
	}
	if x := r.Against[1].Rows[0]; x.Queries != 2 || math.Abs(x.Difference+0.15) > 1e-12 || math.Abs(x.Interval[0]+0.2) > 1e-12 || math.Abs(x.Interval[1]+0.1) > 1e-12 {
		t.Errorf("1p: %+v", x)
	}
	for want, change := range map[string]func(r *Report){
		"not a report":  func(r *Report) { r.About.Queries.Sum = "" },
		"other queries": func(r *Report) { r.About.Queries.Sum = "x" },
		"filter strict": func(r *Report) { r.About.Filter = Strict },
		"finish it":     func(r *Report) { r.Shapes = r.Shapes[:1] },
		"of all":        func(r *Report) { r.Shapes[0].MRRs = nil },
	} {
		other := handReport(t)
		change(other)
		if err := r.Compare("x.json", other); err == nil || !strings.Contains(err.Error(), "x.json: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("error is %v, want %s", err, want)
		}
	}
}
