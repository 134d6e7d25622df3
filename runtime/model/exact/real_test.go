package exact_test

import (
	"context"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/efoc/efoc/runtime/model/exact"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/importer"
	"github.com/efoc/efoc/runtime/scq"
	"github.com/efoc/efoc/testdata/long"
	"github.com/efoc/efoc/testdata/require"
	"github.com/efoc/efoc/testdata/shared"
)

// readGraphs returns train, train+valid and train+valid+test.
func readGraphs(tb testing.TB, dir string) (train, small, full *graph.Graph) {
	tb.Helper()
	s, err := importer.ReadDataset(context.Background(), importer.Options{Graph: dir}, importer.SplitFiles{})
	require.NoError(tb, err)
	graph := func(parts ...[]graph.Triple) *graph.Graph {
		g, err := s.Graph(parts...)
		require.NoError(tb, err)
		return g
	}
	return graph(s.Train), graph(s.Train, s.Valid), graph(s.Train, s.Valid, s.Test)
}

// TestReleasedAnswers compares with the answers of BetaE's own test queries on
// NELL995, and with those that an independent implementation found for the 23
// shapes on FB15k-237.
func TestReleasedAnswers(t *testing.T) {
	perShape := long.Or(math.MaxInt, 15)
	for _, kg := range []string{"nell995", "fb15k-237"} {
		t.Run(kg, func(t *testing.T) {
			dir := shared.Dir(t, "data", kg)
			train, small, full := readGraphs(t, dir)
			seen := map[string]int{}
			var s exact.Solver
			for _, q := range shared.Queries(t, filepath.Join(dir, "queries-dev.jsonl")) {
				if seen[q.Type]++; seen[q.Type] > perShape {
					continue
				}
				shape := shapeOf(t, q.Type)
				disjuncts := shape.Disjuncts
				b := bind(shape, q.Slots)
				all, err := s.Answers(full, disjuncts, b)
				if err != nil {
					t.Fatalf("%s %v: %v", q.Type, q.Slots, err)
				}
				easy, err := s.Answers(small, disjuncts, b)
				if err != nil {
					t.Fatalf("%s %v: %v", q.Type, q.Slots, err)
				}
				hard := slices.DeleteFunc(slices.Clone(all), func(e int32) bool {
					_, known := slices.BinarySearch(easy, e)
					return known
				})
				if !slices.Equal(easy, q.Easy) || !slices.Equal(hard, q.Hard) {
					t.Fatalf("%s %v: easy %v, want %v; hard %v, want %v", q.Type, q.Slots, easy, q.Easy, hard, q.Hard)
				}
				checkMisses(t, &s, train, full, disjuncts, b, q, seen[q.Type])
			}
			if len(seen) < 13 {
				t.Errorf("queries of %d shapes only", len(seen))
			}
		})
	}
}

// checkMisses compares the misses of hard answers with a naive search in the observed graph: none
// if and only if it finds the answer there, with negated atoms on the full graph. Shapes without
// negation have the same meaning in both.
func checkMisses(t *testing.T, s *exact.Solver, observed, full *graph.Graph, disjuncts []scq.Disjunct, b scq.Bindings, q shared.Query, number int) {
	t.Helper()
	for _, p := range disjuncts {
		if slices.ContainsFunc(p.Atoms, func(a scq.Atom) bool { return a.Negated }) {
			return
		}
	}
	if number > 15 {
		return
	}
	misses, err := s.Misses(observed, full, disjuncts, b, q.Hard)
	if err != nil {
		t.Fatalf("%s %v: %v", q.Type, q.Slots, err)
	}
	for i, e := range q.Hard {
		known := slices.ContainsFunc(disjuncts, func(p scq.Disjunct) bool { return follows(observed, p.Atoms, b, map[int]int32{0: e}) })
		if misses[i] < 0 || known != (misses[i] == 0) {
			t.Fatalf("%s %v: answer %d misses %d, known %v", q.Type, q.Slots, e, misses[i], known)
		}
	}
}

// follows reports whether positive atoms hold under some values of the variables that have none
// yet: it tries those that the first atom with a known end leads to.
func follows(g *graph.Graph, atoms []scq.Atom, b scq.Bindings, values map[int]int32) bool {
	known := func(t scq.Term) (int32, bool) {
		if t.Constant {
			return int32(b.Constants[t.Index]), true
		}
		e, ok := values[t.Index]
		return e, ok
	}
	for i, a := range atoms {
		rest := slices.Delete(slices.Clone(atoms), i, i+1)
		r, to := b.Relations[a.Relation], a.Tail
		from, bound := known(a.Head)
		if !bound {
			r, to = r.Inverse(), a.Head
			from, bound = known(a.Tail)
		}
		if !bound {
			continue
		}
		tails := g.Tails(graph.EntityID(from), r)
		if e, ok := known(to); ok {
			return slices.Contains(tails, e) && follows(g, rest, b, values)
		}
		for _, e := range tails {
			values[to.Index] = e
			if follows(g, rest, b, values) {
				return true
			}
		}
		delete(values, to.Index)
		return false
	}
	return len(atoms) == 0
}

// BenchmarkAnswers answers the queries of FB15k-237, a shape at a time.
func BenchmarkAnswers(b *testing.B) {
	dir := shared.Dir(b, "data", "fb15k-237")
	_, _, full := readGraphs(b, dir)
	groups := map[string][]shared.Query{}
	for _, q := range shared.Queries(b, filepath.Join(dir, "queries-dev.jsonl")) {
		groups[q.Type] = append(groups[q.Type], q)
	}
	for _, name := range []string{"1p", "3p", "pin", "pni", "2il", "up", "3c", "3cm"} {
		b.Run(name, func(b *testing.B) {
			shape := shapeOf(b, name)
			disjuncts := shape.Disjuncts
			var s exact.Solver
			for i := 0; b.Loop(); i++ {
				q := groups[name][i%len(groups[name])]
				if _, err := s.Answers(full, disjuncts, bind(shape, q.Slots)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
