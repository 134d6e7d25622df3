package eval

import (
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/cmd/internal/queryset"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/testdata/require"
)

// naiveJoint counts, for a hard row, the rows before it in the ranking that EFOK-CQA makes of the marginal ones, but
// for those of the query: rows of numbers from 0 on, by their sum and then their first one. No two scores of a
// variable are equal.
func naiveJoint(scores [2][]float32, answers []queryset.Row, hard queryset.Row) int {
	place := func(v int, e int32) (before int) {
		for _, s := range scores[v] {
			if s > scores[v][e] {
				before++
			}
		}
		return before
	}
	first, second := place(0, hard[0]), place(1, hard[1])
	comesBefore := func(a, b int) bool { return a+b < first+second || a+b == first+second && a < first }
	rank := 1
	for a := range first + second + 1 {
		for b := range first + second + 1 {
			if comesBefore(a, b) {
				rank++
			}
		}
	}
	for _, row := range answers {
		if comesBefore(place(0, row[0]), place(1, row[1])) {
			rank--
		}
	}
	return rank
}

// TestJoint compares marginal and joint ranks of random rankings with plain counts.
func TestJoint(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 200 {
		n := 2 + r.IntN(12)
		var scores [2][]float32
		for v := range scores {
			for _, x := range r.Perm(n) {
				scores[v] = append(scores[v], float32(x)/8)
			}
		}
		var easy, hard []queryset.Row
		for range 1 + r.IntN(8) {
			row := queryset.Row{int32(r.IntN(n)), int32(r.IntN(n))}
			switch {
			case slices.Contains(easy, row) || slices.Contains(hard, row):
			case r.IntN(2) == 0:
				easy = append(easy, row)
			default:
				hard = append(hard, row)
			}
		}
		all := slices.Concat(easy, hard)
		var of [2]map[int32]standing
		for v := range of {
			var err error
			of[v], err = standings(scores[v], column(v, easy, hard))
			require.NoError(t, err)
			for e, got := range of[v] {
				want, before := 1, 0
				for o, s := range scores[v] {
					if s > scores[v][e] {
						before++
						if !slices.ContainsFunc(all, func(row queryset.Row) bool { return row[v] == int32(o) }) {
							want++
						}
					}
				}
				if got != (standing{float64(want), float64(before)}) {
					t.Fatalf("scores %v of entity %d: %+v, want rank %d behind %d", scores[v], e, got, want, before)
				}
			}
		}
		for i, rank := range joint(of, easy, hard) {
			if want := naiveJoint(scores, all, hard[i]); rank != float64(want) {
				t.Fatalf("scores %v, easy %v, hard %v: joint rank %v, want %d", scores, easy, hard[i], rank, want)
			}
		}
	}
	// Entities that are level count half.
	got, err := standings([]float32{1, 1, 1, 0}, []int32{0, 1, 3})
	require.NoError(t, err)
	if want := map[int32]standing{0: {1.5, 1}, 1: {1.5, 1}, 3: {2, 3}}; !reflect.DeepEqual(got, want) {
		t.Errorf("standings are %v, want %v", got, want)
	}
}

// TestPairReport has metrics that were worked out by hand.
func TestPairReport(t *testing.T) {
	one := &Result{Ranks: []float64{4, 12}, Pairs: &Pairs{
		Marginal: [2][]float64{{1, 20}, {4}}, Entities: [][2]float64{{1, 4}, {20, 5}}, Rows: []int{2, 0}, Proved: true,
	}}
	two := &Result{Ranks: []float64{1}, Pairs: &Pairs{Marginal: [2][]float64{{1}, {10}}, Entities: [][2]float64{{1, 10}}, Rows: []int{1}}}
	// No entity of its first variable is hard.
	three := &Result{Ranks: []float64{7}, Pairs: &Pairs{Marginal: [2][]float64{nil, {10}}, Entities: [][2]float64{{1, 10}}, Rows: []int{1}}}
	got := pairReport([]*Result{one, three, two, {Ranks: []float64{}, Pairs: &Pairs{}}, {Ranks: []float64{3}}})
	// The mean of 1/rank is (1 + 1/20)/2 and 1/4 for the variables of the first query, 1 and 1/10 for those of the second.
	want := PairReport{
		Queries: 2, Proved: 0.5,
		Marginal: Metrics{((0.525+0.25)/2 + 0.55) / 2, (0.25 + 0.5) / 2, (0.25 + 0.5) / 2, (0.75 + 1) / 2},
		Multiply: Metrics{((0.5+0.1)/2 + math.Sqrt(0.1)) / 2, 0, 0, 0.75},
		Joint:    Metrics{((0.25+1./12)/2 + 1) / 2, 0.5, 0.5, 0.75},
		Rows:     Metrics{(0.25 + 1) / 2, 0.5, 0.75, 0.75},
	}
	for _, m := range [][2]*Metrics{{&got.Marginal, &want.Marginal}, {&got.Multiply, &want.Multiply}, {&got.Joint, &want.Joint}, {&got.Rows, &want.Rows}} {
		if math.Abs(m[0].MRR-m[1].MRR) < 1e-12 {
			m[0].MRR = m[1].MRR
		}
	}
	if *got != want {
		t.Errorf("report %+v, want %+v", *got, want)
	}
	if none := pairReport([]*Result{three, {}}); none != nil {
		t.Errorf("the report of nothing is %+v", none)
	}
}

