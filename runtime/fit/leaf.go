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
