package runtime_test

import (
	"math/rand/v2"
	"testing"

	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/testdata/require"
)

// TestPullBytes counts the numbers pulled along random links, by a set of pairs of head and shard.
func TestPullBytes(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 3))
		n := 1 + rng.IntN(40)
		var triples []graph.Triple
		for range rng.IntN(100) {
			triples = append(triples, graph.Triple{Head: graph.EntityID(rng.IntN(n)), Relation: int32(rng.IntN(2)), Tail: graph.EntityID(rng.IntN(n))})
		}
		g, err := graph.New(n, 2, triples)
		require.NoError(t, err)
		of := 1 + rng.IntN(min(n, 8))
		shardOf := func(e graph.EntityID) (i int) {
			for first, rows := graph.ShardRows(n, of, i); int(e) >= first+rows; first, rows = graph.ShardRows(n, of, i) {
				i++
			}
			return i
		}
		pushed := map[graph.RelationID]bool{}
		for _, r := range g.Pushed(of) {
			pushed[r] = true
		}
		want := make([]int64, 4)
		for r := range want {
			type pair struct {
				head  graph.EntityID
				shard int
			}
			pairs := map[pair]bool{}
			for _, x := range triples {
				h, tail := x.Head, x.Tail
				if r&1 == 1 {
					h, tail = tail, h
				}
				if int(x.Relation) == r/2 && shardOf(h) != shardOf(tail) {
					pairs[pair{h, shardOf(tail)}] = true
				}
			}
			want[r] = 4 * int64(len(pairs))
			if got := g.PullBytes(graph.RelationID(r), of); got != want[r] {
				t.Fatalf("seed %d: %d bytes are pulled along relation %d in %d shards, want %d", seed, got, r, of, want[r])
			}
		}
		for r := range want {
			if fewer := want[r^1] < want[r]; pushed[graph.RelationID(r)] != fewer {
				t.Fatalf("seed %d: relation %d is pushed: %v, where pulling takes %d bytes and pushing %d", seed, r, !fewer, want[r], want[r^1])
			}
		}
	}
}
