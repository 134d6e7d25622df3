package startup

import (
	"context"
	"testing"

	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/runtime/query"
	"github.com/efoc/efoc/testdata/world"

	"example.com/atlas"
)

// TestTwoBordersAway checks that a plan which is compiled now answers as the generated one of
// the same formula does, shows the neighbour between, and explains answers.
func TestTwoBordersAway(t *testing.T) {
	m, err := world.Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	q, err := NewTwoBordersAway(m, compiler.Plans(nil))
	if err != nil {
		t.Fatal(err)
	}
	generated, err := atlas.NewTwoBordersAway(m)
	if err != nil {
		t.Fatal(err)
	}
	turkey, err := m.Entity("Turkey")
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	r, err := q.Answer(ctx, TwoBordersAwayParams{Country: turkey}, query.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want, err := generated.Answer(ctx, atlas.TwoBordersAwayParams{Country: turkey}, query.Options{})
	if err != nil {
		t.Fatal(err)
	}
	borders, err := m.Relation("borders")
	if err != nil {
		t.Fatal(err)
	}
	for i, a := range r.Rows {
		if a.Entity != want.Answers[i].Entity {
			t.Errorf("answer %d is %s, want %s", i, a.Name, want.Answers[i].Name)
		}
		if a.Status == query.Known && !m.Graph.Has(turkey.ID(), borders.ID(), a.X.ID) {
			t.Errorf("%s is beside %s", a.X.Name, a.Name)
		}
	}
	why, err := q.Why(ctx, TwoBordersAwayParams{Country: turkey}, query.Options{K: 1})
	if err != nil || len(why) != 1 || why[0].Answer.ID != r.Rows[0].Entity {
		t.Errorf("witnesses %+v, %v", why, err)
	}
}
