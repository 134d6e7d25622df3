package model

import (
	"sync"
	"time"
)

// Origin says when a fact was added, and by whom if that was stated.
type Origin struct {
	Time time.Time `json:"time"`
	By   string    `json:"by,omitempty"`
}

// String writes it as 2026-11-28 by ann.
func (o *Origin) String() string {
	text := o.Time.Format(time.DateOnly)
	if o.By != "" {
		text += " by " + o.By
	}
	return text
}

// origins keeps the origins of facts that a journal has. The models that With makes share it.
type origins struct {
	mu sync.RWMutex
	of map[Triple]Origin
}

// note keeps the origin of facts, unless it is not known.
func (x *origins) note(facts []Triple, o Origin) {
	if o.Time.IsZero() || len(facts) == 0 {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.of == nil {
		x.of = map[Triple]Origin{}
	}
	for _, t := range facts {
		x.of[t] = o
	}
}

// Origin returns who added a fact and when. It returns nil if the journal does not say, as for facts
// that the bundle holds.
func (m *Model) Origin(t Triple) *Origin {
	m.origins.mu.RLock()
	defer m.origins.mu.RUnlock()
	if o, ok := m.origins.of[t]; ok {
		return &o
	}
	return nil
}

// TripleOf returns the fact r(h, t) as the graph stores it; r may be an inverse.
func TripleOf(h EntityID, r RelationID, t EntityID) Triple {
	if r.IsInverse() {
		h, t = t, h
	}
	return Triple{Head: h, Relation: int32(r / 2), Tail: t}
}
