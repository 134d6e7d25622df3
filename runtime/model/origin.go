package model

import (
	"sync"
	"time"

	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/values"
)

// Origin is the time at which a fact was added, and its author if stated.
type Origin struct {
	Time time.Time `json:"time"`
	By   string    `json:"by,omitempty"`
}

// String formats an origin, as 2026-11-28 by ann.
func (o *Origin) String() string {
	text := o.Time.Format(time.DateOnly)
	if o.By != "" {
		text += " by " + o.By
	}
	return text
}

// origins keeps the origins from a journal for facts and values in the model. Models that With derives share it.
type origins struct {
	mu     sync.RWMutex
	of     map[graph.Triple]Origin
	values map[values.Fact]Origin
}

// Origin returns who added a fact and when. It returns nil if the journal does not say, as for facts in the bundle.
func (m *Model) Origin(t graph.Triple) *Origin {
	m.origins.mu.RLock()
	defer m.origins.mu.RUnlock()
	return originOf(m.origins.of, t)
}

// ValueOrigin is Origin for a value.
func (m *Model) ValueOrigin(v values.Fact) *Origin {
	m.origins.mu.RLock()
	defer m.origins.mu.RUnlock()
	return originOf(m.origins.values, v)
}

func originOf[T comparable](of map[T]Origin, x T) *Origin {
	if o, ok := of[x]; ok {
		return &o
	}
	return nil
}
