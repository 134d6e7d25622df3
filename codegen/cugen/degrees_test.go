package cugen_test

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/efoc/efoc/codegen/cugen"
	"github.com/efoc/efoc/compiler/ir"
	"github.com/efoc/efoc/compiler/stages"
	"github.com/efoc/efoc/kernels/cuda/fit"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/device"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/table"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/runtime/scq"
	"github.com/efoc/efoc/testdata/long"
	"github.com/efoc/efoc/testdata/plantest"
	"github.com/efoc/efoc/testdata/plantext"
	"github.com/efoc/efoc/testdata/require"
)

// degreeOps is a plan with every op of truth degrees in every form.
const degreeOps = `layers 1
constants 2
relations 3
filters 1
v0:deg = row s1 r1 @1
v1:deg = row s2 r2 backward negated @1
v2:deg = any
v3:deg = except s2
v4:deg = times v0 v3
v5:deg = peak v1
v6:cand = best v4
v7:rows = rows v6 r2 @2
v8:rows = rows v6 r3 negated @2
v9:rows = others v6
v10:deg = push v4 v7 v8 v9
v11:deg = narrow v1 v4 v7
v12:deg = push v4 v8
v13:deg = diagonal v8
v14:deg = diagonal v7
v15:cand = every v2
v16:rows = rows v15 r1
v17:rows = rows v15 r2 negated
v18:rows = others v15
v19:deg = leaf v1 v16
v20:deg = leaf v0 v16 v17 v18
v21:deg = leaf v1 v17 v18
v22:deg = leaf v1 v17
v23:deg = other v0
v24:deg = either v0 v1 v23
v25:cand = values v0 v24 #16
v26:rows = rows v25 r3 backward
v27:rows = rows v25 r1 negated
v28:branch = root
v29:branch = branch v0 v25 v28 v26 v27
v30:deg = each v29 v26 v27
v31:deg = times v30 v1
v32:cand = values v2 v1 #16
v33:rows = rows v32 r2
v34:branch = branch v31 v32 v29 v33
v35:deg = follow v31 v34
v36:deg = each v34 v33
v37:deg = times v35 v36 v3
v38:deg = join v31 v29
v39:deg = join v37 v34
v40:deg = peak v37
v41:deg = join v40 v34
v42:deg = other v37
v43:deg = join v42 v34
v44:deg = leaf v31 v16 v18
v45:deg = join v44 v29
v46:cand = best v38
v47:rows = rows v46 r3
v48:deg = push v31 v47
v49:deg = join v48 v29
v50:deg = narrow v31 v0 v7 v9
v51:deg = join v50 v29
v52:vec = dense v0
v53:vec = dense v1
v54:vec = mixture v52 v53
v55:vec = dense v5
v56:vec = dense v10
v57:vec = dense v11
v58:vec = dense v12
v59:vec = dense v13
v60:vec = dense v14
v61:vec = dense v19
v62:vec = dense v20
v63:vec = dense v21
v64:vec = dense v22
v65:vec = dense v23
v66:vec = dense v24
v67:vec = dense v38
v68:vec = dense v39
v69:vec = dense v41
v70:vec = dense v43
v71:vec = dense v45
v72:vec = dense v49
v73:vec = dense v51
v74:vec = dense v4
v75:deg = selected p1
v76:vec = dense v75
v77:deg = times v75 v1
v78:cand = best v77
v79:rows = rows v78 r2
v80:deg = push v77 v79
v81:vec = dense v80
answer v54
`

// degreePlan returns the plan of degreeOps, with every vector as a set.
func degreePlan(t *testing.T) *ir.Plan {
	t.Helper()
	p, err := plantext.Parse(degreeOps)
	require.NoError(t, err)
	has := map[ir.Op]bool{}
	for _, v := range p.Values {
		has[v.Op] = true
		if v.Op == ir.Dense {
			p.Sets = append(p.Sets, ir.Set{Variable: "e", Value: v})
		}
	}
	for _, op := range ir.Ops() {
		if op.Info().Degrees && !has[op] {
			t.Errorf("the plan lacks %s", op)
		}
	}
	require.NoError(t, p.Verify())
	return p
}

// compareDegreeOps compares every op of truth degrees with the interpreter: bounded and exact, with both
// scalings of rows, with temperatures of relations, one query at a time and in a batch.
func compareDegreeOps(t *testing.T, d *device.Device) {
	t.Helper()
	whole := degreePlan(t)
	p, err := cugen.Degrees(whole)
	require.NoError(t, err)
	p.Semantics = model.Mixed
	first := scq.Bindings{Constants: []graph.EntityID{3, 11}, Relations: []graph.RelationID{2, 5, 0}}
	second := scq.Bindings{Constants: []graph.EntityID{15, 0}, Relations: []graph.RelationID{1, 4, 4}}
	for i, c := range []struct {
		n, rank, candidates int
		table               table.Type
		mass                bool
		negation            float64
	}{
		{75, 7, 2, table.Float32, false, 1},
		{75, 150, 5, table.Float32, true, 0.5},
		{20, 7, 20, table.Float32, false, 3},
		{75, 20, 3, table.Int8, false, 1},
	} {
		host := newModel(t, uint64(5+i), c.n, c.rank, c.table, 30)
		manifest := host.Bundle().Manifest
		manifest.Temperatures = []float64{1, 0.5, 2, 1.5, 1, 0.8}
		with, err := model.New(manifest, host.Bundle().Graph, nil, host.Bundle().Predictor, host.Bundle().Entities, host.Bundle().Relations)
		require.NoError(t, err)
		with, err = with.WithValues(plantest.Values(uint64(i), c.n))
		require.NoError(t, err)
		batch := withFilters(t, with, []scq.Bindings{first, second, first, second})
		m, err := d.Load(with)
		require.NoError(t, err)
		q, err := m.Runner(p)
		require.NoError(t, err)
		s := host.Settings()
		s.Degrees = model.DefaultDegrees()
		s.Degrees.Candidates, s.Degrees.Mass, s.Degrees.Negation = c.candidates, c.mass, c.negation
		for _, part := range [][]scq.Bindings{batch[:1], batch, batch[3:]} {
			err := q.Scores(context.Background(), part, s, func(i int, answer plan.Vector, sets []plan.Vector) error {
				compareRun(t, whole, with, s, part[i], answer, sets)
				return nil
			})
			require.NoError(t, err)
		}
		if err := m.Close(); err != nil {
			t.Error(err)
		}
		if err := with.Close(); err != nil {
			t.Error(err)
		}
	}
}

