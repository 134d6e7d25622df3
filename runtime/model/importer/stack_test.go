package importer

import (
	"fmt"
	"math"
	"testing"

	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/compiler/reference"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/table"
	"github.com/efoc/efoc/testdata/require"
)

// TestAskScorers imports checkpoints of every scorer and asks what one link, two links and a link
// of an entity to itself imply. Truth degrees are compared with their definition over the scorer's
// own scores, messages with compiler/reference.
func TestAskScorers(t *testing.T) {
	const n, relations = scoredEntities, scoredRelations
	for _, c := range scorerCases() {
		t.Run(c.name, func(t *testing.T) {
			facts := scored{n, relations, c.score}.folder(t)
			m, err := importRing(t, Options{Graph: facts, Checkpoints: []string{tensorsFile(t, t.TempDir(), "c.safetensors", c.tensors...)}, Layout: Layout{c.layout.Parts, inverseNone}, Table: table.Float32})
			require.NoError(t, err)
			var links [relations][n][n]float64
			for r := range relations {
				for h := range n {
					links[r][h] = linkDegrees(m, h, r, func(t int) float64 { return c.score(h, r, t) })
				}
			}
			s := model.DefaultSettings()
			s.Degrees = model.Degrees{Candidates: n, Negation: 1, Temperature: 1}
			for _, x := range []struct {
				formula string
				degree  func(t int) float64
			}{
				{`"1"("3", y)`, func(t int) float64 { return links[1][3][t] }},
				{`"1"(y, "3")`, nil},
				{`exists x. "0"("5", x) & "2"(x, y)`, func(t int) (best float64) {
					for x := range n {
						best = max(best, links[0][5][x]*links[2][x][t])
					}
					return best
				}},
				{`"1"(y, y) & "0"("5", y)`, nil},
			} {
				for _, semantics := range []model.Semantics{model.FIT, model.NSMP} {
					o := compiler.Options{Semantics: new(semantics), Engine: compiler.EngineInterpreted, Settings: &s}
					p, err := compiler.Prepare(runtime.NewModel(m), x.formula, o)
					require.NoError(t, err)
					b, err := p.Args(nil)
					require.NoError(t, err)
					want, err := reference.Run(t.Context(), p.Compiled().Lowered, m, s, p.PartBindings(0, b))
					require.NoError(t, err)
					err = p.Each(t.Context(), []runtime.Args{b}, &s, func(_ int, r *runtime.Run) error {
						answer := r.Scores()
						for e, got := range answer {
							list := []float64{float64(want.Answer[e])}
							if semantics == model.FIT && x.degree != nil {
								list = append(list, x.degree(e))
							}
							for _, want := range list {
								if off := math.Abs(float64(got) - want); !(off <= 1e-4*want+1e-9) {
									return fmt.Errorf("%s, %s: entity %d has %v, want %v", x.formula, semantics, e, got, want)
								}
							}
						}
						return nil
					})
					require.NoError(t, err)
				}
			}
		})
	}
}

// linkDegrees returns the degrees of the links of a head by their definition: softmax of the
// scores, times the number of observed tails, and 1 for those.
func linkDegrees(m *model.Model, h, r int, score func(t int) float64) (degrees [scoredEntities]float64) {
	sum, tails := 0.0, 0.0
	for t := range degrees {
		degrees[t] = math.Exp(score(t))
		sum += degrees[t]
		if m.Graph.Has(graph.EntityID(h), graph.RelationID(2*r), graph.EntityID(t)) {
			tails++
		}
	}
	for t := range degrees {
		if degrees[t] = min(0.9999, degrees[t]/sum*max(1, tails)); m.Graph.Has(graph.EntityID(h), graph.RelationID(2*r), graph.EntityID(t)) {
			degrees[t] = 1
		}
	}
	return degrees
}
