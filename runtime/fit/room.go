package fit

import (
	"unsafe"

	"github.com/efoc/efoc/runtime/internal/rank"
)

// room is the memory that a machine runs in. Rows sets it aside between runs.
type room struct {
	arena
	top      []rank.Ranked
	maximum  maximum
	branches []branch
	ones     []float32
	led      []int32 // the tails of a head
	places   []int32 // of candidates, from 1, by entity; 0 between two uses
	charged  int64   // memory that Rows counts
}

// bytes is the memory of a room.
func (r *room) bytes() int64 {
	numbers := cap(r.maximum.sum) + cap(r.maximum.term) + cap(r.maximum.touched) + cap(r.ones) + cap(r.led) + cap(r.places)
	return r.arena.bytes() + numberBytes*int64(numbers) +
		int64(cap(r.top))*int64(unsafe.Sizeof(rank.Ranked{})) + int64(cap(r.branches))*int64(unsafe.Sizeof(branch{}))
}

// asideShare is the share of the budget of runs that may be set aside for later ones,
// and asideBytes is how much may be where there is no bound.
const (
	asideShare = 4
	asideBytes = 256 << 20
)

// reused takes the last element from a list of objects set aside, nil if it is empty.
func reused[T any](c *Rows, list *[]*T, charged func(x *T) int64) *T {
	c.mu.Lock()
	defer c.mu.Unlock()
	last := len(*list) - 1
	if last < 0 {
		return nil
	}
	x := (*list)[last]
	(*list)[last], *list = nil, (*list)[:last]
	c.aside -= charged(x)
	return x
}

// takeRoom returns room for a run.
func (c *Rows) takeRoom() *room {
	if r := reused(c, &c.rooms, func(r *room) int64 { return r.charged }); r != nil {
		return r
	}
	return &room{}
}

// giveRoom sets a room aside, or drops it.
func (c *Rows) giveRoom(r *room) {
	r.reset()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.setAside(r.charged) {
		c.rooms = append(c.rooms, r)
	}
}

// takeMaker returns a maker of rows that lists none yet.
func (c *Rows) takeMaker(s scale) *maker {
	k := reused(c, &c.makers, func(k *maker) int64 { return k.charged })
	if k == nil {
		k = newMaker(c.model)
	}
	k.scale = s
	k.missing = k.missing[:0]
	clear(k.places)
	return k
}

// giveMaker sets a maker aside, or drops it, as it must one that failed half way.
func (c *Rows) giveMaker(k *maker, whole bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case !whole:
		c.runs.Add(-k.charged)
	case c.setAside(k.charged):
		c.makers = append(c.makers, k)
	}
}

// setAside counts memory as set aside, or, if there is too much of that, no longer
// counts it at all.
func (c *Rows) setAside(bytes int64) bool {
	most := int64(asideBytes)
	if budget := c.runBudget.Load(); budget > 0 {
		most = budget / asideShare
	}
	if c.aside+bytes > most {
		c.runs.Add(-bytes)
		return false
	}
	c.aside += bytes
	return true
}

// dropAside drops everything set aside.
func (c *Rows) dropAside() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.runs.Add(-c.aside)
	c.makers = nil
	c.rooms = nil
	c.aside = 0
}
