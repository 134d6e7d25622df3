package model

import (
	"sync"
	"time"

	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/values"
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

// origins keeps the origins of facts and values that a journal has and the model still has. The models that With
// makes share it.
type origins struct {
	mu     sync.RWMutex
	of     map[graph.Triple]Origin
	values map[values.Fact]Origin
}

// Origin returns who added a fact and when. It returns nil if the journal does not say, as for facts
// that the bundle holds.
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
