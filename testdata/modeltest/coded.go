package modeltest

import (
	"math/rand/v2"
	"testing"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/table"
)

// Coded returns two models of the same embeddings: of float32 alone, and with codes of 8 bits.
func Coded(t testing.TB, n, rank int, scale float64) (plain, coded *model.Model) {
	t.Helper()
	rng := rand.New(rand.NewPCG(uint64(n), uint64(rank)))
	normals := func(n int) []float32 {
		x := make([]float32, n)
		for i := range x {
			x[i] = float32(scale * rng.NormFloat64())
		}
		return x
	}
	var facts []graph.Triple
	for range 4 * n {
		facts = append(facts, graph.Triple{Head: graph.EntityID(rng.IntN(n)), Relation: int32(rng.IntN(2)), Tail: graph.EntityID(rng.IntN(n))})
	}
	embeddings, relations := normals(n*2*rank), normals(4*2*rank)
	var both [2]*model.Model
	for i, of := range []table.Type{table.Float32, table.Int8} {
		both[i] = New(t, Spec{
			Entities: n, Relations: 2, Facts: facts, Rank: rank, Rows: embeddings, RelationRows: relations, Table: of, Exact: table.Float32,
		})
		t.Cleanup(func() { both[i].Close() })
	}
	return both[0], both[1]
}
