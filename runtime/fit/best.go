package fit

import (
	"slices"

	"github.com/efoc/efoc/runtime/internal/rank"
	"github.com/efoc/efoc/runtime/model"
)

// best returns the k of n entities of largest degree above 0, best first, ties in order of id. They
// last until the next call.
func (r *room) best(x *fuzzy, k, n int) []rank.Ranked {
	if x.full != nil {
		r.top = rank.TopIn(r.top, x.full, k)
	} else {
		r.top = rank.TopIn(r.top, x.deg, k)
		for i := range r.top {
			r.top[i].Entity = model.EntityID(x.ids[r.top[i].Entity])
		}
		if x.rest > 0 {
			r.top = x.appendRest(r.top, k, n)
			slices.SortFunc(r.top, rank.Compare)
			r.top = r.top[:min(k, len(r.top))]
		}
	}
	if i := slices.IndexFunc(r.top, func(b rank.Ranked) bool { return !(b.Score > 0) }); i >= 0 {
		return r.top[:i]
	}
	return r.top
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
