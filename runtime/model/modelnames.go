package model

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/names"
)

// inverseSuffix marks the inverse of a relation in a name.
const inverseSuffix = "^-1"

// held returns the result of look while the model is held, or ErrClosed.
func held[T any](m *Model, look func() (T, error)) (found T, err error) {
	if err := m.Hold(); err != nil {
		return found, err
	}
	defer m.Release()
	return look()
}

// FindEntity returns the entity with that name, label, prefixed name or #id. The error carries
// no suggestions; see Names.Find.
func (m *Model) FindEntity(name string) (int32, error) {
	return held(m, func() (int32, error) {
		id, err := m.find(m.Entities, name)
		if err != nil && strings.HasPrefix(name, names.IDMark) {
			return m.Entities.ByID(name, m.NumEntities())
		}
		return id, err
	})
}

// FindTail is FindEntity for an entity to which each of some directed relations leads. If several entities share the
// label, it is the only one of them that has such facts in the graph; the error lists those that have, if there are any.
func (m *Model) FindTail(name string, relations []int32) (int32, error) {
	return held(m, func() (int32, error) {
		id, err := m.FindEntity(name)
		ambiguous, ok := errors.AsType[*names.AmbiguousError](err)
		if !ok || len(relations) == 0 || m.Graph == nil {
			return id, err
		}
		fits := func(e int32) bool {
			return !slices.ContainsFunc(relations, func(r int32) bool { return len(m.Graph.Tails(graph.EntityID(e), graph.RelationID(r).Inverse())) == 0 })
		}
		var fitting []int32
		for _, e := range m.Entities.Labelled(ambiguous.Label) {
			if fits(e) {
				fitting = append(fitting, e)
			}
		}
		switch len(fitting) {
		case 0:
			return id, err
		case 1:
			return fitting[0], nil
		}
		return id, m.Entities.Ambiguous(ambiguous.Label, fitting)
	})
}

// FindRelation returns the directed id 2i of the relation i with that name, label or prefixed name, or
// any directed id given as #id. The error carries no suggestions; see Names.Find.
func (m *Model) FindRelation(name string) (int32, error) {
	return held(m, func() (int32, error) {
		i, err := m.find(m.Relations, name)
		if unknown, ok := err.(*names.UnknownError); ok {
			unknown.Literals = m.Manifest.Literals[m.expand(name)]
		}
		if err != nil && strings.HasPrefix(name, names.IDMark) {
			return m.Relations.ByID(name, m.NumRelations())
		}
		return 2 * i, err
	})
}

// find is Names.Find with support for prefixed names.
func (m *Model) find(x *names.Names, name string) (int32, error) {
	id, err := x.Find(name)
	if _, unknown := err.(*names.UnknownError); !unknown {
		return id, err
	}
	if iri := m.expand(name); iri != name {
		if id, err := x.FindName(iri); err == nil {
			return id, nil
		}
	}
	return id, err
}

// expand returns the IRI of a prefixed name, and other names unchanged.
func (m *Model) expand(name string) string {
	prefix, local, colon := strings.Cut(name, ":")
	iri, ok := m.Manifest.Prefixes[prefix]
	if !ok || !colon {
		return name
	}
	return iri + local
}

// Prefixed returns the shortest prefixed name for an IRI, or other names unchanged.
func (m *Model) Prefixed(name string) string {
	var prefix, space string
	for p, iri := range m.Manifest.Prefixes {
		longer := cmp.Or(cmp.Compare(len(iri), len(space)), cmp.Compare(prefix, p)) > 0
		if strings.HasPrefix(name, iri) && len(iri) < len(name) && longer {
			prefix = p
			space = iri
		}
	}
	if space == "" {
		return name
	}
	return prefix + ":" + name[len(space):]
}

// RelationText returns the name of a relation, without direction, as people read and write it: prefixed, unless that
// names another one.
func (m *Model) RelationText(r graph.RelationID) string {
	name := m.Relations.Name(int32(r / 2))
	short := m.Prefixed(name)
	if id, err := m.FindRelation(short); err != nil || graph.RelationID(id) != r&^1 {
		return name
	}
	return short
}

// NearestEntities returns at most max names or labels like name, best first; none
// after Close.
func (m *Model) NearestEntities(name string, max int) []string {
	list, _ := held(m, func() ([]string, error) { return m.Entities.Nearest(name, max), nil })
	return list
}

// NearestRelations returns at most max names or labels like name, best first; none
// after Close.
func (m *Model) NearestRelations(name string, max int) []string {
	list, _ := held(m, func() ([]string, error) { return m.Relations.Nearest(name, max), nil })
	return list
}

// FindType is FindEntity for types of the model's own type relation. Without one, no type is known.
func (m *Model) FindType(name string) (int32, error) {
	if m.Manifest.TypeRelation == "" {
		return 0, fmt.Errorf("unknown type %q: %w", name, errNoTypes)
	}
	id, err := m.FindEntity(name)
	if unknown, ok := errors.AsType[*names.UnknownError](err); ok {
		of := *unknown
		of.Kind = "type"
		return 0, &of
	}
	return id, err
}

// NearestTypes returns at most max names or labels like name, of types by the model's own type relation, best first;
// none after Close.
func (m *Model) NearestTypes(name string, max int) []string {
	list, _ := held(m, func() ([]string, error) {
		r, err := m.TypeRelation()
		if err != nil {
			return nil, err
		}
		isType := func(id int32) bool { return len(m.Graph.Tails(graph.EntityID(id), r.ID().Inverse())) > 0 }
		return m.Entities.NearestOf(name, max, isType), nil
	})
	return list
}

// Entity returns the entity with that name, label or #id. The error for an unknown name suggests similar ones.
func (m *Model) Entity(name string) (graph.Entity, error) {
	return held(m, func() (graph.Entity, error) {
		id, err := m.FindEntity(name)
		if err != nil {
			return graph.Entity{}, m.Entities.Suggest(err)
		}
		return graph.EntityOf(graph.EntityID(id)), nil
	})
}

// Relation returns the relation with that name, label or directed #id, its inverse if the name ends in ^-1. The error
// for an unknown name suggests similar ones.
func (m *Model) Relation(name string) (graph.Relation, error) {
	return held(m, func() (graph.Relation, error) {
		id, err := m.FindRelation(name)
		if err == nil {
			return graph.RelationOf(graph.RelationID(id)), nil
		}
		if base, ok := strings.CutSuffix(name, inverseSuffix); ok {
			id, err = m.FindRelation(base)
			if err == nil {
				return graph.RelationOf(graph.RelationID(id).Inverse()), nil
			}
		}
		return graph.Relation{}, m.Relations.Suggest(err)
	})
}

// EntityName returns the name of e.
func (m *Model) EntityName(e graph.EntityID) string { return m.Entities.Name(int32(e)) }

// EntityLabel returns the label of e, or its name if it has none.
func (m *Model) EntityLabel(e graph.EntityID) string { return m.Entities.Label(int32(e)) }

// RelationName returns the name of r, ending in ^-1 for an inverse.
func (m *Model) RelationName(r graph.RelationID) string {
	var room [64]byte
	name := m.Relations.AppendName(room[:0], int32(r/2))
	if r.IsInverse() {
		name = append(name, inverseSuffix...)
	}
	return string(name)
}
