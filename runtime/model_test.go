package runtime

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/table"
	"github.com/efoc/efoc/testdata/modeltest"
	"github.com/efoc/efoc/testdata/require"
)

// smallModel is a model of five entities and two relations.
func smallModel(t testing.TB) *Model {
	t.Helper()
	relations, embeddings := make([]float32, 16), make([]float32, 20)
	for i := range embeddings {
		embeddings[i] = float32(i) - 7.5
	}
	for i := range relations {
		relations[i] = 1 / float32(i+1)
	}
	return NewModel(modeltest.New(t, modeltest.Spec{
		Manifest: model.Manifest{Name: "small", Visible: "train"}, EntityNames: []string{"e0", "e1", "e2", "e3", "e4"}, RelationNames: []string{"knows", "likes"},
		Facts: []graph.Triple{{Head: 0, Relation: 0, Tail: 1}, {Head: 1, Relation: 0, Tail: 2}, {Head: 1, Relation: 1, Tail: 1}, {Head: 4, Relation: 1, Tail: 0}},
		Rank:  2, Rows: embeddings, RelationRows: relations,
	}))
}

// randomModel is modeltest.Random.
func randomModel(t testing.TB, rng *rand.Rand, n, rank int, table table.Type) *Model {
	t.Helper()
	return NewModel(modeltest.Random(t, rng, n, rank, table))
}

// smallBundle is the bundle of smallModel.
func smallBundle(t testing.TB) []byte {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, model.Write(&out, smallModel(t).bundle))
	return out.Bytes()
}
