package fit_test

import (
	"context"
	"path/filepath"
	"slices"
	"testing"

	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/lang/benchmark"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/importer"
	"github.com/efoc/efoc/testdata/plantest"
	"github.com/efoc/efoc/testdata/require"
	"github.com/efoc/efoc/testdata/shared"
)

// prepare makes a query ready to be answered by truth degrees.
func prepare(t testing.TB, m *runtime.Model, q *lang.Query, o compiler.Options) *compiler.Prepared {
	t.Helper()
	if o.Semantics == nil {
		o.Semantics = new(model.FIT)
	}
	p, err := compiler.Prepare(m, q, o)
	require.NoError(t, err)
	return p
}

// settings are the model's with other degrees.
func settings(m *runtime.Model, d model.Degrees) *model.Settings {
	s := m.Settings()
	s.Degrees = d
	return &s
}

// scores returns the degrees of all entities.
func scores(t fataler, p *compiler.Prepared, b runtime.Args, d model.Degrees) []float32 {
	t.Helper()
	var degrees []float32
	err := p.Each(context.Background(), []runtime.Args{b}, settings(p.Model(), d), func(_ int, r *runtime.Run) error {
		answer := r.Scores()
		degrees = slices.Clone(answer)
		return nil
	})
	require.NoError(t, err)
	return degrees
}

// smallModel is a random model of 50 entities and 3 relations.
func smallModel(t testing.TB, seed uint64) *runtime.Model {
	t.Helper()
	m, err := plantest.NewModel(seed, 50, 3, 4, model.DefaultSettings())
	require.NoError(t, err)
	t.Cleanup(func() { m.Close() })
	return m
}

// realModel is FB15k-237's.
func realModel(t testing.TB) *runtime.Model {
	t.Helper()
	dir := shared.Dir(t, "data", "fb15k-237")
	path := filepath.Join(t.TempDir(), "model.efoc")
	o := importer.Options{Graph: dir, Checkpoints: []string{filepath.Join(dir, "complex256.pt")}, Output: path}
	if _, err := importer.Import(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	m, err := runtime.Open(path)
	require.NoError(t, err)
	t.Cleanup(func() { m.Close() })
	return m
}

// realQuery is a query of FB15k-237 as its template and what fills its slots.
func realQuery(t testing.TB, m *runtime.Model, q shared.Query, o compiler.Options) (*compiler.Prepared, runtime.Args) {
	t.Helper()
	template, err := benchmark.Query(q.Type)
	require.NoError(t, err)
	p := prepare(t, m, template, o)
	var args []int32
	for _, param := range template.Params {
		args = append(args, q.Slots[param.Name])
	}
	return p, p.Spec().Args(args...)
}

// fataler is a test, of random inputs or not.
type fataler interface {
	Helper()
	Fatal(args ...any)
}
