package sample

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/efoc/efoc/lang/benchmark"
	"github.com/efoc/efoc/runtime/kind"
	"github.com/efoc/efoc/runtime/model/exact"
	"github.com/efoc/efoc/runtime/model/importer"
	"github.com/efoc/efoc/testdata/long"
	"github.com/efoc/efoc/testdata/require"
	"github.com/efoc/efoc/testdata/shared"
)

// TestProtocols draws queries of all shapes as the published sets have them, and checks
// answers and conditions by brute force.
func TestProtocols(t *testing.T) {
	for seed := range uint64(4) {
		small, full, smallGraph, fullGraph := smallGraphs(t, seed)
		for _, like := range []Protocol{BetaE, FIT} {
			s := New(smallGraph, fullGraph, Options{Like: like, Count: 8, Seed: seed, MaxHard: 2, MinHard: 1, Attempts: 3000})
			for _, name := range like.Shapes() {
				tm := shape(t, name)
				require.NoError(t, s.Check(tm))
				betae := s.protocol(tm) == BetaE
				list := drawn(t, s, tm, 2)
				if len(list) < 2 {
					t.Errorf("seed %d, %s: %d queries of %s only", seed, like, len(list), name)
				}
				universal := name == "pni" && betae
				for _, q := range list {
					all, easy := naive(full, tm.Query, q.Args, universal, -1), naive(small, tm.Query, q.Args, universal, -1)
					if hard := Without(all, easy); !slices.Equal(q.Easy, easy) || !slices.Equal(q.Hard, hard) || len(hard) < 1 || len(hard) > 2 {
						t.Fatalf("%s %v: easy %v hard %v, want %v and %v", name, q.Args, q.Easy, q.Hard, easy, hard)
					}
					if !hasNegation(tm) {
						continue
					}
					positive := naive(full, tm.Query, q.Args, universal, 0)
					if betae && len(Without(easy, all)) == 0 {
						t.Errorf("%s %v: no easy answer is refuted", name, q.Args)
					}
					if !betae && (slices.Equal(positive, all) || len(positive) > fitPositive*2) {
						t.Errorf("%s %v: answers %v, without the negated atom %v", name, q.Args, all, positive)
					}
				}
			}
		}
	}
}

func shape(t *testing.T, name string) *Template {
	t.Helper()
	tm, err := NewShape(name)
	require.NoError(t, err)
	return tm
}

// TestLinks1p expects each pair of an entity and a relation that the split has a fact of,
// in both directions, once.
func TestLinks1p(t *testing.T) {
	small, full, smallGraph, fullGraph := smallGraphs(t, 5)
	want := map[[2]int32]bool{}
	for f := range full {
		if !small[f] {
			want[[2]int32{int32(f.Head), 2 * f.Relation}] = true
			want[[2]int32{int32(f.Tail), 2*f.Relation + 1}] = true
		}
	}
	s := New(smallGraph, fullGraph, Options{Like: BetaE, Count: 1000, MinHard: 1})
	got := map[[2]int32]bool{}
	list := drawn(t, s, shape(t, "1p"), 3)
	for _, q := range list {
		got[[2]int32(q.Args)] = true
	}
	if len(list) != len(want) || !maps.Equal(got, want) {
		t.Errorf("%d queries %v, want %d: %v", len(list), got, len(want), want)
	}
}

// frequencies are how often, or with what probability, arguments are drawn.
type frequencies map[string]float64

// compare fails where a frequency in draws is off by more than six standard deviations.
func (want frequencies) compare(t *testing.T, got frequencies, draws float64) {
	t.Helper()
	for args, n := range got {
		if want[args] == 0 {
			t.Errorf("%s was drawn %v times, which cannot be", args, n)
		}
	}
	for args, p := range want {
		if deviation := math.Sqrt(draws * p * (1 - p)); math.Abs(got[args]-draws*p) > 6*deviation+1 {
			t.Errorf("%s was drawn %v times of %v, want %.0f", args, got[args], draws, draws*p)
		}
	}
}

// in returns what leads to an entity, by relation.
func (f facts) in(e int32) map[int32][]int32 {
	m := map[int32][]int32{}
	for r := range int32(2 * relations) {
		for h := range int32(entities) {
			if f.has(h, r, e) {
				m[r] = append(m[r], h)
			}
		}
	}
	return m
}

