package atlas

import (
	"context"
	"os"
	"testing"

	"github.com/efoc/efoc/cmd/efoc/world"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/testdata/require"
)

// generated are the methods of a generated query that benchmarks call.
type generated[Params, Reply any] interface {
	Best(ctx context.Context, p Params, k int, dst []runtime.Scored) ([]runtime.Scored, error)
	Answer(ctx context.Context, p Params, o runtime.Options) (Reply, error)
}

// benchmarkK is the number of answers.
const benchmarkK = 10

// compare measures the best answers of a template for some countries: by the generated Best and Answer, and by the
// interpreted template, which is also prepared.
func compare[Query generated[Params, Reply], Params, Reply any](
	b *testing.B, name string, bind func(m *runtime.Model) (Query, error), params func(country graph.Entity) Params,
) {
	b.Helper()
	ctx := context.Background()
	m, err := world.Open()
	require.NoError(b, err)
	defer m.Close()
	q, err := bind(m)
	require.NoError(b, err)
	text, err := os.ReadFile("atlas.efo")
	require.NoError(b, err)
	f, err := lang.ParseFile("atlas.efo", text)
	require.NoError(b, err)
	var template *lang.Query
	for _, t := range f.Queries {
		if t.Name == name {
			template = t
		}
	}
	prepared, err := compiler.Prepare(m, template, compiler.Options{})
	require.NoError(b, err)
	var countries []graph.Entity
	for _, label := range []string{"France", "Brazil", "Kenya", "Laos"} {
		e, err := m.Entity(label)
		require.NoError(b, err)
		countries = append(countries, e)
	}

	var dst []runtime.Scored
	engines := []struct {
		name string
		run  func(country graph.Entity) error
	}{
		{"best", func(country graph.Entity) (err error) {
			dst, err = q.Best(ctx, params(country), benchmarkK, dst)
			return err
		}},
		{"answer", func(country graph.Entity) error {
			_, err := q.Answer(ctx, params(country), runtime.Options{K: benchmarkK})
			return err
		}},
		{"interpreted", func(country graph.Entity) error {
			_, err := prepared.Ask(ctx, runtime.Args{plan.Entity(country)}, runtime.Options{K: benchmarkK})
			return err
		}},
		{"prepare", func(graph.Entity) error {
			_, err := compiler.Prepare(m, template, compiler.Options{})
			return err
		}},
	}
	for _, e := range engines {
		b.Run(e.name, func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				require.NoError(b, e.run(countries[i%len(countries)]))
			}
		})
	}
}

func BenchmarkNeighbours(b *testing.B) {
	compare(b, "Neighbours", BindNeighbours, func(country graph.Entity) NeighboursParams { return NeighboursParams{Country: country} })
}

func BenchmarkTwoBordersAway(b *testing.B) {
	compare(b, "TwoBordersAway", BindTwoBordersAway, func(country graph.Entity) TwoBordersAwayParams { return TwoBordersAwayParams{Country: country} })
}

func BenchmarkNeighbouringLanguages(b *testing.B) {
	compare(b, "NeighbouringLanguages", BindNeighbouringLanguages, func(country graph.Entity) NeighbouringLanguagesParams {
		return NeighbouringLanguagesParams{Country: country}
	})
}
