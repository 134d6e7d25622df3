package model

import (
	"sync"

	"github.com/efoc/efoc/runtime/internal/mapfile"
	"github.com/efoc/efoc/runtime/internal/pool"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/names"
	"github.com/efoc/efoc/runtime/model/values"
)

// Model is an opened bundle: the observed graph, the link predictor and the names. It is immutable and safe for
// concurrent use; With returns one with changed facts. Close says what remains usable after it.
type Model struct {
	// Manifest describes the bundle and its settings.
	Manifest Manifest
	// Graph is the observed graph, the only one that plans read.
	Graph *graph.Graph
	// Heldout holds known facts hidden from plans, for checking predictions; nil if the bundle has none.
	Heldout *graph.Graph
	// Untrue holds facts that users have marked as not true; nil if there are none. They are neither in Graph nor in
	// Heldout.
	Untrue *graph.Graph
	// Predictor is the link predictor.
	Predictor Predictor
	// Entities and Relations map names to ids. Relations lists the relations of the graph; relation i has the
	// directed ids 2i and 2i+1.
	Entities, Relations *names.Names

	values   values.Values
	kin      *kin
	identity string
	lent     *room // see Lent; nil for other models
	*core
}

// core is the state that a model shares with the models that With derives from it.
type core struct {
	lifetime lifetime
	memory   *mapfile.File // the file behind the parts; nil if they are on Go's heap
	leave    *mapfile.File // the same if the bundle is read once: parts are evicted after use
	pool     *pool.Pool
	journal  Journal
	origins  origins
	rooms    sync.Pool // of *room, idle
}

// NumEntities returns n, the number of entities.
func (m *Model) NumEntities() int { return m.Graph.NumEntities() }

// NumRelations returns 2|R|, the number of directed relations.
func (m *Model) NumRelations() int { return m.Graph.NumRelations() }

// LowBytes returns the low bytes of the codes of the entity table: see Table.LowBytes.
func (m *Model) LowBytes() []int8 { return m.Predictor.EntityTable.LowBytes(m.pool) }
