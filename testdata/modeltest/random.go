package modeltest

import (
	"math/rand/v2"
	"strings"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/table"
	"github.com/efoc/efoc/testdata/require"
)

// Random makes a model without facts, of n entities and two relations, which is closed when the
// test ends. One embedding in eight is zero. The table may be of codes beside rows, such as
// "int8 float32".
func Random(tb interface {
	require.TB
	Cleanup(func())
}, rng *rand.Rand, n, rank int, dtype table.Type) *model.Model {
	tb.Helper()
	values := Normals(rng, n*2*rank)
	for e := range n {
		if rng.IntN(8) == 0 {
			clear(values[e*2*rank : (e+1)*2*rank])
		}
	}
	of, exact, _ := strings.Cut(string(dtype), " ") // of codes and of the rows beside them
	m := New(tb, Spec{
		Entities: n, Relations: 2, Rank: rank, Rows: values, RelationRows: Normals(rng, 4*2*rank), Table: table.Type(of), Exact: table.Type(exact),
	})
	tb.Cleanup(func() { require.NoError(tb, m.Close()) })
	return m
}

// Normals draws numbers of the standard normal distribution.
func Normals(rng *rand.Rand, n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(rng.NormFloat64())
	}
	return x
}
