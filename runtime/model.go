package runtime

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/efoc/efoc/runtime/device"
	"github.com/efoc/efoc/runtime/fit"
	"github.com/efoc/efoc/runtime/internal/run"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/plan"
)

// Model answers questions, on the CPU or on a device. It keeps the workspaces and caches that its questions share.
// The Model that Open returns always reads the newest facts, and so do questions bound to it. Now returns a snapshot,
// whose facts do not change; questions bound to a snapshot read its facts. A Model is safe for concurrent use. Close closes the bundle, or frees the copy on the device.
type Model struct {
	bundle  *model.Model // as opened, or of a snapshot
	follows bool         // not a snapshot
	base    *Model       // the snapshot without the assumptions, nil if there are none
	*shared
	workspaces *plan.Shared // shared among models with the same number of entities
	device     *device.Copy // answers questions if not nil
	inHost     *Model       // the model in main memory, if this one is on a device
	copied     *sync.Once   // decrements shared.copies once, at Close
}

// shared is the state that all queries on a model share, on any host and any facts.
type shared struct {
	current  atomic.Pointer[Model] // with the newest facts, in main memory
	updating sync.Mutex
	copies   int         // on devices
	shards   *run.Shards // the shards that it is the head of, nil for a whole model
}

// Open opens the bundle at path, as model.Open does, to answer queries.
func Open(path string, options ...model.OpenOption) (*Model, error) {
	m, err := model.Open(path, options...)
	if err != nil {
		return nil, err
	}
	return NewModel(m), nil
}

// OpenBytes opens a bundle in memory, such as an embedded one; errors use name.
func OpenBytes(name string, data []byte) (*Model, error) {
	m, err := model.OpenBytes(name, data)
	if err != nil {
		return nil, err
	}
	return NewModel(m), nil
}

// NewModel returns the Model that answers questions from an open bundle. Questions on one Model share workspaces
// and caches, so call it once per bundle.
func NewModel(m *model.Model) *Model {
	s := &shared{}
	workspaces := plan.NewShared(m, nil)
	s.current.Store(&Model{bundle: m, shared: s, workspaces: workspaces})
	return &Model{bundle: m, follows: true, shared: s, workspaces: workspaces}
}

// Bundle returns the graph, the embeddings and the manifest as of the model's facts, for tools.
func (m *Model) Bundle() *model.Model { return m.Now().bundle }

// Settings returns the settings in the model's manifest, the defaults for Options.Settings.
func (m *Model) Settings() model.Settings { return m.bundle.Manifest.Settings }

// NumEntities returns the number of entities, whose ids are below it.
func (m *Model) NumEntities() int { return m.Bundle().NumEntities() }

// NumRelations returns the number of directed relations, whose ids are below it.
func (m *Model) NumRelations() int { return m.bundle.NumRelations() }

// At returns the model for the head of a split model, whose questions the shards answer. Package shards calls it.
func At(head *model.Model, s *run.Shards) *Model {
	m := NewModel(head)
	m.shards = s
	return m
}

// On copies the model to a device and returns it as a model whose queries run there. Their shapes need kernels: see
// efoc generate --cuda. Close the copy before the device. m stays open, but its facts cannot change until then.
func (m *Model) On(d *device.Device) (*Model, error) {
	m.updating.Lock()
	defer m.updating.Unlock()
	now := m.host().Now()
	there, err := d.Load(now.bundle)
	if err != nil {
		return nil, err
	}
	m.copies++
	return &Model{bundle: now.bundle, shared: m.shared, workspaces: now.workspaces, device: there, inHost: now, copied: &sync.Once{}}, nil
}

// Split reports whether the model is the head of a split one: see package shards.
func (m *Model) Split() bool { return m.shards != nil }

// Lost returns a *shards.Error if the model is split and a shard has died or delayed the others for longer than late.
// A late shard may recover: the transport has its own timeout.
func (m *Model) Lost(late time.Duration) error {
	if m.shards == nil {
		return nil
	}
	return m.shards.Lost(late)
}

// DegreeCache returns the cache of truth degree rows that the model's queries share. Set its memory budgets there,
// and whether it also caches sweeps of the entity table. Adding entities creates a new cache with the same budgets.
func (m *Model) DegreeCache() *fit.Cache { return m.Now().workspaces.DegreeCache() }

// Readouts returns the model's shared finder of best answers, which avoids sweeps of the entity table, with its
// counters.
func (m *Model) Readouts() *plan.Readouts { return m.Now().workspaces.Readouts() }

