package runtime_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/efoc/efoc/cmd/efoc/world"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/testdata/require"
)

// TestKnownRowsFirst follows the links of the graph by hand, and expects message passing to list
// every row found so before all guesses.
func TestKnownRowsFirst(t *testing.T) {
	m, err := world.Open()
	require.NoError(t, err)
	defer m.Close()
	for _, then := range []string{"capital", "official_language", "member_of"} {
		france, err := m.Entity("France")
		require.NoError(t, err)
		borders, err := m.Relation("borders")
		require.NoError(t, err)
		next, err := m.Relation(then)
		require.NoError(t, err)
		known := map[[2]graph.EntityID]bool{}
		for _, x := range m.Bundle().Graph.Tails(france.ID(), borders.ID()) {
			for _, y := range m.Bundle().Graph.Tails(graph.EntityID(x), next.ID()) {
				known[[2]graph.EntityID{graph.EntityID(x), graph.EntityID(y)}] = true
			}
		}

		q, err := lang.ParseFormula(`x, y: borders("France", x) & ` + then + `(x, y)`)
		require.NoError(t, err)
		p, err := compiler.Prepare(m, q, compiler.Options{Semantics: new(model.NSMP)})
		require.NoError(t, err)
		for _, k := range []int{3, len(known) + 5} {
			r, err := p.Ask(t.Context(), nil, runtime.Options{K: k})
			require.NoError(t, err)
			for i, row := range r.Rows {
				is := known[[2]graph.EntityID{row.Values[0].ID, row.Values[1].ID}]
				if is != (i < len(known)) || is != (row.Status == runtime.Known) {
					t.Errorf("%s: row %d of %d is %+v, that it is known is %t of %d", then, i, k, row.Values, is, len(known))
				}
			}
			if len(r.Rows) != k {
				t.Errorf("%s: %d rows, want %d", then, len(r.Rows), k)
			}
		}
		_, best := p.Best(t.Context(), nil, 3, nil)
		_, why := p.Why(t.Context(), nil, runtime.Options{}, 1)
		for call, err := range map[string]error{"Best": best, "Why": why} {
			if _, refused := errors.AsType[*runtime.OptionError](err); !refused || !strings.Contains(err.Error(), call+" is for answers of one variable") {
				t.Errorf("%s of rows: error %v", call, err)
			}
		}
	}
}
