package importer

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/importer/turtle"
	"github.com/efoc/efoc/runtime/model/values"
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

// statedValues are the values that the files of a graph state, by attribute.
type statedValues struct {
	by   map[string]*statedAttribute
	read int // in the file at hand
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

// takeLiteral takes the literal of a statement as a value, and reports whether it is one.
func (r *tripleReader) takeLiteral(names [3]string, o turtle.Term) (bool, error) {
	kind := values.KindOfType(o.Datatype)
	if kind == "" {
		return false, nil
	}
	number, _, err := kind.Parse(strings.TrimSpace(o.Text))
	switch {
	case errors.Is(err, values.ErrInexact):
		return false, err
	case err != nil:
		return false, nil
	case r.fields != nil:
		return true, r.fields([3][]byte{[]byte(names[0]), []byte(names[1]), []byte(names[2])})
	}
	return r.values.add(names[0], names[1], kind, number), nil
}

// takeTyped takes the tail of a fact as a value if it is a typed literal, and reports whether it is one.
func (r *tripleReader) takeTyped(fields [3][]byte) (bool, error) {
	if r.rdf == nil || r.rdf.literal != LiteralValues || !bytes.HasPrefix(fields[2], []byte{'"'}) {
		return false, nil
	}
	kind, text, ok := values.ParseLiteral(string(fields[2]))
	if !ok {
		return false, nil
	}
	return true, r.takeValue(fields[0], string(fields[1]), kind, text)
}

// takeCell takes the value in a cell of a table; an empty cell is none.
func (r *tripleReader) takeCell(entity []byte, e *Edge, cell []byte) error {
	cell = bytes.TrimSpace(cell)
	if len(cell) == 0 || len(bytes.TrimSpace(entity)) == 0 {
		return nil
	}
	if err := r.takeValue(entity, e.Relation, e.Value, string(cell)); err != nil {
		return fmt.Errorf("column %s: %w", e.Tail, err)
	}
	return nil
}

// takeValue takes a value as text.
func (r *tripleReader) takeValue(entity []byte, attribute string, kind values.Kind, text string) error {
	number, _, err := kind.Parse(text)
	switch {
	case err != nil:
		return err
	case r.fields != nil:
		return r.fields([3][]byte{entity, []byte(attribute), []byte(kind.Literal(text))})
	case r.values != nil && !r.values.add(string(entity), attribute, kind, number):
		return fmt.Errorf("attribute %s is a number in one place and a date in another, or one of more than %d attributes", attribute, values.MaxAttributes)
	}
	return nil
}

// resolved returns the values of the entities of a graph, and how many other values there are.
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

// values returns the values of the graph's entities, which it drops.
func (im *importer) values(g *graphData) []values.AttributeValues {
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