// compareTruth compares the truth degrees and the mixture of a shape for several numbers of candidates.
// messages are the kernels of message passing.
func compareTruth(t *testing.T, host *runtime.Model, m *device.Copy, name string, messages *device.Kernels, candidates []int) {
	t.Helper()
	for _, semantics := range []model.Semantics{model.FIT, model.Mixed} {
		q, c := truthQuery(t, m, name, semantics, messages)
		for _, candidates := range candidates {
			s := host.Settings()
			s.Degrees = model.DefaultDegrees()
			s.Degrees.Candidates = candidates
			batch := drawBatch(host, c.Optimized, 3)
			if candidates == 8 {
				batch = batch[:1]
			}
			compareParts(t, host, s, q, c, batch)
			if t.Failed() {
				t.Fatalf("by %s with %d candidates", semantics, candidates)
			}
		}
	}
}

// truthQuery returns the query of a shape by truth degrees, or by a mixture with messages.
func truthQuery(t *testing.T, m *device.Copy, name string, semantics model.Semantics, messages *device.Kernels) (*device.Runner, *stages.Compiled) {
	t.Helper()
	c := compiledFor(t, name, semantics)
	p, err := cugen.Plan(c)
	require.NoError(t, err)
	if semantics == model.Mixed {
		p.Messages = messages
	}
	q, err := m.Runner(p)
	require.NoError(t, err)
	return q, c
}

// TestDegreeKernels checks that every op has the kernels that its name promises.
func TestDegreeKernels(t *testing.T) {
	text := fit.Source().Text
	for _, op := range ir.Ops() {
		info := op.Info()
		if !info.Degrees || info.Rows || op == ir.Root {
			continue
		}
		if !strings.Contains(text, "FIT_KERNEL(fit_"+info.Name+",") {
			t.Errorf("fit.cu has no kernel for %s", op)
		}
	}
}

// TestDegreeOps compares every op of truth degrees with the interpreter, on an emulated device.
func TestDegreeOps(t *testing.T) {
	long.Need(t, "compiles a kernel for every op")
	d, driver := open(t)
	compareDegreeOps(t, d)
	if driver.Allocated != 0 {
		t.Errorf("%d allocations are left", driver.Allocated)
	}
}

// TestRandomDegrees compares truth degrees of random formulas with the interpreter's, on an emulated device.
func TestRandomDegrees(t *testing.T) {
	d, _ := open(t)
	host := newModel(t, 11, 24, 4, table.Float32, 30)
	m, err := d.Load(host.Bundle())
	require.NoError(t, err)
	formulas := plantest.Formulas(plantest.Options{Entities: 24, Relations: 3, Values: true})
	rng := rand.New(rand.NewPCG(3, 4))
	compared := 0
	filtered := 0
	for seed := range 60 {
		q := formulas.Example(seed)
		c, err := stages.Analyze(q).Parts[0].Compile(stages.Options{Semantics: model.FIT})
		if err != nil {
			continue
		}
		p, err := cugen.Plan(c)
		require.NoError(t, err)
		onDevice, err := m.Runner(p)
		require.NoError(t, err)
		s := host.Settings()
		s.Degrees = model.DefaultDegrees()
		s.Degrees.Candidates = []int{1, 2, 4, 24}[rng.IntN(4)]
		s.Degrees.Leaf, s.Degrees.Mass = rng.Float64(), rng.IntN(2) == 0
		b := drawBatch(host, c.Optimized, 1)[0]
		b.Filters = plantest.Arguments{Model: host.Bundle()}.Bindings(nil, nil, c.Shape.Filters).Filters
		filtered += len(b.Filters)
		err = onDevice.Scores(context.Background(), []scq.Bindings{b}, s, func(_ int, answer plan.Vector, sets []plan.Vector) error {
			compareRun(t, c.Lowered, host.Bundle(), s, b, answer, sets)
			return nil
		})
		require.NoError(t, err)
		if t.Failed() {
			t.Fatalf("formula %d with %d candidates: %s\n%s", seed, s.Degrees.Candidates, c.Shape.Key, c.Optimized)
		}
		compared++
	}
	if compared < 30 || filtered < 10 {
		t.Errorf("only %d formulas were compared, with %d filters", compared, filtered)
	}
	if err := m.Close(); err != nil {
		t.Error(err)
	}
}
