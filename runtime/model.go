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
	"github.com/efoc/efoc/runtime/plan"
)

// Model answers questions, on the CPU or on a device. It keeps the workspaces and caches that its questions share.
// The Model that Open returns always reads the newest facts, and so do questions bound to it. Now returns a snapshot,
// whose facts do not change; questions bound to a snapshot read its facts. A Model is safe for concurrent use. Close closes the bundle, or frees the copy on the device.
type Model struct {
	bundle  *model.Model // as it was opened, or of a snapshot
	follows bool         // it is no snapshot
	*shared
	workspaces *plan.Shared // shared with models of as many entities
	device     *device.Copy // answers, if not nil
	inHost     *Model       // the model in main memory, if this one is on a device
	copied     *sync.Once   // counts the copy on the device off, once, at Close
}

// shared is the state that queries on one model share, wherever and by whichever facts they are
// answered.
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

// Settings returns the settings that the model's manifest has, by which questions are answered unless Options say
// otherwise.
func (m *Model) Settings() model.Settings { return m.bundle.Manifest.Settings }

// NumEntities returns the number of entities, whose ids are below it.
func (m *Model) NumEntities() int { return m.Bundle().NumEntities() }

// NumRelations returns the number of directed relations, whose ids are below it.
func (m *Model) NumRelations() int { return m.bundle.NumRelations() }

// At returns the model whose questions shards answer, given its head. Package shards calls it.
func At(head *model.Model, s *run.Shards) *Model {
	m := NewModel(head)
	m.shards = s
	return m
}

// On copies the model to a device and returns it as a model whose queries run there. Their
// shapes must have kernels, see efoc generate --cuda. Close it before the device. m stays open;
// its facts cannot change meanwhile.
func (m *Model) On(d *device.Device) (*Model, error) {
	m.updating.Lock()
	defer m.updating.Unlock()
	now := m.current.Load()
	there, err := d.Load(now.bundle)
	if err != nil {
		return nil, err
	}
	m.copies++
	return &Model{bundle: now.bundle, shared: m.shared, workspaces: now.workspaces, device: there, inHost: now, copied: &sync.Once{}}, nil
}

// Split reports whether the model is the head of a split one: see package shards.
func (m *Model) Split() bool { return m.shards != nil }

// Lost returns a *shards.Error if the model is split and a shard is gone, or has kept the others
// waiting for longer than late. It may still come: the transport has a time-out of its own.
func (m *Model) Lost(late time.Duration) error {
	if m.shards == nil {
		return nil
	}
	return m.shards.Lost(late)
}

// DegreeCache returns the cache of rows of truth degrees that the model's queries share; set its memory
// budgets there, and whether it keeps sweeps of the entity table, too. After entities are added,
// there is a new cache with the same budgets.
func (m *Model) DegreeCache() *fit.Cache { return m.Now().workspaces.DegreeCache() }

// Readouts returns the model's finder of best answers without a sweep of the entity table, with its
// counters. The queries of the model share it.
func (m *Model) Readouts() *plan.Readouts { return m.Now().workspaces.Readouts() }

// Access returns how plans read the model's entity table.
func (m *Model) Access() plan.Access { return m.Now().workspaces.Access() }

// Use has plans read the entity table in another way than plan.AccessTo chooses. Call it before the first question.
func (m *Model) Use(a plan.Access) { m.Now().workspaces.Use(a) }

// Close frees what the device holds of the model, or closes it in main memory.
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

// host returns the model as the processor answers on it.
func (m *Model) host() *Model {
	if m.device == nil {
		return m
	}
	return m.inHost
}

// bind binds a plan to the model, to run where that is.
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

// Snapshots that Update makes of one another share all but the facts, and know which is the newest. A question that
// follows changes takes the newest once for each call, and then reads no other. No reader waits for a change, and none
// sees a part of it.

// errOnDevice refuses what a device would not see.
var errOnDevice = errors.New("a device has a copy of the model's facts: close that before they are changed")

// errSplit refuses what shards would not see.
var errSplit = errors.New("the model is split: change the facts of the whole one, and split it again")

// Now returns a snapshot of the model with the current facts, which is m itself if that is one. Ask questions bound to
// one snapshot if their replies have to agree.
func (m *Model) Now() *Model {
	if m.follows {
		return m.current.Load()
	}
	return m
}

// Update calls change with the current facts and makes the returned model current, for all
// queries that begin afterwards. change must return what model.Model.With or Grown returned for
// its argument, or for a model derived from it that way. Updates wait for one another; after an
// error nothing has changed. A model whose facts a device has copied refuses.
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
	m.current.Store(&Model{bundle: next, shared: m.shared, workspaces: now.workspaces.For(next)})
	return nil
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
