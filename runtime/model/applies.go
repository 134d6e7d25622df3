package model

import (
	"github.com/efoc/efoc/runtime/model/graph"
	"slices"
	"sync"
)

const (
	// leastKin is the number of heads that make a relation tell something of its heads.
	leastKin = 20
	// usualRelations is how many relations most entities have facts of at most.
	usualRelations = 64
	// mostShare bounds the share of heads that have a fact, missing ones included.
	mostShare = 0.9999
)

// Applies returns the chance that some fact r(h, y) is true, of an entity h for which the graph has none, if the graph
// lacks the given share of all facts. That depends on the kind of entity: some of the heads of each relation of h are
// heads of r, too, and the median of these shares, c, stands for entities like h.
//
// A head of r has lost its facts with a chance q, which is the given share times the share of heads with one fact. So
// a = c/(1−q) of the entities like h have a true fact, a·q of them have lost it, and 1−a have none.
func (m *Model) Applies(h graph.EntityID, r graph.RelationID, share float64) float64 {
	if int(r/2) >= len(m.Manifest.Regularities) {
		return 1
	}
	end := m.Manifest.Regularities[r/2].Ends[r&1]
	lost := share * float64(end.Heads-end.Several) / max(1, float64(end.Heads))
	all := min(mostShare, m.kinShare(h, r)/(1-lost))
	return all * lost / (all*lost + 1 - all)
}

// kinShare returns the median, over the relations of h, of the share of their heads that are heads of r. An entity
// without facts is like any entity.
func (m *Model) kinShare(h graph.EntityID, r graph.RelationID) float64 {
	shares := make([]float64, 0, usualRelations)
	for s := range graph.RelationID(m.Graph.NumRelations()) {
		if len(m.Graph.Tails(h, s)) > 0 && m.Manifest.Regularities[s/2].Ends[s&1].Heads >= leastKin {
			shares = append(shares, m.sharedHeads(s, r))
		}
	}
	if len(shares) == 0 {
		return float64(m.Manifest.Regularities[r/2].Ends[r&1].Heads) / float64(m.NumEntities())
	}
	slices.Sort(shares)
	return shares[len(shares)/2]
}

// kin counts the heads that two relations of a graph share, each pair when it is first asked for.
type kin struct {
	lock   sync.Mutex
	graph  *graph.Graph
	shared map[[2]graph.RelationID]float64
}

// sharedHeads returns the share of the heads of s that are heads of r.
func (m *Model) sharedHeads(s, r graph.RelationID) float64 {
	m.kin.lock.Lock()
	defer m.kin.lock.Unlock()
	if m.kin.graph != m.Graph {
		m.kin.graph = m.Graph
		m.kin.shared = map[[2]graph.RelationID]float64{}
	}
	share, seen := m.kin.shared[[2]graph.RelationID{s, r}]
	if !seen {
		share = sharedHeads(m.Graph, s, r)
		m.kin.shared[[2]graph.RelationID{s, r}] = share
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
