package model

import (
	"sync"
	"time"

	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/names"
	"github.com/efoc/efoc/runtime/model/table"
	"github.com/efoc/efoc/runtime/model/values"
)

// kin counts the heads that two relations share, each pair when it is first asked for. Models that With derives share
// it.
type kin struct {
	lock   sync.Mutex
	shared map[kinKey]float64
}

// kinKey names two relations, with the stamps of their facts.
type kinKey struct {
	relations [2]graph.RelationID
	stamps    [2]uint64
}

// room is the entity table and the names of a model in memory with free room after them, for the new entities of one
// model at a time.
type room struct {
	of    *Model // which has them elsewhere
	table table.Table
	norms []float32
	names *names.Names
	kept  any // see Kept
}

// lifetime counts the users of a model's memory.
type lifetime struct {
	mu     sync.Mutex
	holds  int
	closed bool
}

// Origin is the time at which a fact was added, and its author if stated.
type Origin struct {
	Time time.Time `json:"time"`
	By   string    `json:"by,omitempty"`
}

// String formats an origin, as 2026-11-28 by ann.
func (o *Origin) String() string {
	text := o.Time.Format(time.DateOnly)
	if o.By != "" {
		text += " by " + o.By
	}
	return text
}

// origins keeps the origins from a journal for facts and values in the model. Models that With derives share it.
type origins struct {
	mu     sync.RWMutex
	of     map[graph.Triple]Origin
	values map[values.Fact]Origin
}

// Journal describes the journal that Open found beside a bundle.
type Journal struct {
	// Batches counts the changes in the model that the bundle lacks.
	Batches int
	// Torn counts the bytes that a crash left after the last complete record. They were never acknowledged and are
	// ignored.
	Torn int64
}
