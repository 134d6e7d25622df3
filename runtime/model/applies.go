package model

import (
	"slices"

	"github.com/efoc/efoc/runtime/model/graph"
)

const (
	// leastKin is the number of heads below which a relation says nothing about its heads.
	leastKin = 20
	// usualRelations bounds the number of relations of most entities.
	usualRelations = 64
	// mostShare bounds the share of heads with a fact, missing facts included.
	mostShare = 0.9999
)

// Applies returns the probability that some fact r(h, y) is true of an entity y that the graph has, for an entity h without
// any such fact in the graph, if the graph lacks the given share of all facts. It depends on the kind of entity: for each
// relation of h, some share of its heads are also heads of r; the median of these shares, c, is the estimate for entities
// like h.
//
// A head of r has lost all such facts with probability q, which is the given share times the share of heads with one fact
// whose tail has others. So a = c/(1−q) of the entities like h have a true fact, a·q of them have lost it, and 1−a have
// none.
func (m *Model) Applies(h graph.EntityID, r graph.RelationID, share float64) float64 {
	if int(r/2) >= len(m.Manifest.Regularities) {
		return 1
	}
	end := m.Manifest.Regularities[r/2].Ends[r&1]
	lost := share * min(1, float64(end.Lone)/max(1, float64(end.Heads)))
	all := min(mostShare, m.kinShare(h, r)/(1-lost))
	return all * lost / (all*lost + 1 - all)
}

// kinShare returns the median, over the relations of h, of the share of their heads that are heads of r. For an
// entity without facts it takes all entities.
func (m *Model) kinShare(h graph.EntityID, r graph.RelationID) float64 {
	relations := m.Graph.AppendRelations(make([]graph.RelationID, 0, usualRelations), h)
	shares := make([]float64, 0, usualRelations)
	for _, s := range relations {
		if m.Manifest.Regularities[s/2].Ends[s&1].Heads >= leastKin {
			shares = append(shares, m.sharedHeads(s, r))
		}
	}
	if len(shares) == 0 {
		return float64(m.Manifest.Regularities[r/2].Ends[r&1].Heads) / float64(m.NumEntities())
	}
	slices.Sort(shares)
	return shares[len(shares)/2]
}

// mostKin bounds the pairs of relations to keep.
const mostKin = 1 << 18

// sharedHeads returns the share of the heads of s that are heads of r.
func (m *Model) sharedHeads(s, r graph.RelationID) float64 {
	key := kinKey{[2]graph.RelationID{s, r}, [2]uint64{m.Graph.Stamp(s), m.Graph.Stamp(r)}}
	m.kin.lock.Lock()
	defer m.kin.lock.Unlock()
	share, seen := m.kin.shared[key]
	if !seen {
		share = sharedHeads(m.Graph, s, r)
		if m.kin.shared == nil || len(m.kin.shared) == mostKin {
			m.kin.shared = map[kinKey]float64{}
		}
		m.kin.shared[key] = share
	}
	return share
}

// sharedHeads returns the share of the heads of s that are heads of r.
func sharedHeads(g *graph.Graph, s, r graph.RelationID) float64 {
	heads, _ := g.Edges(s)
	others, _ := g.Edges(r)
	all := 0
	both := 0
	for i, h := range heads {
		if i > 0 && h == heads[i-1] {
			continue
		}
		all++
		for len(others) > 0 && others[0] < h {
			others = others[1:]
		}
		if len(others) > 0 && others[0] == h {
			both++
		}
	}
	return float64(both) / float64(max(1, all))
}
