package startup

import (
	"context"
	"testing"

	"github.com/efoc/efoc/cmd/efoc/world"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/testdata/require"

	"example.com/atlas"
)

// TestTwoBordersAway checks that a plan which is compiled now answers as the generated one of
// the same formula does, shows the neighbour between, and explains answers.
func TestTwoBordersAway(t *testing.T) {
	m, err := world.Open()
	require.NoError(t, err)
	t.Cleanup(func() { m.Close() })
	q, err := BindTwoBordersAway(m, compiler.Plans(nil))
	require.NoError(t, err)
	generated, err := atlas.BindTwoBordersAway(m)
	require.NoError(t, err)
	turkey, err := m.Entity("Turkey")
	require.NoError(t, err)
	ctx := context.Background()
	r, err := q.Answer(ctx, TwoBordersAwayParams{Country: turkey}, runtime.Options{})
	require.NoError(t, err)
	want, err := generated.Answer(ctx, atlas.TwoBordersAwayParams{Country: turkey}, runtime.Options{})
	require.NoError(t, err)
	borders, err := m.Relation("borders")
	require.NoError(t, err)
	for i, a := range r.Rows {
		if a.Y.ID != want.Rows[i].Y.ID {
			t.Errorf("answer %d is %s, want %s", i, a.Y.Name, want.Rows[i].Y.Name)
		}
		if a.Status == runtime.Known && !m.Bundle().Graph.Has(turkey.ID(), borders.ID(), a.X.ID) {
			t.Errorf("%s is beside %s", a.X.Name, a.Y.Name)
		}
	}
	why, err := q.Why(ctx, TwoBordersAwayParams{Country: turkey}, runtime.Options{K: 1})
	if err != nil || len(why) != 1 || why[0].Answer.ID != r.Rows[0].Y.ID {
		t.Errorf("witnesses %+v, %v", why, err)
	}
}
