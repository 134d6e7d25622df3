package train

import (
	"fmt"
	"testing"

	"github.com/efoc/efoc/testdata/require"
)

// BenchmarkStep times a step of training on a graph of the size of FB15k-237, and on one of
// a million entities.
func BenchmarkStep(b *testing.B) {
	for _, c := range []struct {
		n, relations, facts, rank, negatives, threads int
	}{
		{14505, 237, 272115, 256, 0, 1},
		{14505, 237, 272115, 512, 0, 2},
		{14505, 237, 272115, 1000, 0, 2},
		{14505, 237, 272115, 256, 4000, 1},
		{1_000_000, 50, 2_000_000, 64, 12_000, 1},
		{1_000_000, 50, 2_000_000, 64, 12_000, 2},
		{1_000_000, 50, 2_000_000, 64, 1_000, 2},
	} {
		b.Run(fmt.Sprintf("n%d/rank%d/negatives%d/threads%d", c.n, c.rank, c.negatives, c.threads), func(b *testing.B) {
			o := DefaultOptions()
			o.Rank, o.Negatives = c.rank, c.negatives
			tr, err := New(randomGraph(b, c.n, c.relations, c.facts), o, c.threads)
			require.NoError(b, err)
			if _, err := tr.Step(0); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, err := tr.Step(0); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(tr.ask.queries.rows), "queries")
		})
	}
}
