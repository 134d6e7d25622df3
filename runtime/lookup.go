package runtime

import (
	"errors"
	"fmt"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
)

// lookup resolves the names of a query in a model and collects unknown ones, so that all are
// reported at once.
type lookup struct {
	model   *model.Model
	query   string
	aliases map[string]string // by relation, as error text
	errs    []error
}

// alias records that the query names a relation by an alias declared at place (file:line), for the error if the
// relation is unknown.
func (l *lookup) alias(name, relation, place string) {
	if l.aliases == nil {
		l.aliases = map[string]string{}
	}
	l.aliases[relation] = fmt.Sprintf("%s: relation %s", place, name)
}

// entity returns the id of the entity of that name or label.
func (l *lookup) entity(name string) graph.EntityID {
	e, err := l.model.Entity(name)
	l.note(err)
	return e.ID()
}

// relation returns the id of the relation of that name.
func (l *lookup) relation(name string) graph.RelationID {
	id, err := l.model.FindRelation(name)
	if err != nil {
		_, err = l.model.Relation(name) // for its suggestions
		if alias := l.aliases[name]; alias != "" {
			err = fmt.Errorf("%s: %w", alias, err)
		}
		l.note(err)
		return 0
	}
	return graph.RelationID(id)
}

// typeOf returns the type that an entity names, by the given relation, or by the model's type relation if that is
// empty.
func (l *lookup) typeOf(relation string, inverse bool, entity string) model.Type {
	if inverse {
		relation += "^-1"
	}
	t, err := l.model.Type(relation, entity)
	l.note(err)
	return t
}

func (l *lookup) note(err error) {
	if err != nil {
		l.errs = append(l.errs, fmt.Errorf("query %s: %w", l.query, err))
	}
}

// err reports the names that were not found; it is nil if all were.
func (l *lookup) err() error { return errors.Join(l.errs...) }

// Entity returns the entity with that name, label or #id. The error of an unknown name suggests similar ones.
func (m *Model) Entity(name string) (Entity, error) { return m.Bundle().Entity(name) }

// Relation returns the relation with that name, label or directed #id, its inverse if the name ends in ^-1. The
// error of an unknown name suggests similar ones.
func (m *Model) Relation(name string) (Relation, error) { return m.Bundle().Relation(name) }

// Type returns the type that an entity names. relation points from instances to types and may end in ^-1; if it is
// empty, Type uses the model's type relation.
func (m *Model) Type(relation, entity string) (model.Type, error) {
	return m.Bundle().Type(relation, entity)
}

// ParseType parses a type: RELATION=ENTITY, or ENTITY alone if the model has a relation of types.
func (m *Model) ParseType(text string) (model.Type, error) { return m.Bundle().ParseType(text) }

// EntityName returns the name of an entity.
func (m *Model) EntityName(e EntityID) string { return m.Bundle().EntityName(e) }

// EntityLabel returns the label of an entity, or its name if it has none.
func (m *Model) EntityLabel(e EntityID) string { return m.Bundle().EntityLabel(e) }

// RelationName returns the name of a directed relation, which ends in ^-1 for an inverse.
func (m *Model) RelationName(r graph.RelationID) string { return m.Bundle().RelationName(r) }
