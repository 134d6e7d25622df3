package eval

import (
	"context"
	"math"
	"slices"

	"github.com/efoc/efoc/cmd/internal/queryset"
	"github.com/efoc/efoc/cmd/internal/tables"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/runtime"
)

// Pairs are the measures of EFOK-CQA (Yin et al. 2023, arXiv 2307.13701) for a query with two answer variables, in a
// ranking of all entities for each, with the other variable existential. Entities of the query's other rows do not
// compete.
type Pairs struct {
	// Marginal are the ranks of each variable's hard entities, which are in a hard row and in no easy one, in
	// ascending order of the entities.
	Marginal [2][]float64 `json:"marginal"`
	// Entities are the ranks of the entities of each hard row.
	Entities [][2]float64 `json:"entities"`
	// Rows are the ranks of the hard rows in efoc's own ranking of rows, without the other rows of the query; 0 means
	// below the tenth.
	Rows []int `json:"rows"`
	// Proved says that efoc's ranking provably has the best rows.
	Proved bool `json:"proved"`
}

// standing is the position of an entity in the ranking of a variable: its rank without the entities of other rows,
// and the number of entities before it, counting half of those that tie.
type standing struct{ rank, before float64 }

// standings returns the standings of the given entities of rows, by the scores of all entities.
func standings(scores []float32, entities []int32) (map[int32]standing, error) {
	ranks, err := Ranks(scores, entities, nil)
	if err != nil {
		return nil, err
	}
	var among []float64
	for _, e := range entities {
		among = append(among, -float64(scores[e]))
	}
	sorted := slices.Sorted(slices.Values(among))
	found := map[int32]standing{}
	for i, e := range entities {
		found[e] = standing{ranks[i], ranks[i] - 1 + before(sorted, among[i])}
	}
	return found, nil
}

// before counts the values of an ascending list before x, and half of those equal to it.
func before(sorted []float64, x float64) float64 {
	less, _ := slices.BinarySearch(sorted, x)
	more, _ := slices.BinarySearch(sorted, math.Nextafter(x, math.Inf(1)))
	return float64(less) + float64(more-less-1)/2
}

// joint returns the filtered ranks of the hard rows in EFOK-CQA's ranking of all rows, which it derives from the
// rankings of the variables: by the sum of the numbers of entities before a row's own, then by the first of these
// numbers.
func joint(of [2]map[int32]standing, easy, hard []queryset.Row) (ranks []float64) {
	place := func(r queryset.Row) float64 {
		first := of[0][r[0]].before
		second := of[1][r[1]].before
		return (first+second)*(first+second+1)/2 + first
	}
	var sorted []float64
	for _, r := range slices.Concat(easy, hard) {
		sorted = append(sorted, place(r))
	}
	slices.Sort(sorted)
	for _, r := range hard {
		ranks = append(ranks, max(1, 1+place(r)-before(sorted, place(r))))
	}
	return ranks
}

