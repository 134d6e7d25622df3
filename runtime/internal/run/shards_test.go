package run

import (
	"testing"
	"time"

	"github.com/efoc/efoc/runtime/internal/collective"
	"github.com/efoc/efoc/runtime/internal/part"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/testdata/modeltest"
	"github.com/efoc/efoc/testdata/require"
)

// TestTogetherOnShards asks how many queries run at a time on one of two shards of 0.3 MB: small
// ones together, and besides the first they take 4 MB at most, of vectors alone, or whole ones.
func TestTogetherOnShards(t *testing.T) {
	const n, most = 10_000, 4 << 20
	m := modeltest.New(t, modeltest.Spec{Entities: n, Relations: 1, Rank: 4})
	var first *model.Model
	require.NoError(t, m.Shards(2, func(s *model.Model) error {
		if first == nil {
			first = s
		}
		return nil
	}))
	p := part.New(first, collective.NewGroup(collective.Local(2, time.Minute)[0]))
	own := &Shard{model: plan.Host{Model: first, Shared: plan.NewShared(first, p)}, part: p}
	s := &Shards{own: own}
	for _, whole := range []bool{false, true} {
		last := n
		for _, vectors := range []int{1, 2, 4, 8, 16, 64, 1000, 100_000} {
			got := s.together(&plan.Plan{Vectors: vectors, Embeddings: vectors}, whole)
			bytes := 4 * vectors * n / 2
			if whole {
				bytes += 4 * n
			}
			if got < 1 || got > last || (got-1)*bytes > most {
				t.Errorf("%d queries of %d vectors, whole %v, take %d bytes besides the first", got, vectors, whole, (got-1)*bytes)
			}
			if last = got; vectors == 1 && got < 8 || vectors == 100_000 && got != 1 {
				t.Errorf("%d queries of %d vectors, whole %v", got, vectors, whole)
			}
		}
	}
}