// TestDistributions compares what is drawn, before answers are looked at, with what the
// published protocols say, worked out for every outcome.
func TestDistributions(t *testing.T) {
	_, full, _, graph := smallGraphs(t, 3)
	var nodes []int32
	for e := range int32(entities) {
		if len(full.in(e)) > 0 {
			nodes = append(nodes, e)
		}
	}
	// 2p of BetaE: an answer; a relation to it; an entity; a relation to this, not that
	// back; an entity.
	betae := frequencies{}
	for _, y := range nodes {
		to := full.in(y)
		for r2, xs := range to {
			for _, x := range xs {
				from := full.in(x)
				delete(from, r2^1)
				for r1, list := range from {
					for _, a := range list {
						betae[fmt.Sprint([]int32{a, r1, r2})] += 1 / float64(len(nodes)*len(to)*len(xs)*len(from)*len(list))
					}
				}
			}
		}
	}
	// 2m of FIT: an answer; a neighbour that two facts or more link with it; a
	// neighbour of this; relations between them.
	between := func(h, t int32) (list []int32) {
		for r := range int32(2 * relations) {
			if full.has(h, r, t) {
				list = append(list, r)
			}
		}
		return list
	}
	near := func(e int32, ties int) (list []int32) {
		for x := range int32(entities) {
			if len(between(x, e)) >= ties {
				list = append(list, x)
			}
		}
		return list
	}
	fit, possible := frequencies{}, 0.0
	for _, y := range nodes {
		for _, x := range near(y, 2) {
			for _, a := range near(x, 1) {
				first, pair := between(a, x), between(x, y)
				for _, r1 := range first {
					for _, r2 := range pair {
						for _, r3 := range pair {
							if r2 != r3 {
								p := 1 / float64(len(nodes)*len(near(y, 2))*len(near(x, 1))*len(first)*len(pair)*(len(pair)-1))
								fit[fmt.Sprint([]int32{a, r1, r2, r3})] += p
								possible += p
							}
						}
					}
				}
			}
		}
	}
	for args := range fit {
		fit[args] /= possible
	}
	for _, c := range []struct {
		like  Protocol
		shape string
		want  frequencies
	}{{BetaE, "2p", betae}, {FIT, "2m", fit}} {
		s := New(nil, graph, Options{Like: c.like})
		got, draws := frequencies{}, 0.0
		rng := rand.New(rand.NewPCG(1, 2))
		tm := shape(t, c.shape)
		for range long.Or(200_000, 50_000) {
			args, err := s.ground(tm, &exact.Solver{}, rng, 0)
			require.NoError(t, err)
			if args != nil {
				got[fmt.Sprint(args)]++
				draws++
			}
		}
		c.want.compare(t, got, draws)
	}
}

// TestMinMissing checks that hard answers need as many links as they say, by brute force:
// whichever fewer atoms are looked up in the full graph, the small one lacks another.
func TestMinMissing(t *testing.T) {
	small, full, smallGraph, fullGraph := smallGraphs(t, 1)
	tm := shape(t, "2p")
	s := New(smallGraph, fullGraph, Options{Count: 10, MinHard: 1, MaxAnswers: 9, AllMissing: true, Split: "valid"})
	list := drawn(t, s, tm, 2)
	for _, q := range list {
		a, r1, r2 := q.Args[0], q.Args[1], q.Args[2]
		var need []int32
		for y := range int32(entities) {
			reached, cheap := false, false
			for x := range int32(entities) {
				if full.has(a, r1, x) && full.has(x, r2, y) {
					reached = true
					cheap = cheap || small.has(a, r1, x) || small.has(x, r2, y)
				}
			}
			if reached && !cheap {
				need = append(need, y)
			}
		}
		rest := Without(naive(full, tm.Query, q.Args, false, -1), need)
		if !slices.Equal(q.Hard, need) || !slices.Equal(q.Easy, rest) || q.Split != "valid" {
			t.Errorf("%v: easy %v, hard %v, want %v and %v", q.Args, q.Easy, q.Hard, rest, need)
		}
	}
	if len(list) < 2 {
		t.Errorf("%d queries only", len(list))
	}
}

func TestCheck(t *testing.T) {
	_, _, _, g := smallGraphs(t, 1)
	for _, c := range []struct {
		options Options
		shape   string
		want    string
	}{
		{Options{Like: BetaE}, "2il", "betae has no queries of shape 2il; there are those of 1p, 2p, 3p, 2i,"},
		{Options{MinMissing: 2}, "2u", "no answer can need 2 links"},
		{Options{MinMissing: 2}, "2in", "no answer can need 2 links"},
		{Options{Like: FIT, MinMissing: 6}, "3cm", ""},
	} {
		err := New(nil, g, c.options).Check(shape(t, c.shape))
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: error is %v, want %q", c.shape, err, c.want)
		}
	}
	if n := len(BetaE.Shapes()); n != 14 || len(FIT.Shapes()) != len(benchmark.Shapes) {
		t.Errorf("BetaE has %d shapes", n)
	}
}

