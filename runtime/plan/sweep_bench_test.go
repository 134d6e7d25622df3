package plan

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/efoc/efoc/kernels/simd"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/table"
	"github.com/efoc/efoc/testdata/modeltest"
)

// BenchmarkSweep reads tables of the sizes of FB15k-237, which stays in cache,
// and NELL995, which comes from memory: BenchmarkSweep/<rows>/<type>/<work>. Each sweep
// takes turns with a plain read of as many bytes, on one thread under -cpu 1; share is
// the least time of a read over the least time of a sweep.
func BenchmarkSweep(b *testing.B) {
	const width = 512
	for _, rows := range []int{14505, 63361} {
		for _, dtype := range []table.Type{table.Float32, table.Int8} {
			rng := rand.New(rand.NewPCG(5, 5))
			m := benchModel(b, rows, width/2, dtype)
			w := newTestWorkspace(m, 8, 4)
			plain := modeltest.Normals(rng, m.Predictor.EntityTable.Bytes()/4)
			queries, known := make([]Embedding, 4), modeltest.Normals(rng, rows)
			asked := make([]Emb, 4)
			for i := range queries {
				queries[i] = modeltest.Normals(rng, width)
				simd.Scale(queries[i], queries[i], 0.1)
				asked[i] = w.putEmbedding(queries[i])
			}
			weights := w.put(known)
			for _, work := range []struct {
				name              string
				scores, estimates int
				embeds            int
			}{
				{"score", 1, 0, 0},
				{"embed", 0, 0, 1},
				{"estimate", 1, 1, 0},
				{"2estimates", 2, 2, 0},
				{"4scores2estimates", 4, 2, 0},
				{"4estimates", 4, 4, 0},
			} {
				sweep := func() {
					s := w.Sweep()
					for i := range work.scores {
						s.Score(Vec(i), asked[i])
					}
					for i := range work.estimates {
						s.Estimate(Emb(i), Vec(4+i), Vec(i), weights)
					}
					for i := range work.embeds {
						s.Embed(Emb(i), weights)
					}
					s.Run()
				}
				b.Run(fmt.Sprintf("%d/%s/%s", rows, dtype, work.name), func(b *testing.B) {
					b.SetBytes(int64(m.Predictor.EntityTable.Bytes()))
					b.ReportAllocs()
					sweep()
					read, best := time.Duration(1<<62), time.Duration(1<<62)
					for b.Loop() {
						b.StopTimer()
						read = min(read, timed(func() { simd.Max(plain) }))
						b.StartTimer()
						best = min(best, timed(sweep))
					}
					b.ReportMetric(100*read.Seconds()/best.Seconds(), "%share")
				})
			}
		}
	}
}

// timed returns how long f takes.
func timed(f func()) time.Duration {
	start := time.Now()
	f()
	return time.Since(start)
}

// benchModel is a model of random numbers without facts.
func benchModel(b *testing.B, rows, rank int, dtype table.Type) *model.Model {
	b.Helper()
	rng := rand.New(rand.NewPCG(6, 6))
	values := modeltest.Normals(rng, rows*2*rank)
	m := modeltest.New(b, modeltest.Spec{Entities: rows, Relations: 1, Rank: rank, Rows: values, RelationRows: modeltest.Normals(rng, 4*rank), Table: dtype})
	b.Cleanup(func() { m.Close() })
	return m
}
