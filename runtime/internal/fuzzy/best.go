package fuzzy

import (
	"slices"

	"github.com/efoc/efoc/runtime/internal/top"
	"github.com/efoc/efoc/runtime/model/graph"
)

// Best returns the k of n entities of largest degree above 0, best first, ties in order of id, valid until the next
// call.
func (a *Arena) Best(x *Set, k int) []top.Ranked {
	if x.Full != nil {
		a.ranked = top.Into(a.ranked, x.Full, k)
	} else {
		a.ranked = top.Into(a.ranked, x.Deg, k)
		for i := range a.ranked {
			a.ranked[i].Entity = graph.EntityID(x.IDs[a.ranked[i].Entity])
		}
		if x.Rest > 0 {
			a.ranked = x.appendRest(a.ranked, k, a.N)
			slices.SortFunc(a.ranked, top.Compare)
			a.ranked = a.ranked[:min(k, len(a.ranked))]
		}
	}
	if i := slices.IndexFunc(a.ranked, func(b top.Ranked) bool { return !(b.Score > 0) }); i >= 0 {
		return a.ranked[:i]
	}
	return a.ranked
}

// appendRest appends the first k of n entities that a sparse set does not list.
func (x *Set) appendRest(list []top.Ranked, k, n int) []top.Ranked {
	listed := x.IDs
	for e := int32(0); e < int32(n) && k > 0; e++ {
		if len(listed) > 0 && listed[0] == e {
			listed = listed[1:]
			continue
		}
		list = append(list, top.Ranked{Entity: graph.EntityID(e), Score: x.Rest})
		k--
	}
	return list
}