// TestBetaEReal compares queries with BetaE's own test queries on NELL995, shape by shape: the
// numbers of easy and of hard answers and the degrees of each entity by the test of Kolmogorov and
// Smirnov, each relation by the χ² test. With all comparisons together, one test in a hundred would
// fail by chance. Without the pool, 2in fails.
func TestBetaEReal(t *testing.T) {
	dir := shared.Dir(t, "data", "nell995")
	d, err := importer.ReadDataset(t.Context(), importer.Options{Graph: dir}, importer.SplitFiles{})
	require.NoError(t, err)
	small, err := d.Graph(d.Train, d.Valid)
	full, err2 := d.Graph(d.Train, d.Valid, d.Test)
	require.NoError(t, cmp.Or(err, err2))
	o := Options{Like: BetaE, Count: long.Or(1000, 250), Seed: 3, MaxHard: 80, Pool: 4000, MinHard: 1, Split: "test"}
	s := New(small, full, o)
	released := map[string]*distribution{}
	for _, q := range shared.Queries(t, filepath.Join(dir, "queries-dev.jsonl")) {
		if !long.Tests() && q.Type != "2p" {
			continue
		}
		if released[q.Type] == nil {
			released[q.Type] = &distribution{}
		}
		var args []int32
		for _, p := range shape(t, q.Type).Query.Params {
			args = append(args, q.Slots[p.Name])
		}
		released[q.Type].add(s.index, shape(t, q.Type), args, len(q.Easy), len(q.Hard))
	}
	comparisons := 0
	for _, r := range released {
		comparisons += len(r.numbers) + len(r.relations)
	}
	for name, want := range released {
		got := &distribution{}
		for _, q := range drawn(t, s, shape(t, name), 2) {
			got.add(s.index, shape(t, name), q.Args, len(q.Easy), len(q.Hard))
		}
		got.compare(t, name, want, 0.01/float64(comparisons))
	}
}

// distribution is what is counted of the queries of a shape.
type distribution struct {
	// numbers are the numbers of easy and of hard answers, and the degrees of each entity.
	numbers [][]float64
	// relations are the uses of each relation, by slot.
	relations []map[int32]float64
}

func (d *distribution) add(x *index, t *Template, args []int32, easy, hard int) {
	values := []float64{float64(easy), float64(hard)}
	var relations []int32
	for i, p := range t.Query.Params {
		if p.Kind == kind.Relation {
			relations = append(relations, args[i])
		} else {
			values = append(values, float64(x.offsets[args[i]+1]-x.offsets[args[i]]))
		}
	}
	if d.numbers == nil {
		d.numbers = make([][]float64, len(values))
		for range relations {
			d.relations = append(d.relations, map[int32]float64{})
		}
	}
	for i, v := range values {
		d.numbers[i] = append(d.numbers[i], v)
	}
	for i, r := range relations {
		d.relations[i][r]++
	}
}

// compare fails where a part has less than the probability level by chance.
func (d *distribution) compare(t *testing.T, name string, want *distribution, level float64) {
	t.Helper()
	n, m := float64(len(d.numbers[0])), float64(len(want.numbers[0]))
	limit := math.Sqrt(-math.Log(level/2) / 2 * (n + m) / (n * m))
	for i, got := range d.numbers {
		part := "degrees of an entity"
		if i < 2 {
			part = []string{"numbers of easy answers", "numbers of hard answers"}[i]
		}
		if k := stat.KolmogorovSmirnov(slices.Sorted(slices.Values(got)), nil, slices.Sorted(slices.Values(want.numbers[i])), nil); k > limit {
			t.Errorf("%s: %s are %.3f apart, more than %.3f", name, part, k, limit)
		}
	}
	for i, got := range d.relations {
		// Relations that are expected fewer than ten times count as one.
		all := maps.Clone(got)
		for r, uses := range want.relations[i] {
			all[r] += uses
		}
		ours, theirs := []float64{0}, []float64{0}
		for r, uses := range all {
			if uses < 20 {
				ours[0], theirs[0] = ours[0]+got[r], theirs[0]+want.relations[i][r]
			} else {
				ours, theirs = append(ours, got[r]), append(theirs, want.relations[i][r])
			}
		}
		expected := make([]float64, len(ours))
		floats.AddScaledTo(expected, ours, 1, theirs)
		ofOurs, ofTheirs := slices.Clone(expected), expected
		floats.Scale(n/(n+m), ofOurs)
		floats.Scale(m/(n+m), ofTheirs)
		distance := stat.ChiSquare(slices.Concat(ours, theirs), slices.Concat(ofOurs, ofTheirs))
		if p := (distuv.ChiSquared{K: float64(len(ours) - 1)}).Survival(distance); p < level {
			t.Errorf("%s: relations of slot %d differ: χ² is %.1f of %d relations, which has probability %.2g", name, i+1, distance, len(ours), p)
		}
	}
}
