package cugen_test

import (
	"context"
	"testing"

	"github.com/efoc/efoc/codegen/cugen"
	"github.com/efoc/efoc/runtime/device"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/table"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/runtime/scq"
	"github.com/efoc/efoc/testdata/plantext"
	"github.com/efoc/efoc/testdata/require"
)

// ops is a plan with every op that the benchmark shapes lack or have in only one form.
const ops = `layers 1
constants 2
relations 2
filters 1
v0:emb = entity s1
v1:emb = project v0 r1 backward negated
v2:vec = score v1 @1
v3:vec = loopscore r2 negated @1
v4:vec = softmax v2
v5:vec = softmax v3
v6:vec = onehot s2
v7:vec = loops r2
v8:vec = neighbors s2 r1 backward
v9:vec = max v6 v7 v8
v10:vec = traverse v9 r2 backward
v11:vec = traverse v9 r1
v12:vec = complement v10
v13:vec = scalemax v12
v14:vec = scalesum v11
v15:vec = blend v4 v13
v16:vec = normalize v15
v17:vec = mul v16 v5 v4
v18:emb = embed v16 @2
v19:vec = cosine v18 @3
v20:vec = softmax v12
v21:vec = softmax v19
v22:vec = mix v21 v20
v23:vec = normalize v4
v24:emb = embed v20
v25:emb = project v24 r2
v26:vec = score v25
v27:vec = softmax v26
v28:vec = scalesum v3
v29:vec = ends r1
v30:vec = ends r2 backward
v31:vec = elsewhere v20
v32:vec = elsewhere v6
v33:vec = factors p1
v34:vec = elsewhere v33
answer v22
set 0 e v4
set 0 e v5
set 0 e v6
set 0 e v7
set 0 e v8
set 0 e v9
set 0 e v10
set 0 e v11
set 0 e v12
set 0 e v13
set 0 e v14
set 0 e v17
set 0 e v20
set 0 e v23
set 0 e v27
set 0 e v29
set 0 e v30
set 0 e v31
set 0 e v32
set 0 e v33
set 0 e v34
`

// compareOps compares every op with the interpreter, for one query and for a batch.
func compareOps(t *testing.T, d *device.Device) {
	t.Helper()
	whole, err := plantext.Parse(ops)
	require.NoError(t, err)
	require.NoError(t, whole.Verify())
	host := newModel(t, 5, 75, 7, table.Float32, 30)
	m, err := d.Load(host.Bundle())
	require.NoError(t, err)
	defer func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	}()
	p, err := cugen.Kernels(whole, "efoc_ops")
	require.NoError(t, err)
	q, err := m.Runner(p)
	require.NoError(t, err)
	first := scq.Bindings{Constants: []graph.EntityID{3, 11}, Relations: []graph.RelationID{2, 5}}
	second := scq.Bindings{Constants: []graph.EntityID{60, 0}, Relations: []graph.RelationID{1, 4}}
	batch := withFilters(t, host.Bundle(), []scq.Bindings{first, second, first, second, first, second, first})
	s := host.Settings()
	s.Epsilon = 1e-7 // nearly too large: see device.ErrEpsilon
	for _, part := range [][]scq.Bindings{batch[:1], batch, batch[1:2], batch[3:4]} {
		err := q.Scores(context.Background(), part, s, func(i int, answer plan.Vector, sets []plan.Vector) error {
			compareRun(t, whole, host.Bundle(), s, part[i], answer, sets)
			return nil
		})
		require.NoError(t, err)
	}
}
