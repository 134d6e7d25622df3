package model

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"os"

	"github.com/efoc/efoc/runtime/internal/journal"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/values"
)

// Journal describes the journal found when the bundle was opened.
func (m *Model) Journal() Journal { return m.journal }

// Identity identifies the bundle that the model was opened from, and is empty for other models. Derived models share
// it.
func (m *Model) Identity() string { return m.identity }

// Stored returns the model with the identity of a newly written bundle, otherwise unchanged.
func (m *Model) Stored(identity string) *Model {
	next := *m
	next.identity = identity
	return &next
}

// attempts bounds the retries of opening a bundle that others keep replacing.
const attempts = 100

// openWithJournal opens a bundle by open, with the facts of the journal beside it. If another bundle replaces it
// between reading the two files, openWithJournal opens the new one: otherwise the old bundle would be read with the empty
// journal of the newly compacted one, and would lack its facts.
func openWithJournal(path string, open func() (*Model, os.FileInfo, error)) (*Model, error) {
	for attempt := 1; ; attempt++ {
		m, file, err := open()
		if err != nil {
			return nil, err
		}
		c, err := journal.Read(journal.Path(path), m.identity)
		if err == nil && c.Ours {
			m.journal = Journal{Batches: len(c.Batches), Torn: c.Torn}
			var next *Model
			next, err = m.Replay(c.Batches)
			if err == nil {
				return next, nil
			}
			err = fmt.Errorf("%s: %w", journal.Path(path), err)
		}
		now, statErr := os.Stat(path)
		replaced := statErr == nil && !(os.SameFile(file, now) && file.ModTime().Equal(now.ModTime()))
		switch {
		case replaced && attempt < attempts:
			m.Close()
		case err != nil:
			m.Close()
			return nil, err
		default: // no journal, or one without facts
			return m, nil
		}
	}
}

// Replay returns the model with the batches applied in order. Replaying a batch again changes nothing.
func (m *Model) Replay(batches []journal.Batch) (*Model, error) {
	m, err := m.enter(batches)
	if err != nil {
		return nil, err
	}
	h := m.history()
	for i, b := range batches {
		c, err := m.restated(&b)
		if err != nil {
			return nil, fmt.Errorf("change %d: %w", i+1, err)
		}
		h.follow(c)
	}
	next, _, err := m.With(h.change())
	if err == nil {
		h.note()
	}
	return next, err
}

// restated converts a batch to a change.
func (m *Model) restated(b *journal.Batch) (Change, error) {
	c := Change{Origin: Origin{b.Time, b.By}}
	var errs [5]error
	c.Add, errs[0] = list(b.Add, m.Fact)
	c.Remove, errs[1] = list(b.Remove, m.Fact)
	c.Untrue, errs[2] = list(b.Untrue, m.Fact)
	c.AddValues, errs[3] = list(b.AddValues, m.value)
	c.RemoveValues, errs[4] = list(b.RemoveValues, m.value)
	return c, cmp.Or(errs[:]...)
}

// list looks up a list of facts or values.
func list[Stated, Found any](stated []Stated, find func(Stated) (Found, error)) ([]Found, error) {
	found := make([]Found, len(stated))
	for i, x := range stated {
		var err error
		found[i], err = find(x)
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// value is the inverse of StatedValue.
func (m *Model) value(v journal.Value) (values.Fact, error) {
	e, err := m.Entity(v.Entity)
	return values.Fact{EntityValue: values.EntityValue{Entity: e.ID(), Number: v.Number}, Attribute: v.Attribute, Kind: values.Kind(v.Kind)}, err
}

// enter returns the model with the new entities of batches that it lacks.
func (m *Model) enter(batches []journal.Batch) (*Model, error) {
	var names []string
	var rows []float32
	for i, b := range batches {
		for _, e := range b.Entities {
			if _, err := m.Entities.FindName(e.Name); err == nil {
				continue
			}
			if len(e.Row) != 4*2*m.Predictor.Rank {
				return nil, fmt.Errorf("change %d: entity %q has a row of %d bytes, want %d", i+1, e.Name, len(e.Row), 4*2*m.Predictor.Rank)
			}
			for at := 0; at < len(e.Row); at += 4 {
				rows = append(rows, math.Float32frombits(binary.LittleEndian.Uint32(e.Row[at:])))
			}
			names = append(names, e.Name)
		}
	}
	if len(names) == 0 {
		return m, nil
	}
	return m.Grown(names, rows)
}

// Fact returns the fact with these names of head, relation and tail; a relation that ends in ^-1 is read from its
// other end.
func (m *Model) Fact(f journal.Fact) (graph.Triple, error) {
	r, noRelation := m.Relation(f[1])
	head, noHead := m.Entity(f[0])
	tail, noTail := m.Entity(f[2])
	return graph.TripleOf(head.ID(), r.ID(), tail.ID()), cmp.Or(noRelation, noHead, noTail)
}

// StatedValue converts a value to the journal's form.
func (m *Model) StatedValue(v values.Fact) journal.Value {
	return journal.Value{Entity: m.Entities.Name(int32(v.Entity)), Attribute: v.Attribute, Kind: string(v.Kind), Number: v.Number}
}

// NamesOf returns the names by which Fact finds a fact.
func (m *Model) NamesOf(t graph.Triple) journal.Fact {
	return journal.Fact{m.Entities.Name(int32(t.Head)), m.Relations.Name(t.Relation), m.Entities.Name(int32(t.Tail))}
}
