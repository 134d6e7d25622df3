package fit

import (
	"slices"
	"testing"

	"github.com/efoc/efoc/compiler/lower"
	"github.com/efoc/efoc/lang"
)

// TestDescribe checks the plans of shapes of each kind against plans that were worked
// out by hand.
func TestDescribe(t *testing.T) {
	for formula, want := range map[string][]string{
		"r1(s1,e1)&r2(e1,f)&!r3(s2,f)": {
			"row r1(s1,e1) restricts e1",
			"row !r2(s2,f) restricts f",
			"rows of the K best of e1: push e1 along r3(e1,f) into f",
		},
		"r1(s1,f)&r2(f,e1)": {
			"row r1(s1,f) restricts f",
			"push e1, of which nothing is known, along r2^-1(e1,f) into f",
		},
		"r1(s1,e1)&r2(e1,f)&r3(s2,e2)&r4(e2,f)&r5(e1,e2)": {
			"row r1(s1,e1) restricts e1",
			"row r2(s2,e2) restricts e2",
			"rows of the K best of e1: a branch for each, in which r4(e1,f), r3(e1,e2) restricts its neighbours",
			"rows of the K best of e2: push e2 along r5(e2,f) into f",
		},
		// A cycle without constants: the free variable proposes where to cut it. In
		// canonical order e1 is the variable that r4 leads from.
		"r1(s1,f)&r2(f,e1)&r3(e1,e2)&r4(e2,f)": {
			"row r1(s1,f) restricts f",
			"rows of the K best of f: r2^-1(f,e1) proposes values of e1",
			"rows of the K best of e1: a branch for each, in which r2(e1,f), r4^-1(e1,e2) restricts its neighbours",
			"rows of the K best of e2: push e2 along r3^-1(e2,f) into f",
		},
	} {
		query, err := lang.ParseBenchmark(formula)
		if err != nil {
			t.Fatal(err)
		}
		dnf, _, err := lang.Normalize(query)
		if err != nil {
			t.Fatal(err)
		}
		pattern := lower.NewShape(dnf).SCQs[0].Pattern()
		if got := Describe(&pattern); !slices.Equal(got, want) {
			t.Errorf("%s:\ngot  %q\nwant %q", formula, got, want)
		}
	}
}
