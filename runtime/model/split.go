package model

import (
	"errors"
	"fmt"

	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/names"
)

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
