package queryset_test

import (
	"context"
	"slices"
	"testing"

	"github.com/efoc/efoc/cmd/internal/queryset"
	"github.com/efoc/efoc/testdata/require"
	"github.com/efoc/efoc/testdata/shared"
)

// open reads a set, and fails the test at an error or warning.
func open(t *testing.T, path string, o queryset.Options) *queryset.Set {
	t.Helper()
	set, warnings, err := queryset.Open(context.Background(), path, o)
	require.NoError(t, err)
	for _, w := range warnings {
		t.Errorf("warning: %s", w)
	}
	return set
}

// same compares two sets: the same groups, and in them the same queries with the
// same answers in any order.
func same(t *testing.T, got, want *queryset.Set) {
	t.Helper()
	if len(got.Groups) != len(want.Groups) {
		t.Fatalf("%d groups, want %d", len(got.Groups), len(want.Groups))
	}
	for i, w := range want.Groups {
		g := got.Groups[i]
		if g.Name != w.Name || g.Template.String() != w.Template.String() || len(g.Queries) != len(w.Queries) {
			t.Fatalf("group %d is %s, %s, of %d queries; want %s, %s, of %d", i, g.Name, g.Template, len(g.Queries), w.Name, w.Template, len(w.Queries))
		}
		a, b := sorted(g), sorted(w)
		for j := range a {
			if !slices.Equal(a[j].Args, b[j].Args) || !slices.Equal(a[j].Easy, b[j].Easy) || !slices.Equal(a[j].Hard, b[j].Hard) {
				t.Fatalf("%s: query %d is %v, want %v", g.Name, j, a[j], b[j])
			}
		}
	}
}

// sorted returns the queries of a group in the order of their arguments.
func sorted(g *queryset.Group) []queryset.Case {
	return slices.SortedFunc(slices.Values(g.Queries), func(a, b queryset.Case) int { return slices.Compare(a.Args, b.Args) })
}

// TestBetaEReal compares BetaE's files with the same queries as JSON Lines, which
// another program wrote.
func TestBetaEReal(t *testing.T) {
	dir := shared.Dir(t, "data", "nell995")
	want := open(t, dir+"/queries-dev.jsonl", queryset.Options{})
	if len(want.Groups) != 13 {
		t.Errorf("%d groups, want BetaE's 14 but pni", len(want.Groups))
	}
	same(t, open(t, dir, queryset.Options{}), want)
	few := open(t, dir+"/test-queries.pkl", queryset.Options{Shapes: []string{"up", "2in"}, Limit: 7})
	if len(few.Groups) != 2 || few.Groups[0].Name != "2in" || len(few.Groups[1].Queries) != 7 {
		t.Errorf("groups are %v", few.Groups)
	}
}

// TestFITReal compares FIT's files with the same queries as JSON Lines, whose
// slots are in another order.
func TestFITReal(t *testing.T) {
	real := []string{"pni", "2il", "3il", "2m", "2nm", "3mp", "3pm", "im", "3c", "3cm"}
	want := open(t, shared.Dir(t, "data", "fb15k-237", "queries-dev.jsonl"), queryset.Options{Shapes: real})
	dir := shared.Dir(t, "data", "fb15k-237-efo1")
	same(t, open(t, dir, queryset.Options{}), want)
	one := open(t, dir+"/test_type0022_real_EFO1_qaa.json", queryset.Options{Limit: 3})
	if len(one.Groups) != 1 || one.Groups[0].Name != "3c" || len(one.Groups[0].Queries) != 3 {
		t.Errorf("groups are %v", one.Groups)
	}
}
