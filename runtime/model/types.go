package model

import (
	"errors"
	"fmt"
	"github.com/efoc/efoc/runtime/model/graph"
	"strings"
)

// Type is a condition on entities e: the graph has the fact Relation(e, Entity), such as
// instance_of(e, "City"). Predicted facts do not count.
type Type struct {
	Relation graph.Relation
	Entity   graph.Entity
}

// errNoTypes says that neither a type nor the model names a relation.
var errNoTypes = errors.New("the model names no relation of types")

// Type returns the type that an entity names, by the given relation, which may end in ^-1, or by the type relation of
// the model's manifest if relation is empty.
func (m *Model) Type(relation, entity string) (Type, error) {
	r, err := m.TypeRelation()
	if relation != "" {
		r, err = m.Relation(relation)
	}
	if err != nil {
		return Type{}, err
	}
	e, err := m.Entity(entity)
	return Type{r, e}, err
}

// TypeRelation returns the type relation of the model's manifest, or errNoTypes.
func (m *Model) TypeRelation() (graph.Relation, error) {
	if m.Manifest.TypeRelation == "" {
		return graph.Relation{}, errNoTypes
	}
	return m.Relation(m.Manifest.TypeRelation)
}

// ParseType parses a type: RELATION=ENTITY, or ENTITY only if the model's manifest names the
// type relation.
func (m *Model) ParseType(text string) (Type, error) {
	var unknown error
	if m.Manifest.TypeRelation != "" {
		var t Type
		t, unknown = m.Type("", text)
		if unknown == nil {
			return t, nil
		}
	}
	relation, entity, ok := strings.Cut(text, "=")
	switch {
	case ok:
		return m.Type(strings.TrimSpace(relation), strings.TrimSpace(entity))
	case unknown != nil:
		return Type{}, unknown
	}
	return Type{}, fmt.Errorf("want RELATION=ENTITY, such as instance_of=City, not %q: %w", text, errNoTypes)
}
