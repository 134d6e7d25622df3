package stages

import (
	"context"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/efoc/efoc/compiler/ir"
	"github.com/efoc/efoc/compiler/lower"
	"github.com/efoc/efoc/compiler/pass"
	"github.com/efoc/efoc/compiler/reference"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/testdata/plantest"
	"github.com/efoc/efoc/testdata/require"
	"github.com/efoc/efoc/testdata/seed"
)

// TestCompileFixed checks on random queries and choices of fixed slots that the two parts of a split plan
// together give bit-identical results to the whole, that the part run at binding depends only on fixed slots,
// and that the part run for each answer never makes more sweeps than the whole. The same holds for the plan for
// small tables.
func TestCompileFixed(t *testing.T) {
	seed.Check(t, func(t *rapid.T) {
		m := plantest.Model(t, 7, 3, 3)
		d := plantest.Formula(t, plantest.Options{Entities: 7, Relations: 3, Atoms: 8}).Normal
		s := lower.NewShape(d)
		var fixed pass.Fixed
		for range s.Constants {
			fixed.Constants = append(fixed.Constants, rapid.Bool().Draw(t, "constant"))
		}
		for range s.Relations {
			fixed.Relations = append(fixed.Relations, rapid.Bool().Draw(t, "relation"))
		}
		whole, err := Compile(s, Options{Semantics: model.NSMP})
		require.NoError(t, err)
		split, err := Compile(s, Options{Fixed: &fixed, Semantics: model.NSMP})
		require.NoError(t, err)
		if split.Optimized.Sweeps() > whole.Optimized.Sweeps() {
			t.Errorf("%d sweeps for each answer, %d unsplit", split.Optimized.Sweeps(), whole.Optimized.Sweeps())
		}
		b := plantest.DrawArguments(t, 7, 3).Bindings(s.Constants, s.Relations, s.Filters)
		want, err := reference.Run(context.Background(), whole.Optimized, m.Bundle(), m.Settings(), b)
		require.NoError(t, err)
		var kept reference.Kept
		if split.Bind != nil {
			if split.Optimized.Sweeps() == whole.Optimized.Sweeps() {
				t.Errorf("each answer makes %d sweeps, as many as unsplit", split.Optimized.Sweeps())
			}
			for _, v := range split.Bind.Values {
				info := v.Op.Info()
				if info.Const && !fixed.Constants[v.Const] || info.Rel && !fixed.Relations[v.Rel] {
					t.Errorf("binding reads a slot that the caller fills: %s", v.Op)
				}
			}
			r, err := reference.Run(context.Background(), split.Bind, m.Bundle(), m.Settings(), b)
			require.NoError(t, err)
			kept = r.Kept
		}
		fused, err := split.Fused()
		require.NoError(t, err)
		for _, p := range []*ir.Plan{split.Optimized, fused} {
			if p == nil {
				continue
			}
			got, err := reference.RunKept(context.Background(), p, m.Bundle(), m.Settings(), b, kept)
			require.NoError(t, err)
			if !reflect.DeepEqual(got.Answer, want.Answer) || !reflect.DeepEqual(got.Sets, want.Sets) {
				t.Errorf("split plan gives %v and %v, want %v and %v\n%s\n%s", got.Answer, got.Sets, want.Answer, want.Sets, split.Bind, p)
			}
		}
	})
}