// Access returns how plans read the model's entity table.
func (m *Model) Access() plan.Access { return m.Now().workspaces.Access() }

// Use overrides plan.AccessTo's choice of how plans read the entity table. Call it before the first question.
func (m *Model) Use(a plan.Access) { m.Now().workspaces.Use(a) }

// Close frees the model's memory on the device, or closes the model in main memory.
func (m *Model) Close() error {
	if m.device != nil {
		m.copied.Do(func() {
			m.updating.Lock()
			defer m.updating.Unlock()
			m.copies--
		})
		return m.device.Close()
	}
	if m.shards != nil {
		return errors.Join(m.bundle.Close(), m.shards.Close())
	}
	return m.bundle.Close()
}

// local returns the model as plans run on it.
func (m *Model) local() plan.Host { return plan.Host{Model: m.bundle, Shared: m.workspaces} }

// host returns the model in main memory.
func (m *Model) host() *Model {
	if m.device == nil {
		return m
	}
	return m.inHost
}

// bind binds a plan to the model, for the device if the model is there.
func (m *Model) bind(p *plan.Plan) (b run.Bound, err error) {
	b = run.Bound{Model: m.host().bundle, Plan: p}
	switch {
	case m.device != nil:
		b.Runner, err = run.NewDevice(m.device, p)
	case m.shards != nil:
		b.Runner = m.shards.Runner(p)
	default:
		b.Runner = run.NewLocal(m.local(), p)
	}
	return b, err
}

// All snapshots that Update derives share everything but the facts, and know the current one. A question that follows
// changes takes the current snapshot once per call and reads no other. No reader waits for a change, and none sees
// part of one.

// errOnDevice refuses a change that the copy on a device would miss.
var errOnDevice = errors.New("a device has a copy of the model's facts: close that before they are changed")

// errSplit refuses a change that shards would miss.
var errSplit = errors.New("the model is split: change the facts of the whole one, and split it again")

// Now returns a snapshot of the model with the current facts: m itself if it is a snapshot. Bind questions to one
// snapshot if their replies must agree.
func (m *Model) Now() *Model {
	if m.follows {
		return m.current.Load()
	}
	return m
}

// Update calls change with the current facts and makes the model that it returns current for all later queries.
// change must return the result of model.Model.With or Grown on its argument, or on a model derived from it that way.
// Updates run one at a time; an error changes nothing. Update refuses while a device holds a copy.
func (m *Model) Update(change func(now *model.Model) (*model.Model, error)) error {
	m.updating.Lock()
	defer m.updating.Unlock()
	if m.shards != nil {
		return errSplit
	}
	if m.copies > 0 {
		return errOnDevice
	}
	now := m.current.Load()
	next, err := change(now.bundle)
	if err != nil || next == now.bundle {
		return err
	}
	m.current.Store(now.derived(next))
	return nil
}

// derived returns the snapshot with the facts of a model that is derived from m's.
func (m *Model) derived(next *model.Model) *Model {
	return &Model{bundle: next, shared: m.shared, workspaces: m.workspaces.For(next)}
}

// Assume returns a snapshot of the current facts after a change that no other snapshot sees. As in Update, change
// returns the changed model. In witnesses, the links and values that are due to the change are marked as assumed. On
// the result of Assume, it makes a further change. It refuses a split model.
func (m *Model) Assume(change func(now *model.Model) (*model.Model, error)) (*Model, error) {
	if m.shards != nil {
		return nil, ErrNeedsWhole
	}
	now := m.host().Now()
	next, err := change(now.bundle)
	if err != nil {
		return nil, err
	}
	assumed := now.derived(next)
	assumed.base = now.Base()
	return assumed, nil
}

// Base returns the snapshot without the changes of Assume.
func (m *Model) Base() *Model {
	if m.base != nil {
		return m.base
	}
	return m.host().Now()
}

// assumes reports whether a link is in the graph, or absent, because of an assumption.
func (m *Model) assumes(t graph.Triple) bool {
	return m.base != nil && m.base.bundle.Graph.HasTriple(t) != m.bundle.Graph.HasTriple(t)
}

// Change adds and removes facts, all or none, for all queries that begin afterwards. Changes
// last as long as the model; package facts stores them in a file.
func (m *Model) Change(c model.Change) (done model.Changed, err error) {
	err = m.Update(func(now *model.Model) (next *model.Model, err error) {
		next, done, err = now.With(c)
		if err == nil {
			now.Note(c)
		}
		return next, err
	})
	return done, err
}
