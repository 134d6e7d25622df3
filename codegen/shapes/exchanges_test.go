package shapes

import (
	"sync/atomic"
	"testing"

	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/compiler/alloc"
	"github.com/efoc/efoc/compiler/ir"
	"github.com/efoc/efoc/compiler/stages"
	"github.com/efoc/efoc/lang/benchmark"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/table"
	"github.com/efoc/efoc/runtime/scq"
	"github.com/efoc/efoc/runtime/shards"
	"github.com/efoc/efoc/testdata/byslot"
	"github.com/efoc/efoc/testdata/long"
	"github.com/efoc/efoc/testdata/plantest"
	"github.com/efoc/efoc/testdata/require"
)

// exchangesOf splits a small model and returns a function that counts the exchanges of a batch of questions of
// a shape.
func exchangesOf(t *testing.T, semantics model.Semantics, dtype, exact table.Type) func(shape string, batch int) int64 {
	t.Helper()
	const relations, n = 3, 60
	m, err := plantest.NewModel(5, n, relations, 4, model.DefaultSettings())
	require.NoError(t, err)
	t.Cleanup(func() { m.Close() })
	p := &m.Bundle().Predictor
	p.EntityTable, err = table.Make(p.EntityTable.Float32s(), p.EntityTable.Width(), dtype, exact)
	require.NoError(t, err)
	var exchanges atomic.Int64
	split, end, err := shards.Here(m.Bundle(), 3, stages.Distributed, &exchanges)
	require.NoError(t, err)
	t.Cleanup(func() {
		if err := end(); err != nil {
			t.Error(err)
		}
	})
	prepare := func(shape string) *compiler.Prepared {
		q, err := benchmark.Query(shape)
		require.NoError(t, err)
		p, err := compiler.Prepare(split, q, compiler.Options{Plans: Plans(), Semantics: &semantics})
		require.NoError(t, err)
		return p
	}
	return func(shape string, batch int) int64 {
		p, list := prepare(shape), make([]runtime.Args, batch)
		for k := range list {
			var b scq.Bindings
			for i := range p.Shape().Constants {
				b.Constants = append(b.Constants, graph.EntityID((7*i+3+k)%n))
			}
			for i := range p.Shape().Relations {
				b.Relations = append(b.Relations, graph.RelationID((i+k)%(2*relations)))
			}
			list[k] = byslot.Args(b)
		}
		before := exchanges.Load()
		if _, err := p.AskAll(t.Context(), list, runtime.Options{K: 10, SetSize: 3}); err != nil {
			t.Fatalf("%s: %v", shape, err)
		}
		return exchanges.Load() - before
	}
}

// TestExchanges counts the exchanges between the ranks of a split model for each benchmark shape, in addition
// to the question and the answers: at most four per sweep of the entity table in a full ranking, for floats,
// codes with floats, and codes only.
func TestExchanges(t *testing.T) {
	for _, table := range []struct{ table, exact table.Type }{
		{table.Float32, ""}, {table.Int8, table.Float32}, {table.Int8, ""},
	} {
		count := exchangesOf(t, model.NSMP, table.table, table.exact)
		total, passes := int64(0), 0
		for _, s := range benchmark.Shapes {
			q, err := benchmark.Query(s.Name)
			require.NoError(t, err)
			shape := stages.Analyze(q).Shape()
			c, err := stages.Compile(shape, stages.Options{Semantics: model.NSMP})
			require.NoError(t, err)
			n, p := count(s.Name, 1)-2, c.Optimized.WholeSweeps()
			total, passes = total+n, passes+p
			plan, err := c.Distribute()
			require.NoError(t, err)
			if want := 1 + exchangesIn(plan); n != int64(want) { // one for the constants
				t.Errorf("%s, exact %q: %s: %d exchanges, want %d", table.table, table.exact, s.Name, n, want)
			}
			if n > int64(4*p) {
				t.Errorf("%s, exact %q: %s: %d exchanges for %d sweeps, want 4 a sweep at most", table.table, table.exact, s.Name, n, p)
			}
		}
		t.Logf("%s, exact %q: %d exchanges, %d passes", table.table, table.exact, total, passes)
	}
}

// TestDistributed checks that the plans of ranks need no more vectors than those of an unsplit model, for a
// full ranking, and bounds their exchanges by message passing.
func TestDistributed(t *testing.T) {
	for _, semantics := range model.AllSemantics {
		levels := 0
		for _, s := range benchmark.Shapes {
			q, err := benchmark.Query(s.Name)
			require.NoError(t, err)
			shape := stages.Analyze(q).Shape()
			c, err := stages.Compile(shape, stages.Options{Semantics: semantics})
			require.NoError(t, err)
			plan, err := c.Distribute()
			require.NoError(t, err)
			levels += exchangesIn(plan)
			if got, want := alloc.Assign(plan).Vectors, alloc.Assign(c.Optimized).Vectors; got > want {
				t.Errorf("%s by %s: %d vectors on each rank, want at most %d", s.Name, semantics, got, want)
			}
		}
		if semantics == model.NSMP && levels != 235 {
			t.Errorf("%d exchanges, want 235", levels)
		}
	}
}

// exchangesIn returns the number of exchanges of a plan's levels.
func exchangesIn(p *ir.Plan) (n int) {
	for _, v := range p.Values {
		n = max(n, v.Exchange)
	}
	return n
}

// TestExchangesOfBatch asks 64 queries of each shape as one batch. By message passing, the batch needs as many
// exchanges as one query. With truth degrees the number depends on candidates, which differ: less than twice as
// many.
func TestExchangesOfBatch(t *testing.T) {
	size := long.Or(64, 8)
	for _, semantics := range model.AllSemantics {
		count := exchangesOf(t, semantics, table.Float32, "")
		for _, s := range benchmark.Shapes {
			one, batch := count(s.Name, 1), count(s.Name, size)
			t.Logf("%s %-4s %3d exchanges for one, %3d for %d", semantics, s.Name, one, batch, size)
			if semantics == model.NSMP && batch != one || batch >= 2*one {
				t.Errorf("%s by %s: %d exchanges for one query, %d for %d", s.Name, semantics, one, batch, size)
			}
		}
	}
}
