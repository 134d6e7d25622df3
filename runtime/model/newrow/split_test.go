package newrow

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/efoc/efoc/kernels"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/importer"
	"github.com/efoc/efoc/testdata/require"
	"github.com/efoc/efoc/testdata/shared"
)

// split is a graph with some entities held out. They have the last ids.
type split struct {
	n, known, relations int
	// without are the facts without entities held out, given and asked the two halves of
	// those with one of them; of facts between two of them there are none.
	without, given, asked []graph.Triple
	// all has every fact there is, for filtering.
	all *graph.Graph
}

// fb15k reads FB15k-237 and holds out a share of its entities.
func fb15k(t *testing.T, share float64) *split {
	t.Helper()
	d, err := importer.ReadDataset(t.Context(), importer.Options{Graph: shared.Dir(t, "data", "fb15k-237")}, importer.SplitFiles{})
	require.NoError(t, err)
	facts, rest := d.Train, slices.Concat(d.Valid, d.Test)
	s := &split{n: d.Entities.Len(), relations: d.Relations.Len()}
	rng := rand.New(rand.NewPCG(3, 5))
	held := rng.Perm(s.n)[:int(share*float64(s.n))]
	place := make([]int, s.n)
	for _, e := range held {
		place[e] = -1
	}
	for e := range place {
		if place[e] == 0 {
			place[e], s.known = s.known, s.known+1
		}
	}
	for i, e := range held {
		place[e] = s.known + i
	}
	move := func(list []graph.Triple) {
		for i, x := range list {
			list[i].Head, list[i].Tail = graph.EntityID(place[x.Head]), graph.EntityID(place[x.Tail])
		}
	}
	move(facts)
	move(rest)
	s.all, err = graph.New(s.n, s.relations, slices.Concat(facts, rest))
	require.NoError(t, err)
	rng.Shuffle(len(facts), func(i, j int) { facts[i], facts[j] = facts[j], facts[i] })
	turn := make([]int, s.n)
	for _, x := range facts {
		head, tail := int(x.Head) >= s.known, int(x.Tail) >= s.known
		switch e := max(x.Head, x.Tail); {
		case head && tail:
		case !head && !tail:
			s.without = append(s.without, x)
		default:
			if turn[e]++; turn[e]%2 == 1 {
				s.given = append(s.given, x)
			} else {
				s.asked = append(s.asked, x)
			}
		}
	}
	return s
}

// mrr returns the filtered mean reciprocal rank of facts, from either end, by a table of n rows.
func (s *split) mrr(facts []graph.Triple, p *model.Predictor) (of [2]float64) {
	scores := make([]float32, s.n)
	query := make([]float32, 2*p.Rank)
	count := [2]float64{}
	for _, x := range facts {
		for back, from := range []graph.EntityID{x.Head, x.Tail} {
			to, r := x.Tail, graph.RelationID(2*x.Relation)
			if back == 1 {
				to, r = x.Head, r+1
			}
			kernels.Project(query, p.EntityTable.Row(from, nil), p.Relation(r), false, false)
			p.EntityTable.DotRows(scores, 0, s.n, query)
			target := scores[to]
			for _, e := range s.all.Tails(from, r) {
				if graph.EntityID(e) != to {
					scores[e] = float32(-1e30)
				}
			}
			rank := 0.5
			for _, v := range scores {
				if v > target {
					rank++
				} else if v == target {
					rank += 0.5
				}
			}
			// 0: the new entity is asked from, 1: it is asked for.
			kind := 0
			if int(to) >= s.known {
				kind = 1
			}
			of[kind] += 1 / rank
			count[kind]++
		}
	}
	return [2]float64{of[0] / count[0], of[1] / count[1]}
}
