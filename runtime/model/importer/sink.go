package importer

import (
	"fmt"

	"github.com/efoc/efoc/runtime/model/values"
)

// sink receives the statements in a graph's files, each with its line.
type sink interface {
	// link receives a fact by the names, or ids, of its head, relation and tail.
	link(at int, fields [3][]byte) error
	// value receives a number or date of an entity for an attribute; the last field is its literal. It returns false
	// if the attribute has another kind.
	value(at int, fields [3][]byte, kind values.Kind, number float64) (bool, error)
	// knows reports whether a table of names has the head, the relation or the tail.
	knows(fields [][]byte) bool
}

// eachFact is a sink that calls a function with every fact; it treats a value as a fact about a literal.
type eachFact func(at int, fields [3][]byte) error

func (f eachFact) link(at int, fields [3][]byte) error { return f(at, fields) }

func (f eachFact) value(at int, fields [3][]byte, _ values.Kind, _ float64) (bool, error) {
	return true, f(at, fields)
}

func (eachFact) knows([][]byte) bool { return false }

// takeValue parses a value and passes it to a sink.
func takeValue(to sink, at int, fields [3][]byte, kind values.Kind, text string) error {
	number, _, err := kind.Parse(text)
	if err != nil {
		return err
	}
	taken, err := to.value(at, fields, kind, number)
	if err == nil && !taken {
		err = fmt.Errorf("attribute %s is a number in one place and a date in another, or one of more than %d attributes", fields[1], values.MaxAttributes)
	}
	return err
}
