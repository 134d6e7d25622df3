package reference

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/efoc/efoc/compiler/ir"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/scq"
	"github.com/efoc/efoc/testdata/require"
)

// TestRunErrors checks what is refused, and that a cancelled run stops.
func TestRunErrors(t *testing.T) {
	m := tiny(t)
	type entities = []model.EntityID
	type relations = []model.RelationID
	for _, c := range []struct {
		entities  entities
		relations relations
		want      string
	}{
		{entities{0}, relations{0}, "takes 2 constants and 1 relations, got 1 and 1"},
		{entities{0, 1}, nil, "takes 2 constants and 1 relations, got 2 and 0"},
		{entities{0, 3}, relations{0}, "constant s2 is entity 3, the model has 3"},
		{entities{-1, 0}, relations{0}, "constant s1 is entity -1"},
		{entities{0, 1}, relations{2}, "relation r1 is 2, the model has 2"},
		{entities{0, 1}, relations{-1}, "relation r1 is -1"},
		{entities{0, 1}, relations{1}, ""},
	} {
		p, err := ir.Parse("constants 2\nrelations 1\nv0:vec = onehot s1\nv1:vec = onehot s2\nanswer v1\n")
		require.NoError(t, err)
		b := scq.Bindings{Constants: c.entities, Relations: c.relations}
		_, err = Run(context.Background(), p, m, m.Manifest.Settings, b)
		switch {
		case c.want == "" && err != nil:
			t.Error(err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("bindings %+v: error is %v, want %s", b, err, c.want)
		}
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if _, err := Run(ctx, p, m, m.Manifest.Settings, b); c.want == "" && !errors.Is(err, context.Canceled) {
			t.Errorf("a cancelled run gives error %v", err)
		}
	}
}
