package training

import (
	"fmt"
	"testing"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/importer"
	"github.com/efoc/efoc/runtime/model/names"
	"github.com/efoc/efoc/testdata/require"
)

// TestWarnLearnt expects no warning if a graph that has grown holds out as much as the model of --from did,
// and one if it holds out more.
func TestWarnLearnt(t *testing.T) {
	const n = 400
	dataset := func(facts int) *importer.Dataset {
		d := &importer.Dataset{Entities: names.Numbered("e", n), Relations: names.Numbered("r", 1)}
		for i := range facts {
			d.Train = append(d.Train, graph.Triple{Head: graph.EntityID(i % n), Tail: graph.EntityID((i%n + i/n + 1) % n)})
		}
		return d
	}
	old := dataset(4 * n)
	g, err := old.Graph(old.Train) // with the facts that were put back
	require.NoError(t, err)
	for _, c := range []struct {
		held  float64
		warns bool
	}{{0.1, false}, {0.2, true}} {
		said := ""
		from := &model.Model{Graph: g, Entities: old.Entities, Relations: old.Relations}
		from.Manifest.Missing.HeldOut = 0.1
		j := &Job{Config: Config{Data: dataset(5 * n), From: from, Out: Output{
			Warn: func(format string, args ...any) { said = fmt.Sprintf(format, args...) },
		}}}
		j.Data.HoldOut(int(c.held*5*n), 1)
		e, _, _ := j.rows()
		j.warnLearnt(e)
		if (said != "") != c.warns {
			t.Errorf("holding out %v of the facts says %q", c.held, said)
		}
	}
}
