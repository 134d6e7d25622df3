package importer

import (
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/values"
)

// statedValues are the values in a graph's files, by attribute.
type statedValues struct {
	by   map[string]*statedAttribute
	read int // in the current file
}

type statedAttribute struct {
	kind   values.Kind
	values []statedValue
}

type statedValue struct {
	entity string
	number float64
}

// add adds a value, unless the attribute has values of another kind or there are too many attributes.
func (s *statedValues) add(entity, attribute string, kind values.Kind, number float64) bool {
	a := s.by[attribute]
	if a == nil {
		if len(s.by) == values.MaxAttributes {
			return false
		}
		a = &statedAttribute{kind: kind}
		s.by[attribute] = a
	}
	if a.kind != kind {
		return false
	}
	a.values = append(a.values, statedValue{entity, number})
	s.read++
	return true
}

// resolved returns the values of the entities of a graph, and the number of other values.
func (s *statedValues) resolved(entities *idTable) (list []values.AttributeValues, others int) {
	for name, a := range s.by {
		found := values.AttributeValues{Name: name, Kind: a.kind}
		for _, v := range a.values {
			if id, ok := entities.ids[v.entity]; ok {
				found.Values = append(found.Values, values.EntityValue{Entity: graph.EntityID(id), Number: v.number})
			}
		}
		others += len(a.values) - len(found.Values)
		if len(found.Values) > 0 {
			list = append(list, found)
		}
	}
	return list, others
}
