package fit

import (
	"slices"

	"github.com/efoc/efoc/runtime/internal/rank"
	"github.com/efoc/efoc/runtime/model"
)

// best returns the k of n entities of largest degree above 0, best first, ties in order of id. They
// last until the next call.
func (a *arena) best(x *fuzzy, k int) []rank.Ranked {
	if x.full != nil {
		a.ranked = rank.TopIn(a.ranked, x.full, k)
	} else {
		a.ranked = rank.TopIn(a.ranked, x.deg, k)
		for i := range a.ranked {
			a.ranked[i].Entity = model.EntityID(x.ids[a.ranked[i].Entity])
		}
		if x.rest > 0 {
			a.ranked = x.appendRest(a.ranked, k, a.n)
			slices.SortFunc(a.ranked, rank.Compare)
			a.ranked = a.ranked[:min(k, len(a.ranked))]
		}
	}
	if i := slices.IndexFunc(a.ranked, func(b rank.Ranked) bool { return !(b.Score > 0) }); i >= 0 {
		return a.ranked[:i]
	}
	return a.ranked
}

// appendRest appends the first k of n entities that a sparse set does not list.
func (x *fuzzy) appendRest(list []rank.Ranked, k, n int) []rank.Ranked {
	listed := x.ids
	for e := int32(0); e < int32(n) && k > 0; e++ {
		if len(listed) > 0 && listed[0] == e {
			listed = listed[1:]
			continue
		}
		list = append(list, rank.Ranked{Entity: model.EntityID(e), Score: x.rest})
		k--
	}
	return list
}
