package eval

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/cmd/efoc/world"
	"github.com/efoc/efoc/cmd/internal/queryset"
	"github.com/efoc/efoc/codegen/shapes"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/lang/benchmark"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/testdata/modeltest"
	"github.com/efoc/efoc/testdata/require"
)

// blankModel is a model of five entities and two relations, likes and hates,
// that has learnt nothing: all its embeddings are 0, so the graph alone decides.
// 0 likes 1 and 2, and 3 hates 0.
func blankModel(t testing.TB) *runtime.Model {
	t.Helper()
	return runtime.NewModel(modeltest.New(t, modeltest.Spec{
		Manifest: model.Manifest{Name: "blank", Visible: "train"}, Rank: 2,
		Entities: 5, Relations: 2, Facts: []graph.Triple{{Head: 0, Relation: 0, Tail: 1}, {Head: 0, Relation: 0, Tail: 2}, {Head: 3, Relation: 1, Tail: 0}},
	}))
}

// group makes a group of a benchmark shape.
func group(t testing.TB, shape string, queries ...queryset.Case) *queryset.Group {
	t.Helper()
	q, err := benchmark.Query(shape)
	require.NoError(t, err)
	return &queryset.Group{Name: shape, Template: q, Queries: queries}
}

// args orders values by the parameters of a benchmark shape.
func args(t testing.TB, shape string, values map[string]int32) []int32 {
	t.Helper()
	q, err := benchmark.Query(shape)
	require.NoError(t, err)
	var list []int32
	for _, p := range q.Params {
		list = append(list, values[p.Name])
	}
	return list
}

// worldSet holds queries over the built-in model, whose hard answers are what it
// holds back.
func worldSet(t testing.TB, m *runtime.Model) *queryset.Set {
	t.Helper()
	one, two := group(t, "1p"), group(t, "2p")
	for r := range graph.RelationID(m.NumRelations()) {
		heads, tails := m.Bundle().Heldout.Edges(r)
		for i := 0; i < len(heads) && i < 3; i++ {
			q := queryset.Case{
				Args: args(t, "1p", map[string]int32{"s1": heads[i], "r1": int32(r)}),
				Easy: m.Bundle().Graph.Tails(graph.EntityID(heads[i]), r), Hard: []int32{tails[i]},
			}
			one.Queries = append(one.Queries, q)
			q.Args = args(t, "2p", map[string]int32{"s1": heads[i], "r1": int32(r), "r2": int32(r.Inverse())})
			two.Queries = append(two.Queries, q)
		}
	}
	if len(one.Queries) < 30 {
		t.Fatalf("only %d queries", len(one.Queries))
	}
	return &queryset.Set{Groups: []*queryset.Group{one, two}}
}

// worldConfig runs the queries on the built-in model.
func worldConfig(t testing.TB) (*queryset.Set, Config) {
	t.Helper()
	m, err := world.Open()
	require.NoError(t, err)
	t.Cleanup(func() { m.Close() })
	return worldSet(t, m), Config{
		Model: m, Engine: compiler.EngineAuto, Semantics: model.NSMP, Plans: shapes.ShapesPlans, Filter: Released, Batch: 7,
		Settings: m.Settings(),
	}
}

// results are the parts of an outcome that are kept.
func results(o *Outcome) (all [][]*Result) {
	for _, g := range o.Groups {
		all = append(all, g.Queries)
	}
	return all
}

