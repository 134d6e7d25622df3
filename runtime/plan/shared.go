package plan

import (
	"sync"
	"sync/atomic"

	"github.com/efoc/efoc/runtime/fit"
	"github.com/efoc/efoc/runtime/internal/exchange"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/table"
)

// Host is a model in main memory with the state that its workspaces share.
type Host struct {
	*model.Model
	*Shared
}

// Shared is the state that workspaces share on one model, and on models with other facts about the same entities. It
// is safe for concurrent use.
type Shared struct {
	workspaces sync.Map  // idle ones: *sync.Pool by the number of their vectors
	merged     sync.Pool // of *sweep.Sweep, each for several queries
	rows       *fit.Cache
	readouts   Readouts
	part       *exchange.Shard // this process's part of a split model, nil for a whole one
	access     atomic.Pointer[Access]

	inverseNorms func() []float32 // of the rows of the table
}

// NewShared returns the shared state of workspaces on a model. p is this process's part of a split model, otherwise
// nil.
func NewShared(m *model.Model, p *exchange.Shard) *Shared { return newShared(m, p, fit.NewCache(m)) }

func newShared(m *model.Model, p *exchange.Shard, rows *fit.Cache) *Shared {
	s := &Shared{rows: rows, part: p, inverseNorms: sync.OnceValue(func() []float32 { return inverses(m.Predictor.EntityNorms) })}
	s.readouts.model = m
	access := AccessTo(m)
	if p != nil {
		access = sizeOf(m).access(0) // the same on all ranks
	}
	s.access.Store(&access)
	return s
}

// Access returns how plans read the entity table.
func (s *Shared) Access() Access { return *s.access.Load() }

// Use overrides AccessTo's choice of how plans read the entity table. If the access has bounds, Use computes the
// moments that they need.
func (s *Shared) Use(a Access) {
	s.access.Store(&a)
	if a.Bounds {
		s.readouts.build(true)
	}
}

// For returns the shared state for a model derived from this one's: the same unless entities were added. It keeps
// budgets, and the access if Use set it.
func (s *Shared) For(m *model.Model) *Shared {
	if m.NumEntities() == s.readouts.model.NumEntities() {
		return s
	}
	if kept := m.Kept(); kept != nil {
		return s.lent(m, kept)
	}
	grown := newShared(m, s.part, s.rows.For(m, nil))
	if own := s.Access(); own != AccessTo(s.readouts.model) {
		grown.Use(own)
	}
	return grown
}

// lent is For for a model from Lent: what is kept if that is of as many entities. It reads the moments of this one's.
func (s *Shared) lent(m *model.Model, kept *any) *Shared {
	idle, _ := (*kept).(*Shared)
	if idle != nil && idle.readouts.model.NumEntities() == m.NumEntities() {
		s.rows.For(m, idle.rows)
		idle.readouts.model = m
	} else {
		idle = newShared(m, s.part, s.rows.For(m, nil))
		*kept = idle
	}
	idle.inverseNorms = sync.OnceValue(func() []float32 {
		fewer := s.inverseNorms()
		return append(fewer[:len(fewer):len(fewer)], inverses(m.Predictor.EntityNorms[len(fewer):])...)
	})
	idle.readouts.fewer = &s.readouts
	idle.access.Store(s.access.Load())
	return idle
}

// small reports whether a plan's Small, if any, suits the table and the settings: ε must be so small that nothing which a message
// cuts adds up to what counts, because Tiles.Message leaves it in.
func (h Host) small(p *Plan, s model.Settings) bool {
	cut := s.Epsilon * float64(h.NumEntities())
	return p.Small != nil && h.Access() == Exact && h.Predictor.EntityTable.Type() == table.Float32 && cut <= mostCut*(1-s.Weight)
}

// DegreeCache returns the cache of rows of truth degrees.
func (s *Shared) DegreeCache() *fit.Cache { return s.rows }

// Readouts returns the finder of the best answers without a sweep of the entity table.
func (s *Shared) Readouts() *Readouts { return &s.readouts }

// idle returns the pool of workspaces with the given number of vectors. Plans share it, so more plans do not need
// more workspaces.
func (s *Shared) idle(vectors int) *sync.Pool {
	if p, ok := s.workspaces.Load(vectors); ok {
		return p.(*sync.Pool)
	}
	p, _ := s.workspaces.LoadOrStore(vectors, &sync.Pool{})
	return p.(*sync.Pool)
}
