package fit

import (
	"context"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/efoc/efoc/compiler/plantest"
	"github.com/efoc/efoc/runtime"
)

// TestMix compares the mixture with its formula.
func TestMix(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		degree := rapid.SampledFrom([]float32{0, 1e-9, 0.0002, 0.3, 1})
		n := rapid.IntRange(1, 20).Draw(t, "n")
		x, y := rapid.SliceOfN(degree, n, n).Draw(t, "x"), rapid.SliceOfN(degree, n, n).Draw(t, "y")
		g := rapid.SampledFrom([]float64{0, 0.25, 0.5, 1}).Draw(t, "g")
		want, sum := make([]float64, n), 0.0
		for i := range want {
			want[i] = math.Pow(float64(y[i])+1e-12, 1-g) * math.Pow(float64(x[i])+1e-6, g)
			sum += want[i]
		}
		mix(x, y, g)
		for i := range want {
			if got := float64(x[i]); math.Abs(got-want[i]/sum) > 1e-6*want[i]/sum {
				t.Fatalf("entity %d: %v, want %v", i, got, want[i]/sum)
			}
		}
	})
}

// TestPlanRefuses checks what Plan does not take.
func TestPlanRefuses(t *testing.T) {
	m := smallModel(t)
	bind := func(*runtime.Workspace) error { return nil }
	for _, c := range []struct {
		plan runtime.Plan
		s    Semantics
		want string
	}{
		{runtime.Plan{ABI: runtime.ABI, Bind: bind}, FIT, "when it is bound"},
		{runtime.Plan{ABI: runtime.ABI}, "other", "want nsmp, fit or mixed"},
		{runtime.Plan{ABI: runtime.ABI - 1}, Mixed, "run efoc generate again"},
	} {
		if _, err := Plan(NewRows(m, 0), &c.plan, c.s); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error is %v, want %q", c.s, err, c.want)
		}
	}
}

func smallModel(t *testing.T) *runtime.Model {
	t.Helper()
	m, err := plantest.NewModel(1, 50, 3, 4, runtime.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

// TestBudget checks that rows are kept within the budget, those wanted last, and that
// they are what they would be without.
func TestBudget(t *testing.T) {
	m := smallModel(t)
	all, few := NewRows(m, 0), NewRows(m, 3000)
	s := scale{threshold: 0.001, temperature: 1}
	for round := range 3 {
		for h := range int32(50) {
			keys := []key{{h, runtime.RelationID(round)}, {(h + 1) % 50, 0}, {h, runtime.RelationID(round)}}
			want, err := all.fetch(context.Background(), s, keys)
			if err != nil {
				t.Fatal(err)
			}
			got, err := few.fetch(context.Background(), s, keys)
			if err != nil {
				t.Fatal(err)
			}
			for _, k := range keys {
				for e := range int32(50) {
					if got[k].at(e) != want[k].at(e) {
						t.Fatalf("row %v: entity %d is %v, want %v", k, e, got[k].at(e), want[k].at(e))
					}
				}
			}
			used := 0
			for _, e := range few.kept {
				used += e.Value.(*entry).row.bytes() + entryBytes
			}
			if used != few.used || used > few.budget || len(few.kept) == 0 || len(few.kept) != few.recent.Len() {
				t.Fatalf("%d rows take %d bytes of %d, counted %d in %d", len(few.kept), used, few.budget, few.used, few.recent.Len())
			}
			if first := few.recent.Front().Value.(*entry).key; first != keys[0] && first != keys[1] {
				t.Fatalf("the row wanted last is %v", first)
			}
		}
	}
	if len(all.kept) <= len(few.kept) {
		t.Errorf("%d rows are kept without a bound, %d with one", len(all.kept), len(few.kept))
	}
	if first, second := RowsOf(m), RowsOf(m); first != second {
		t.Error("queries on a model do not share rows")
	}
}

// TestInterrupt checks that an end of the context ends the work.
func TestInterrupt(t *testing.T) {
	m := smallModel(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	pattern := runtime.Pattern{Variables: []string{"f"}, Atoms: []runtime.PatternAtom{{Head: runtime.Const(0), Tail: runtime.Var(0)}}}
	e := New(NewRows(m, 0), []runtime.Pattern{pattern})
	b := []runtime.Bindings{{Constants: []runtime.EntityID{0}, Relations: []runtime.RelationID{0}}}
	err := e.Scores(ctx, b, runtime.Degrees{}, func(int, runtime.Vector, []runtime.Vector) error { return nil })
	if err != context.Canceled {
		t.Errorf("error is %v", err)
	}
}