// TestResume interrupts an evaluation twice, once in the middle of a line, and
// compares the end with an evaluation that was left alone.
func TestResume(t *testing.T) {
	set, c := worldConfig(t)
	want, err := Run(context.Background(), set, c)
	require.NoError(t, err)
	if g := want.Groups[1]; !slices.Equal(g.Layers, []int{3}) || g.Engine != compiler.EngineCompiled {
		t.Errorf("2p ran with L = %v on %s", g.Layers, g.Engine)
	}
	path := filepath.Join(t.TempDir(), "state.jsonl")
	asked := 0
	for stop := 1; ; stop++ {
		ctx, cancel := context.WithCancel(context.Background())
		c.State, err = OpenState(path, set, c)
		require.NoError(t, err)
		batches := 0
		c.Progress = func(done, total int) {
			if batches++; batches > 4 && stop < 3 {
				cancel()
			}
		}
		got, err := Run(ctx, set, c)
		cancel()
		require.NoError(t, c.State.Close())
		asked += got.Asked
		if stop == 3 {
			if err != nil || !reflect.DeepEqual(results(got), results(want)) {
				t.Fatalf("the results differ from those without interrupt (%v)", err)
			}
			if total := 2 * len(set.Groups[0].Queries); asked != total+2*7 {
				// Two lines were torn, and so seven queries were asked again twice.
				t.Errorf("%d queries were asked, want %d", asked, total+2*7)
			}
			break
		}
		report := Summarize(set, c, got)
		if !errors.Is(err, context.Canceled) || got.Asked != 28 || report.Done >= report.Total || report.Shapes[0].Queries == 0 {
			t.Fatalf("interrupt %d: asked %d, done %d of %d (%v)", stop, got.Asked, report.Done, report.Total, err)
		}
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(path, text[:len(text)-5*stop], 0o644))
	}
	// Nothing is asked that is done.
	c.State, err = OpenState(path, set, c)
	require.NoError(t, err)
	defer c.State.Close()
	if got, err := Run(context.Background(), set, c); err != nil || got.Asked != 0 || !reflect.DeepEqual(results(got), results(want)) {
		t.Errorf("asked %d again (%v)", got.Asked, err)
	}
}

func TestRunErrors(t *testing.T) {
	m := blankModel(t)
	good := queryset.Case{Args: args(t, "2p", map[string]int32{"s1": 0}), Hard: []int32{3}}
	with := func(change func(q *queryset.Case)) queryset.Case {
		q := good
		q.Args = slices.Clone(q.Args)
		change(&q)
		return q
	}
	for _, c := range []struct {
		query  queryset.Case
		layers int
		want   string
	}{
		{with(func(q *queryset.Case) { q.Args = args(t, "2p", map[string]int32{"s1": 5}) }), 0, "query 1 of 2p: parameter s1: entity 5 is not in the model: it has 5 entities"},
		{with(func(q *queryset.Case) { q.Hard = []int32{5} }), 0, "query 1 of 2p: answers from 5 to 5"},
		{with(func(q *queryset.Case) { q.Easy = []int32{-1, 2} }), 0, "query 1 of 2p: answers from -1 to 2"},
		{with(func(q *queryset.Case) { q.Easy = []int32{2, 1} }), 0, "want ascending ids"},
		{good, 1, "queries 2p: 1:1: layers is 1"},
	} {
		set := &queryset.Set{Groups: []*queryset.Group{group(t, "2p", good, c.query)}}
		s := m.Settings()
		s.Layers = c.layers
		_, err := Run(context.Background(), set, Config{Model: m, Semantics: model.NSMP, Settings: s, Batch: 1, Filter: Released})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error is %v, want %s", err, c.want)
		}
		if formula := (*PrepareError)(nil); errors.As(err, &formula) != (c.layers == 1) {
			t.Errorf("error %v is of type %T", err, err)
		}
	}
}

// TestOtherReading keeps a reading of a shape that has its own answers out of the
// averages.
func TestOtherReading(t *testing.T) {
	m := blankModel(t)
	q := queryset.Case{Args: args(t, "pni", nil), Hard: []int32{4}}
	set := &queryset.Set{Groups: []*queryset.Group{group(t, "pni", q), group(t, "pni", q)}}
	set.Groups[1].Name = "pni-universal"
	c := Config{Model: m, Semantics: model.NSMP, Settings: m.Settings(), Batch: 1, Filter: Released}
	o, err := Run(context.Background(), set, c)
	require.NoError(t, err)
	r := Summarize(set, c, o)
	if len(r.Shapes) != 2 || r.Shapes[1].Name != "pni-universal" || r.Shapes[1].Group != "" || len(r.Averages) != 1 || r.Averages[0].Shapes != 1 {
		t.Errorf("shapes %+v, averages %+v", r.Shapes, r.Averages)
	}
}
