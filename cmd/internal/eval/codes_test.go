package eval

import (
	"context"
	"math"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/efoc/efoc/cmd/internal/queryset"
	"github.com/efoc/efoc/codegen/shapes"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/importer"
	"github.com/efoc/efoc/runtime/model/table"
	"github.com/efoc/efoc/testdata/long"
	"github.com/efoc/efoc/testdata/require"
	"github.com/efoc/efoc/testdata/shared"
)

// TestCodesReal compares the ten best answers from codes, with exact rows beside them, with those
// that the rows give: at least 99.9% of the sets stay, up to entities whose degrees differ by less
// than a part in 10,000, which two float32 implementations may order either way.
func TestCodesReal(t *testing.T) {
	long.Need(t, "it imports two large graphs and asks 300 queries of each shape")
	const limit = 300
	for _, g := range []struct {
		name, checkpoint string
		lambda, alpha    float64
	}{{"fb15k-237", "complex256.pt", 0.3, 100}, {"nell995", "complex256.safetensors", 0.1, 1000}} {
		t.Run(g.name, func(t *testing.T) {
			dir := shared.Dir(t, "data", g.name)
			settings := model.DefaultSettings()
			settings.Lambda, settings.Alpha = g.lambda, g.alpha
			path := filepath.Join(t.TempDir(), "m.efoc")
			if _, err := importer.Import(context.Background(), importer.Options{
				Graph: dir, Checkpoints: []string{filepath.Join(dir, g.checkpoint)}, Output: path, Settings: settings, Table: table.Int8, SkipCheck: true,
			}); err != nil {
				t.Fatal(err)
			}
			coded, err := runtime.Open(path)
			require.NoError(t, err)
			defer coded.Close()
			p := coded.Bundle().Predictor
			p.EntityTable, err = table.Make(p.EntityTable.Float32s(), p.EntityTable.Width(), table.Float32, "")
			require.NoError(t, err)
			rows, err := model.New(coded.Bundle().Manifest, coded.Bundle().Graph, coded.Bundle().Heldout, p, coded.Bundle().Entities, coded.Bundle().Relations)
			require.NoError(t, err)
			set, _, err := queryset.Open(context.Background(), filepath.Join(dir, "queries-dev.jsonl"), queryset.Options{Limit: limit})
			require.NoError(t, err)
			compareCodes(t, set, runtime.NewModel(rows), coded)
		})
	}
}

// compareCodes asks both models all queries.
func compareCodes(t *testing.T, set *queryset.Set, rows, coded *runtime.Model) {
	var queries, kept, sets, whole int
	for _, g := range set.Groups {
		var took [2]time.Duration
		var same, all, groupSets int
		for _, q := range g.Queries {
			var best [2]map[graph.EntityID]bool
			var degrees []float32 // by rows
			for i, m := range []*runtime.Model{rows, coded} {
				p, err := compiler.Prepare(m, g.Template, compiler.Options{Plans: shapes.Plans(), Semantics: new(model.NSMP)})
				require.NoError(t, err)
				b := p.Spec().Args(q.Args...)
				start := time.Now()
				a, err := p.Ask(context.Background(), b, runtime.Options{K: 10, NoStatus: true})
				require.NoError(t, err)
				took[i] += time.Since(start)
				best[i] = map[graph.EntityID]bool{}
				for _, r := range a.Rows {
					best[i][r.Values[0].ID] = true
				}
				if i > 0 {
					continue
				}
				require.NoError(t, p.Each(context.Background(), []runtime.Args{b}, nil, func(_ int, r *runtime.Run) error {
					x := r.Scores()
					degrees = slices.Clone(x)
					return nil
				}))
			}
			n, last := 0, float32(math.Inf(1))
			for e := range best[0] {
				last = min(last, degrees[e])
			}
			for e := range best[1] {
				if best[0][e] || degrees[e] >= last*(1-1e-4) {
					n++
				} else {
					t.Logf("%s: %d of degree %g has come among those from %g on", g.Name, e, degrees[e], last)
				}
			}
			same, all = same+n, all+len(best[0])
			if n == len(best[0]) {
				groupSets++
			}
		}
		t.Logf("%-14s %4d queries: %5d of %5d kept, %4d sets whole, %v and %v", g.Name, len(g.Queries), same, all, groupSets,
			took[0]/time.Duration(len(g.Queries)), took[1]/time.Duration(len(g.Queries)))
		queries, kept, sets, whole = queries+all, kept+same, sets+len(g.Queries), whole+groupSets
	}
	t.Logf("%d of %d entities kept, %d of %d sets", kept, queries, whole, sets)
	if float64(whole) < 0.999*float64(sets) {
		t.Errorf("%d of %d sets kept, want 99.9%%", whole, sets)
	}
}
