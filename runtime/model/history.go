package model

import (
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/values"
)

// Note records the origin of the facts and values that a change adds to m, and drops it for those that it removes.
func (m *Model) Note(c Change) {
	h := m.history()
	h.follow(c)
	h.note()
}

// history accumulates the effect of successive changes on facts and values.
type history struct {
	model  *Model
	facts  map[graph.Triple]fate
	values map[values.Fact]fate
}

// fate is the final outcome for a fact or a value.
type fate struct {
	what outcome
	// fresh says that it was absent before origin added it.
	fresh  bool
	origin Origin
}

// outcome is the effect of a change on a fact or a value.
type outcome int

const (
	isRemoved outcome = iota
	isUntrue
	isAdded
)

func (m *Model) history() *history {
	return &history{m, map[graph.Triple]fate{}, map[values.Fact]fate{}}
}

// follow records a change.
func (h *history) follow(c Change) {
	c = c.Settled()
	decide(h.facts, c.Remove, fate{what: isRemoved}, h.model.Graph.HasTriple)
	decide(h.facts, c.Untrue, fate{what: isUntrue}, h.model.Graph.HasTriple)
	decide(h.facts, c.Add, fate{isAdded, true, c.Origin}, h.model.Graph.HasTriple)
	decide(h.values, c.RemoveValues, fate{what: isRemoved}, h.model.HasValue)
	decide(h.values, c.AddValues, fate{isAdded, true, c.Origin}, h.model.HasValue)
}

// decide gives all elements of a list a fate. An element that is present, originally or by an earlier change, is not
// added again.
func decide[T comparable](fates map[T]fate, list []T, next fate, there func(T) bool) {
	for _, x := range list {
		was, changed := fates[x]
		switch {
		case next.what != isAdded || changed && was.what != isAdded:
			fates[x] = next
		case !changed && there(x):
			fates[x] = fate{what: isAdded}
		case !changed:
			fates[x] = next
		}
	}
}

// note stores the origins of added facts and values, and drops others.
func (h *history) note() {
	x := &h.model.origins
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.of == nil {
		x.of = map[graph.Triple]Origin{}
		x.values = map[values.Fact]Origin{}
	}
	keep(x.of, h.facts)
	keep(x.values, h.values)
}

func keep[T comparable](origins map[T]Origin, fates map[T]fate) {
	for x, f := range fates {
		switch {
		case f.what == isAdded && !f.fresh:
		case f.what == isAdded && !f.origin.Time.IsZero():
			origins[x] = f.origin
		default:
			delete(origins, x)
		}
	}
}

// change returns the accumulated changes as one.
func (h *history) change() (c Change) {
	for t, f := range h.facts {
		switch f.what {
		case isAdded:
			c.Add = append(c.Add, t)
		case isUntrue:
			c.Untrue = append(c.Untrue, t)
		default:
			c.Remove = append(c.Remove, t)
		}
	}
	for v, f := range h.values {
		if f.what == isAdded {
			c.AddValues = append(c.AddValues, v)
		} else {
			c.RemoveValues = append(c.RemoveValues, v)
		}
	}
	return c
}