// column returns the entities of a variable in rows, ascending.
func column(v int, lists ...[]queryset.Row) (list []int32) {
	for _, row := range slices.Concat(lists...) {
		list = append(list, row[v])
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// pairs asks queries with two answer variables and ranks their rows.
func (r *run) pairs(ctx context.Context, _ string, g *GroupOutcome, queries []queryset.Case) ([]*Result, error) {
	found := make([][2]map[int32]standing, len(queries))
	results := make([]*Result, len(queries))
	for v, p := range g.prepared {
		err := p.Each(ctx, argsOf(p, queries), nil, func(i int, r *runtime.Run) (err error) {
			answer := r.Scores()
			found[i][v], err = standings(answer, column(v, queries[i].EasyRows, queries[i].HardRows))
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	for i, q := range queries {
		x := &Pairs{Rows: make([]int, len(q.HardRows))}
		for v := range x.Marginal {
			easy := column(v, q.EasyRows)
			for _, e := range column(v, q.HardRows) {
				if _, known := slices.BinarySearch(easy, e); !known {
					x.Marginal[v] = append(x.Marginal[v], found[i][v][e].rank)
				}
			}
		}
		for _, row := range q.HardRows {
			x.Entities = append(x.Entities, [2]float64{found[i][0][row[0]].rank, found[i][1][row[1]].rank})
		}
		if err := x.rank(ctx, g.rows, q); err != nil {
			return nil, err
		}
		results[i] = &Result{Ranks: joint(found[i], q.EasyRows, q.HardRows), Pairs: x}
	}
	return results, nil
}

// bestRows is the number of ranked rows in efoc's own ranking.
const bestRows = 10

// rank asks for the best rows, plus the number of the query's answers, which may precede them.
func (x *Pairs) rank(ctx context.Context, p *compiler.Prepared, q queryset.Case) error {
	best, err := p.Ask(ctx, p.Spec().Args(q.Args...), runtime.Options{K: bestRows + len(q.EasyRows) + len(q.HardRows), NoStatus: true})
	if err != nil {
		return err
	}
	rank := 1 // of the next row that is not an answer
	for _, found := range best.Rows {
		row := queryset.Row{int32(found.Values[0].ID), int32(found.Values[1].ID)}
		if at, hard := slices.BinarySearchFunc(q.HardRows, row, queryset.Row.Compare); hard && rank <= bestRows {
			x.Rows[at] = rank
		} else if _, easy := slices.BinarySearchFunc(q.EasyRows, row, queryset.Row.Compare); !hard && !easy {
			rank++
		}
	}
	x.Proved = best.Proved
	return nil
}

// PairReport has means over queries with two answer variables that both have hard entities, as in the tables of
// EFOK-CQA.
type PairReport struct {
	Queries int `json:"queries"`
	// Marginal averages over the hard entities of a variable, then over both variables.
	Marginal Metrics `json:"marginal"`
	// Multiply averages over the hard rows: a hit requires both entities, and MRR is the mean of the geometric means
	// of their reciprocal ranks.
	Multiply Metrics `json:"multiply"`
	// Joint is for the hard rows in the ranking derived from the variables' rankings, Rows in efoc's own, in which
	// rows below the tenth count 0 in MRR.
	Joint Metrics `json:"joint"`
	Rows  Metrics `json:"rows"`
	// Proved is the share of queries with provably best rows.
	Proved float64 `json:"proved"`
}

// pairReport summarises results, nil without such queries.
func pairReport(results []*Result) *PairReport {
	var marginal, multiply, joint, rows mean
	proved := 0
	for _, x := range results {
		p := x.Pairs
		if p == nil || p.Marginal[0] == nil || p.Marginal[1] == nil {
			continue
		}
		var variables, entities, own mean
		for v := range p.Marginal {
			variables.add(meanRank(p.Marginal[v]))
		}
		for i, e := range p.Entities {
			hit := rankMetrics(max(e[0], e[1]))
			hit.MRR = math.Sqrt(1 / (e[0] * e[1]))
			entities.add(hit)
			own.count++
			if p.Rows[i] > 0 {
				own.count--
				own.add(rankMetrics(float64(p.Rows[i])))
			}
		}
		marginal.add(variables.value())
		multiply.add(entities.value())
		joint.add(meanRank(x.Ranks))
		rows.add(own.value())
		if p.Proved {
			proved++
		}
	}
	if rows.count == 0 {
		return nil
	}
	return &PairReport{rows.count, marginal.value(), multiply.value(), joint.value(), rows.value(), float64(proved) / float64(rows.count)}
}

// pairTable has a row for each shape with two answer variables, and one for the queries of all.
func (r *Report) pairTable() Table {
	t := Table{
		Title:  "Two answer variables by the metrics of EFOK-CQA, in queries in which both have hard entities",
		Header: []string{"shape", ">queries", ">marginal MRR", ">marginal Hits@10", ">multiply Hits@10", ">joint Hits@10", ">rows Hits@10", ">proved"},
	}
	row := func(name string, p *PairReport) {
		if p != nil {
			t.Rows = append(t.Rows, tables.Row{name, p.Queries, percent(p.Marginal.MRR), percent(p.Marginal.Hits10),
				percent(p.Multiply.Hits10), percent(p.Joint.Hits10), percent(p.Rows.Hits10), percent(p.Proved)})
		}
	}
	for _, s := range r.Shapes {
		row(s.Name, s.Pairs)
	}
	row("all", r.Pairs)
	return t
}
