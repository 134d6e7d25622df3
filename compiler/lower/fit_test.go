package lower_test

import (
	"testing"

	"github.com/efoc/efoc/compiler/lower"
	"github.com/efoc/efoc/compiler/pass"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/testdata/require"
)

// benchmarkShape returns the shape of a formula in the notation of the benchmarks.
func benchmarkShape(t *testing.T, formula string) *lower.Shape {
	t.Helper()
	q, err := lang.ParseBenchmark(formula)
	require.NoError(t, err)
	d := q.Normal
	return lower.NewShape(d)
}

// TestFITRows checks that all rows of constants are computed in one sweep, and those of each variable's
// candidates in another.
func TestFITRows(t *testing.T) {
	for formula, sweeps := range map[string]int{
		"r1(s1,f)":                                        1,
		"r1(s1,f)&r2(s2,f)&!r3(s3,f)":                     1,
		"r1(s1,f)|r2(s2,f)":                               1,
		"r1(s1,e1)&r2(e1,f)":                              2,
		"r1(s1,e1)&r2(e1,f)&r3(s2,f)":                     2,
		"r1(s1,e1)&r2(e1,e2)&r3(e2,f)":                    3,
		"r1(s1,e1)&r2(e1,f)&r3(e1,f)&r4(s2,e1)":           2,
		"r1(s1,e1)&r2(e1,f)&r3(s2,e2)&r4(e2,f)":           2,
		"r1(s1,e1)&r2(e1,f)&r3(s2,e2)&r4(e2,f)&r5(e1,e2)": 3,
	} {
		p := lower.FIT(benchmarkShape(t, formula))
		require.NoError(t, pass.Run(p, pass.Default(), nil))
		if got := p.Sweeps(); got != sweeps {
			t.Errorf("%s: %d sweeps, want %d\n%s", formula, got, sweeps, p)
		}
	}
}
