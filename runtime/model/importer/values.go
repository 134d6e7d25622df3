package importer

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/importer/turtle"
)

// Literals says what becomes of statements about the literals of RDF.
type Literals string

// The ways to treat literals.
const (
	// SkipLiterals leaves out, and counts, statements about literals. It is the default.
	SkipLiterals Literals = "skip"
	// KeepLiterals makes literals entities.
	KeepLiterals Literals = "keep"
	// LiteralValues makes numbers and dates values of entities, and skips other literals.
	LiteralValues Literals = "values"
)

// Check reports a value that is none of the constants.
func (l Literals) Check() error {
	if !slices.Contains([]Literals{SkipLiterals, KeepLiterals, LiteralValues}, l) {
		return fmt.Errorf("literals is %q, want skip, keep or values", string(l))
	}
	return nil
}

// maxAttributes bounds the attributes of a graph.
const maxAttributes = 1000

// statedValues are the values that the files of a graph state, by attribute.
type statedValues struct {
	by   map[string]*statedAttribute
	read int // in the file at hand
}

type statedAttribute struct {
	kind   model.ValueKind
	values []statedValue
}

type statedValue struct {
	entity string
	number float64
}

// add adds a value, unless the attribute has values of another kind or there are too many attributes.
func (s *statedValues) add(entity, attribute string, kind model.ValueKind, number float64) bool {
	a := s.by[attribute]
	if a == nil {
		if len(s.by) == maxAttributes {
			return false
		}
		if s.by == nil {
			s.by = map[string]*statedAttribute{}
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

// xsdKinds are the kinds of values by the local name of their type in XML Schema.
var xsdKinds = map[string]model.ValueKind{
	"integer": model.NumberKind, "decimal": model.NumberKind, "double": model.NumberKind, "float": model.NumberKind,
	"int": model.NumberKind, "long": model.NumberKind, "short": model.NumberKind, "byte": model.NumberKind,
	"nonNegativeInteger": model.NumberKind, "positiveInteger": model.NumberKind, "nonPositiveInteger": model.NumberKind,
	"negativeInteger": model.NumberKind, "unsignedLong": model.NumberKind, "unsignedInt": model.NumberKind,
	"unsignedShort": model.NumberKind, "unsignedByte": model.NumberKind,
	"date": model.DateKind, "dateTime": model.DateKind, "dateTimeStamp": model.DateKind, "gYear": model.DateKind, "gYearMonth": model.DateKind,
}

// takeLiteral takes the literal of a statement as a value, and reports whether it is one.
func (s *statedValues) takeLiteral(entity, attribute string, o turtle.Term) bool {
	local, isXSD := strings.CutPrefix(o.Datatype, "http://www.w3.org/2001/XMLSchema#")
	kind := xsdKinds[local]
	if !isXSD || kind == "" {
		return false
	}
	number, _, err := kind.Parse(strings.TrimSpace(o.Text))
	return err == nil && s.add(entity, attribute, kind, number)
}

// takeCell takes the value in a cell of a table; an empty cell is none.
func (s *statedValues) takeCell(entity []byte, e *Edge, cell []byte) error {
	cell = bytes.TrimSpace(cell)
	if len(cell) == 0 || len(bytes.TrimSpace(entity)) == 0 {
		return nil
	}
	number, _, err := e.Value.Parse(string(cell))
	if err != nil {
		return fmt.Errorf("column %s: %w", e.Tail, err)
	}
	if !s.add(string(entity), e.Relation, e.Value, number) {
		return fmt.Errorf("attribute %s is a number in one column and a date in another, or one of more than %d attributes", e.Relation, maxAttributes)
	}
	return nil
}

// resolved returns the values of the entities of a graph, and how many other values there are.
func (s *statedValues) resolved(entities *idTable) (list []model.AttributeValues, others int) {
	for name, a := range s.by {
		found := model.AttributeValues{Name: name, Kind: a.kind}
		for _, v := range a.values {
			if id, ok := entities.ids[v.entity]; ok {
				found.Values = append(found.Values, model.EntityValue{Entity: model.EntityID(id), Number: v.number})
			}
		}
		others += len(a.values) - len(found.Values)
		if len(found.Values) > 0 {
			list = append(list, found)
		}
	}
	return list, others
}

// values returns the values of the graph's entities, which it drops.
func (im *importer) values(g *graphData) []model.AttributeValues {
	s := g.reader.values
	if len(s.by) == 0 || g.entities.ids == nil {
		return nil
	}
	list, others := s.resolved(g.entities.ids)
	if others > 0 {
		im.options.Note(fmt.Sprintf("%d values are of entities without facts and were left out", others))
	}
	s.by = nil
	return list
}
