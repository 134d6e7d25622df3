package model

import (
	"fmt"

	"github.com/efoc/efoc/runtime/model/graph"
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
