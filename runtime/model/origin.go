package model

import (
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/values"
)

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