// pairsOf returns queries of the built-in model: of countries, neighbours and what those lead to by a relation. What
// follows from the withheld facts is hard.
func pairsOf(t *testing.T, m *runtime.Model) *queryset.Set {
	t.Helper()
	borders, err := m.Bundle().FindRelation("borders")
	require.NoError(t, err)
	language, err := m.Bundle().FindRelation("official_language")
	require.NoError(t, err)
	g := group(t, "2p+e1")
	tails := func(e int32, r int32, held bool) []int32 {
		list := slices.Clone(m.Bundle().Graph.Tails(graph.EntityID(e), graph.RelationID(r)))
		if held {
			list = append(list, m.Bundle().Heldout.Tails(graph.EntityID(e), graph.RelationID(r))...)
		}
		return list
	}
	heads, _ := m.Bundle().Heldout.Edges(graph.RelationID(borders))
	for _, s := range slices.Compact(slices.Clone(heads))[:24] {
		q := queryset.Case{Args: args(t, "2p+e1", map[string]int32{"s1": s, "r1": borders, "r2": language})}
		for _, held := range []bool{false, true} {
			for _, x := range tails(s, borders, held) {
				for _, y := range tails(x, language, held) {
					if row := (queryset.Row{x, y}); !held {
						q.EasyRows = append(q.EasyRows, row)
					} else if !slices.Contains(q.EasyRows, row) {
						q.HardRows = append(q.HardRows, row)
					}
				}
			}
		}
		slices.SortFunc(q.EasyRows, queryset.Row.Compare)
		slices.SortFunc(q.HardRows, queryset.Row.Compare)
		g.Queries = append(g.Queries, q)
	}
	return &queryset.Set{Groups: []*queryset.Group{g}}
}

