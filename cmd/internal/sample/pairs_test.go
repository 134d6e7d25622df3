package sample

import (
	"reflect"
	"slices"
	"testing"

	"github.com/efoc/efoc/cmd/internal/queryset"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/lang/benchmark"
	"github.com/efoc/efoc/runtime/model/exact"
	"github.com/efoc/efoc/testdata/require"
)

// naiveRows returns the rows of a formula with two answer variables by its definition; skip is as of naive.
func naiveRows(f facts, q *lang.Query, args []int32, skip int) (rows []queryset.Row) {
	values := map[string]int32{}
	for i, p := range q.Params {
		values[p.Name] = args[i]
	}
	for x := range int32(entities) {
		for y := range int32(entities) {
			values[q.Free], values[q.Others[0].Name] = x, y
			negated := 0
			if holds(f, q.Formula, values, skip, &negated) {
				rows = append(rows, queryset.Row{x, y})
			}
		}
	}
	return rows
}

// TestPairs draws queries with two answer variables from small graphs, and checks their rows, the bound of their
// number and the worth of their negations by brute force.
func TestPairs(t *testing.T) {
	file, err := lang.ParseFile("t.efo", []byte(`package t
query Apart(a entity, r, s, u relation) x, y = exists z. $r($a, z) & $s(z, x) & $u(z, y) & x != y
query Either(a, b entity, r, s relation) x, y = $r($a, x) & $s(x, y) | exists z. $s($b, z) & $r(z, y) & $s(z, x)`))
	require.NoError(t, err)
	var templates []*Template
	for _, q := range file.Queries {
		tm, err := NewTemplate(q, nil)
		require.NoError(t, err)
		templates = append(templates, tm)
	}
	for _, x := range benchmark.Pairs {
		templates = append(templates, shape(t, x.Name))
	}
	if len(templates) != 24 {
		t.Fatalf("%d templates", len(templates))
	}
	const most = 12
	for seed := range uint64(3) {
		small, full, smallGraph, fullGraph := smallGraphs(t, seed)
		s := New(smallGraph, fullGraph, Options{Count: 8, Seed: seed, MaxAnswers: most, MinHard: 1, Attempts: 5000})
		for _, tm := range templates {
			require.NoError(t, s.Check(tm))
			list := drawn(t, s, tm, 2)
			if len(list) < 3 {
				t.Errorf("seed %d: %d queries of %s only", seed, len(list), tm.Name)
			}
			if again := drawn(t, s, tm, 5); !reflect.DeepEqual(list, again) {
				t.Errorf("%s: 5 workers drew %v, 2 drew %v", tm.Name, again, list)
			}
			for _, q := range list {
				all, easy := naiveRows(full, tm.Query, q.Args, -1), naiveRows(small, tm.Query, q.Args, -1)
				hard := slices.DeleteFunc(slices.Clone(all), func(r queryset.Row) bool { return slices.Contains(easy, r) })
				if !slices.Equal(q.EasyRows, easy) || !slices.Equal(q.HardRows, hard) || q.Easy != nil || q.Hard != nil {
					t.Fatalf("%s %v: easy %v hard %v, want %v and %v", tm.Name, q.Args, q.EasyRows, q.HardRows, easy, hard)
				}
				if len(hard) < 1 || len(easy)+len(hard) > most {
					t.Errorf("%s %v: %d easy and %d hard rows", tm.Name, q.Args, len(easy), len(hard))
				}
				if hasNegation(tm) && tm.Name != "Apart" && slices.Equal(naiveRows(full, tm.Query, q.Args, 0), all) {
					t.Errorf("%s %v: the negated atom changes nothing", tm.Name, q.Args)
				}
				if tm.Name == "Apart" {
					without := naiveRows(full, shape(t, "2p+e1").Query, q.Args[:3], -1) // z, x
					if !slices.ContainsFunc(without, func(r queryset.Row) bool { return full.has(r[0], q.Args[3], r[1]) }) {
						t.Errorf("%v: the inequality changes nothing", q.Args)
					}
				}
			}
		}
	}
}

// TestPairsLimit checks that no more rows are listed than the limit allows.
func TestPairsLimit(t *testing.T) {
	_, full, _, graph := smallGraphs(t, 1)
	tm := shape(t, "2il+e1")
	for _, r := range []int32{0, 1, 4} {
		args := []int32{2, r, 3}
		want := naiveRows(full, tm.Query, args, -1)
		for most := range len(want) + 2 {
			got, err := tm.rows(&exact.Solver{}, graph, tm.patterns, tm.slots.bind(args), most)
			require.NoError(t, err)
			if len(got) != min(len(want), most+1) || len(got) == len(want) && !slices.Equal(got, want) {
				t.Errorf("%v, at most %d: rows %v of %v", args, most, got, want)
			}
		}
	}
}
