package fit

import (
	"slices"

	"github.com/efoc/efoc/runtime"
)

// leafKey names the constraint that ∃x r(x,v) puts on v.
type leafKey struct {
	r   runtime.RelationID
	phi float32
}

// leaf returns the degrees to which entities have some head of r, which no constant
// tells anything of: 1 where one is observed and φ elsewhere.
func (c *Rows) leaf(r runtime.RelationID, phi float32) *fuzzy {
	k := leafKey{r, phi}
	c.mu.Lock()
	defer c.mu.Unlock()
	if x, ok := c.leaves[k]; ok {
		return x
	}
	heads, _ := c.model.Graph.Edges(r.Inverse())
	x := &fuzzy{rest: phi, ids: slices.Compact(slices.Clone(heads))}
	x.deg = make([]float32, len(x.ids))
	for i := range x.deg {
		x.deg[i] = 1
	}
	c.leaves[k] = x
	return x
}

// leafOf is leaf for a head whose degrees are restricted to x.
func (c *Rows) leafOf(x *fuzzy, r runtime.RelationID, phi float32) *fuzzy {
	if x == all {
		return c.leaf(r, phi)
	}
	z := &fuzzy{rest: phi * x.top(c.model.NumEntities())}
	heads, tails := c.model.Graph.Edges(r.Inverse()) // sorted by the tails of r
	for i := 0; i < len(heads); {
		best := z.rest
		j := i
		for ; j < len(heads) && heads[j] == heads[i]; j++ {
			best = max(best, x.at(tails[j]))
		}
		z.add(heads[i], best)
		i = j
	}
	return z
}
