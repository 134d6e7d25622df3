package lower

import (
	"fmt"
	"strings"
	"testing"

	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/testdata/require"
)

// TestCanonWork checks that the search for the canonical order ends soon if no colours distinguish the
// variables: clients of a server could send such queries.
func TestCanonWork(t *testing.T) {
	// All edges between two sets of four variables, one of which is linked to the answer: 4!·4! orders are
	// equivalent.
	var vars, atoms []string
	for i := range 4 {
		vars = append(vars, fmt.Sprintf("a%d, b%d", i, i))
		atoms = append(atoms, fmt.Sprintf("r(a%d, y)", i))
		for j := range 4 {
			atoms = append(atoms, fmt.Sprintf("r(a%d, b%d)", i, j))
		}
	}
	q, err := lang.ParseFormula("exists " + strings.Join(vars, ", ") + ". " + strings.Join(atoms, " & ") + ` & r("France", y)`)
	require.NoError(t, err)
	d := q.Normal
	c := newCanon(d, bySite)
	c.order()
	if work := maxWork - c.budget; work > 50_000 {
		t.Errorf("the search looked at %d links", work)
	} else {
		t.Logf("the search looked at %d links", work)
	}
}
