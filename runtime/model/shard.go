package model

import (
	"errors"
	"fmt"

	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/names"
)

// A model is split into a head and shards, one file each: the head has the names, the facts, the settings and the
// values of all entities, but no row of the entity table. A shard has a range of rows, their norms and values, and,
// of every directed relation, the facts whose tail is in the range, with tails that count from its first entity. As
// inverses are stored, an entity's shard has all its observed links.

// Shard identifies a bundle's part of a split model.
type Shard struct {
	// Split identifies the model and the way it was split: it is the same in all parts.
	Split string `json:"split"`
	// Index is the number of the shard, from 0, −1 for the head; Of is the number of shards.
	Index int `json:"index"`
	Of    int `json:"of"`
	// First is the first entity of the shard, Rows their number: 0 for the head.
	First int `json:"first"`
	Rows  int `json:"rows"`
	// Pushed are the relations along which numbers are pushed, ascending, the same in all parts; along others they
	// are pulled. See Graph.PullBytes.
	Pushed []graph.RelationID `json:"pushed,omitempty"`
}

// maxShards bounds the shards of a model.
const maxShards = 1 << 16

// Head reports whether the bundle is the head.
func (s *Shard) Head() bool { return s.Index < 0 }

// String names the part.
func (s *Shard) String() string {
	if s.Head() {
		return fmt.Sprintf("the head of a model in %d shards", s.Of)
	}
	return fmt.Sprintf("shard %d of %d", s.Index, s.Of)
}

// validate checks shard s of a model with n entities and the given number of directed relations.
func (s *Shard) validate(n, relations int) error {
	if s.Of < 1 || s.Of > min(n, maxShards) || s.Index < -1 || s.Index >= s.Of {
		return fmt.Errorf("shard %d of %d of %d entities", s.Index, s.Of, n)
	}
	first := 0
	rows := 0
	if !s.Head() {
		first, rows = graph.ShardRows(n, s.Of, s.Index)
	}
	if s.First != first || s.Rows != rows {
		return fmt.Errorf("shard %d of %d has the rows %d to %d, want %d to %d", s.Index, s.Of, s.First, s.First+s.Rows, first, first+rows)
	}
	for i, r := range s.Pushed {
		if r < 0 || int(r) >= relations || i > 0 && r <= s.Pushed[i-1] {
			return fmt.Errorf("pushed relation %d at index %d, want them to ascend, below %d", r, i, relations)
		}
	}
	return nil
}

// rows returns the number of rows of the entity table.
func (m *Manifest) rows() int {
	if m.Shard != nil {
		return m.Shard.Rows
	}
	return m.Entities
}

// splits returns the common fields of all parts of a model split into of shards.
func (m *Model) splits(of int) Shard {
	return Shard{Split: identityOf(fmt.Appendf(nil, "%s %016x %016x %d", m.identity, m.Graph.Digest(), m.values.Digest(), of)), Of: of, Pushed: m.Graph.Pushed(of)}
}

// Head returns the head of a model split into of shards.
func (m *Model) Head(of int) (*Model, error) {
	if err := m.canSplit(of); err != nil {
		return nil, err
	}
	m = m.plain()
	return m.part(-1, m.splits(of)), nil
}

// Shards calls use with each of the shards in turn. A shard is a view of m with its own facts, which are dropped
// before the next shard's facts are made.
func (m *Model) Shards(of int, use func(*Model) error) error {
	if err := m.canSplit(of); err != nil {
		return err
	}
	m = m.plain()
	split := m.splits(of)
	for i := range of {
		if err := use(m.part(i, split)); err != nil {
			return err
		}
	}
	return nil
}

// errSplitAgain refuses to split a part.
var errSplitAgain = errors.New("the model is a part of one already: split the whole one")

// canSplit reports why a model cannot be split into of shards.
func (m *Model) canSplit(of int) error {
	if m.Manifest.Shard != nil {
		return errSplitAgain
	}
	if n := m.NumEntities(); of < 1 || of > min(n, maxShards) {
		return fmt.Errorf("%d shards of %d entities, want 1 to %d", of, n, min(n, maxShards))
	}
	return nil
}

// part returns a part as a view of m, the head for −1. A shard has a copy of its facts.
func (m *Model) part(i int, split Shard) *Model {
	p := *m
	n := m.NumEntities()
	of := split.Of
	split.Index = i
	p.Manifest.Shard = &split
	p.kin = &kin{}
	if s := p.Manifest.Shard; !s.Head() {
		s.First, s.Rows = graph.ShardRows(n, of, i)
		p.Graph = m.Graph.OfTails(s.First, s.Rows)
		p.Heldout = nil
		p.Untrue = nil
		p.Entities, p.Relations = names.Numbered("entity", s.Rows), names.Numbered("relation", m.Relations.Len())
		p.Manifest.TypeRelation, p.Manifest.Confidence = "", Confidence{}
		p.Manifest.Attributes, p.values = m.values.OfEntities(m.Manifest.Attributes, s.First, s.Rows)
		p.Manifest.Heldout = 0
		p.Manifest.Untrue = 0
	}
	s := p.Manifest.Shard
	p.Predictor.EntityTable = m.Predictor.EntityTable.Slice(s.First, s.First+s.Rows)
	p.Predictor.EntityNorms = m.Predictor.EntityNorms[s.First : s.First+s.Rows]
	return &p
}
