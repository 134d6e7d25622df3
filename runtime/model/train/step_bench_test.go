package train

import (
	"fmt"
	"testing"
)

// BenchmarkStep times a step of training on a graph of the size of FB15k-237. GFLOP/s
// are those of the products, over the time of the whole step.
func BenchmarkStep(b *testing.B) {
	for _, negatives := range []int{0, 4000} {
		b.Run(fmt.Sprintf("negatives%d", negatives), func(b *testing.B) {
			o := DefaultOptions()
			o.Negatives = negatives
			tr, err := New(randomGraph(b, 14505, 237, 272115), o, 1)
			if err != nil {
				b.Fatal(err)
			}
			if _, err := tr.Step(); err != nil {
				b.Fatal(err)
			}
			before := tr.FLOPs()
			for b.Loop() {
				if _, err := tr.Step(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric((tr.FLOPs()-before)/b.Elapsed().Seconds()*1e-9, "GFLOP/s")
			b.ReportMetric(float64(tr.ask.queries.rows), "queries")
		})
	}
}
