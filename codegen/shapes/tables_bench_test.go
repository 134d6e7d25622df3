package shapes

import (
	"context"
	"flag"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/query"
	"github.com/efoc/efoc/testdata/shared"
)

// effectQueries is how many queries of each shape BenchmarkTables asks.
var effectQueries = flag.Int("effect.queries", 10, "`number` of queries of each shape that BenchmarkTables asks")

// BenchmarkTables says what a table of 16 bits does to time and answers on real
// graphs: BenchmarkTables/<graph>/<type>. Time is per query, over all shapes
// alike. MRR is that of the hard answers, in percent, with the filter released;
// spearman is the mean rank correlation with the float32 table over all
// entities, spearman-1000 over its best 1000, and top10 is how much of its best
// ten stays: means over the shapes. The log has them with more digits, and those
// of each shape.
func BenchmarkTables(b *testing.B) {
	for _, g := range graphs {
		b.Run(g.name, func(b *testing.B) {
			queries := byShape(shared.Queries(b, shared.Dir(b, "data", g.name, "queries-dev.jsonl")), *effectQueries)
			exact := openShared(b, g)
			for _, table := range []model.TableType{model.Float32, model.BFloat16, model.Float16} {
				b.Run(string(table), func(b *testing.B) {
					g := g
					g.table = table
					benchmarkTable(b, exact, openShared(b, g), queries)
				})
			}
		})
	}
}

// byShape takes the first queries of each shape.
func byShape(all []shared.Query, limit int) map[string][]shared.Query {
	m := map[string][]shared.Query{}
	for _, q := range all {
		if len(m[q.Type]) < limit {
			m[q.Type] = append(m[q.Type], q)
		}
	}
	return m
}

func benchmarkTable(b *testing.B, exact, m *query.Model, queries map[string][]shared.Query) {
	var total effect
	var run []func()
	var log strings.Builder
	shapes := 0
	ignore := func(query.Vector, []query.Vector) error { return nil }
	for _, s := range lang.Shapes {
		if len(queries[s.Name]) == 0 {
			continue
		}
		want, got := prepareShape(b, exact, compiler.EngineCompiled, s.Name), prepareShape(b, m, compiler.EngineCompiled, s.Name)
		var mean effect
		for _, q := range queries[s.Name] {
			bindings := bind(got, q.Slots)
			mean.add(measure(scoresOf(b, want, bindings), scoresOf(b, got, bindings), q))
			run = append(run, func() {
				if err := got.Query.Scores(context.Background(), bindings, nil, ignore); err != nil {
					b.Fatal(err)
				}
			})
		}
		mean = mean.over(len(queries[s.Name]))
		fmt.Fprintf(&log, "%s MRR %.2f, spearman-1000 %.5f, top10 %.3f; ", s.Name, 100*mean.mrr, mean.best, mean.ten)
		total.add(mean)
		shapes++
	}
	total = total.over(shapes)
	b.Logf("%smean MRR %.2f, spearman %.7f, spearman-1000 %.7f, top10 %.4f", log.String(), 100*total.mrr, total.all, total.best, total.ten)
	n := 0
	for b.Loop() {
		run[n%len(run)]()
		n += len(run)/97 + 1 // by turns, of every shape
	}
	b.ReportMetric(100*total.mrr, "MRR")
	b.ReportMetric(total.all, "spearman")
	b.ReportMetric(total.best, "spearman-1000")
	b.ReportMetric(total.ten, "top10")
	b.ReportMetric(float64(m.Predictor.EntityTable.Bytes())/1e6, "MB")
}

// effect compares answers with those of the float32 table.
type effect struct{ mrr, all, best, ten float64 }

// add adds x.
func (f *effect) add(x effect) {
	f.mrr += x.mrr
	f.all += x.all
	f.best += x.best
	f.ten += x.ten
}

// over returns a mean.
func (f effect) over(n int) effect {
	by := float64(n)
	return effect{f.mrr / by, f.all / by, f.best / by, f.ten / by}
}

// measure compares the scores of one query.
func measure(want, got []float32, q shared.Query) effect {
	x, y := ranks(want), ranks(got)
	n := float64(len(want))
	var bestWant, bestGot []float32
	ten := 0.0
	for e := range want {
		if x[e] >= n-1000 {
			bestWant, bestGot = append(bestWant, want[e]), append(bestGot, got[e])
		}
		if x[e] >= n-10 && y[e] >= n-10 {
			ten += 0.1
		}
	}
	return effect{
		mrr:  reciprocalRank(got, q),
		all:  stat.Correlation(x, y, nil),
		best: stat.Correlation(ranks(bestWant), ranks(bestGot), nil),
		ten:  ten,
	}
}

// reciprocalRank returns the mean over the hard answers of 1/rank among the
// entities that are neither easy nor hard; ties count half.
func reciprocalRank(scores []float32, q shared.Query) float64 {
	answer := make([]bool, len(scores))
	for _, e := range slices.Concat(q.Easy, q.Hard) {
		answer[e] = true
	}
	var others []float32
	for e, s := range scores {
		if !answer[e] {
			others = append(others, s)
		}
	}
	slices.Sort(others)
	sum := 0.0
	for _, e := range q.Hard {
		lo, _ := slices.BinarySearch(others, scores[e])
		hi := lo
		for hi < len(others) && others[hi] == scores[e] {
			hi++
		}
		sum += 1 / (1 + float64(len(others)-hi) + float64(hi-lo)/2)
	}
	return sum / float64(len(q.Hard))
}

// ranks returns the rank of each score, the least 0; equal ones share the mean.
// The correlation of ranks is Spearman's.
func ranks(x []float32) []float64 {
	// The bits of positive numbers are in the order of the numbers.
	order := make([]uint64, len(x))
	for i, v := range x {
		order[i] = uint64(math.Float32bits(v))<<32 | uint64(i)
	}
	slices.Sort(order)
	out := make([]float64, len(x))
	for lo := 0; lo < len(order); {
		hi := lo + 1
		for hi < len(order) && order[hi]>>32 == order[lo]>>32 {
			hi++
		}
		for _, o := range order[lo:hi] {
			out[uint32(o)] = float64(lo+hi-1) / 2
		}
		lo = hi
	}
	return out
}