// TestRunPairs compares the ranks of queries with two answer variables with those of rankings that are asked for
// separately: of formulas with one variable, and of all rows that efoc lists.
func TestRunPairs(t *testing.T) {
	_, c := worldConfig(t)
	set := pairsOf(t, c.Model)
	for _, c.Semantics = range []model.Semantics{model.NSMP, model.FIT, model.Mixed} {
		out, err := Run(context.Background(), set, c)
		require.NoError(t, err)
		var prepared [2]*compiler.Prepared
		for v, formula := range []string{"r1(s1,f)&r2(f,e1)", "r1(s1,e1)&r2(e1,f)"} {
			q, err := lang.ParseBenchmark(formula)
			require.NoError(t, err)
			prepared[v], err = compiler.Prepare(c.Model, q, compiler.Options{Semantics: &c.Semantics, Settings: &c.Settings})
			require.NoError(t, err)
		}
		tuples, err := compiler.Prepare(c.Model, set.Groups[0].Template, compiler.Options{Semantics: &c.Semantics, Settings: &c.Settings})
		require.NoError(t, err)
		hits := 0
		for i, q := range set.Groups[0].Queries {
			x, all := out.Groups[0].Queries[i], slices.Concat(q.EasyRows, q.HardRows)
			for v, p := range prepared {
				b := p.Spec().Args(q.Args...)
				err = p.Each(context.Background(), []runtime.Args{b}, &p.Settings, func(_ int, r *runtime.Run) error {
					scores := r.Scores()
					for k, row := range q.HardRows {
						want := 1.0
						for e, s := range scores {
							switch other := slices.ContainsFunc(all, func(r queryset.Row) bool { return r[v] == int32(e) }); {
							case other:
							case s > scores[row[v]]:
								want++
							case s == scores[row[v]]:
								want += 0.5
							}
						}
						if got := x.Pairs.Entities[k][v]; got != want {
							t.Errorf("%v, query %d: entity %d of row %v has rank %v, want %v", c.Semantics, i, v, row, got, want)
						}
					}
					return nil
				})
				require.NoError(t, err)
			}
			// As many prefixes as Run's search has, of which the default is twice the rows.
			listed, err := tuples.Ask(context.Background(), tuples.Spec().Args(q.Args...), runtime.Options{K: 10 + len(all), Settings: &c.Settings, NoStatus: true})
			require.NoError(t, err)
			for k, hard := range q.HardRows {
				want, found := 1, false
				for _, r := range listed.Rows {
					row := queryset.Row{int32(r.Values[0].ID), int32(r.Values[1].ID)}
					if found = row == hard; found {
						break
					}
					if !slices.Contains(all, row) {
						want++
					}
				}
				if !found || want > 10 {
					want = 0
				}
				if hits += min(want, 1); x.Pairs.Rows[k] != want {
					t.Errorf("%v, query %d: row %v has rank %d, want %d", c.Semantics, i, hard, x.Pairs.Rows[k], want)
				}
			}
		}
		if hits == 0 {
			t.Errorf("%v: no hard row is among the first ten", c.Semantics)
		}
	}
}

// TestPairsKept checks that a state file and a dump keep what is measured of pairs.
func TestPairsKept(t *testing.T) {
	_, c := worldConfig(t)
	set := pairsOf(t, c.Model)
	want, err := Run(context.Background(), set, c)
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "state.jsonl")
	for range 2 {
		c.State, err = OpenState(path, set, c)
		require.NoError(t, err)
		got, err := Run(context.Background(), set, c)
		require.NoError(t, err)
		require.NoError(t, c.State.Close())
		if !reflect.DeepEqual(results(got), results(want)) {
			t.Errorf("results are %v, want %v", results(got), results(want))
		}
	}
	text, err := Dump(set, want)
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	for i, line := range lines {
		var got struct {
			Hard  []queryset.Row
			Ranks []float64
			Pairs *Pairs
		}
		require.NoError(t, json.Unmarshal([]byte(line), &got))
		x := want.Groups[0].Queries[i]
		if !slices.Equal(got.Hard, set.Groups[0].Queries[i].HardRows) || !slices.Equal(got.Ranks, x.Ranks) || !reflect.DeepEqual(got.Pairs, x.Pairs) {
			t.Errorf("line %d is %s", i, line)
		}
	}
}

func TestPairsErrors(t *testing.T) {
	good := queryset.Case{Args: args(t, "2p+e1", map[string]int32{"s1": 0}), HardRows: []queryset.Row{{1, 2}}}
	far, unknown := good, good
	far.HardRows = []queryset.Row{{1, 5}}
	unknown.Args = args(t, "2p+e1", map[string]int32{"s1": 5})
	for _, x := range []struct {
		query  queryset.Case
		change func(c *Config)
		want   string
	}{
		{far, nil, "query 1 of 2p+e1: answers from 5 to 5, want ascending ids of the model's 5 entities"},
		{unknown, nil, "query 1 of 2p+e1: parameter s1: entity 5 is not in the model"},
		{good, func(c *Config) { c.Filter = Strict }, "queries 2p+e1: filter strict is for queries with one answer variable"},
		{good, func(c *Config) { c.Counts = true }, "queries 2p+e1: answers are counted of queries with one"},
	} {
		m := blankModel(t)
		c := Config{Model: m, Semantics: model.NSMP, Settings: m.Settings(), Batch: 1, Filter: Released}
		if x.change != nil {
			x.change(&c)
		}
		_, err := Run(context.Background(), &queryset.Set{Groups: []*queryset.Group{group(t, "2p+e1", good, x.query)}}, c)
		if err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("error is %v, want %s", err, x.want)
		}
	}
}
