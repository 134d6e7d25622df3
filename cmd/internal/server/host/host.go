// Package host manages the model of a server: it opens and reopens the model, follows and changes its facts, bounds
// the work on it and compiles questions for it. It knows no HTTP.
package host

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"sync"

	"golang.org/x/sync/semaphore"

	"github.com/efoc/efoc/cmd/internal/server/limits"
	"github.com/efoc/efoc/cmd/internal/server/metrics"
	"github.com/efoc/efoc/cmd/internal/server/problem"
	"github.com/efoc/efoc/compiler/stages"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/device"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/plan"
)

// Options configure a Host.
type Options struct {
	// Open opens the model, at the start and for each reload.
	Open func(context.Context) (*runtime.Model, error)
	// File is the file that Open reads, for Watch; empty if there is none.
	File string
	// Plans are the generated plans to use.
	Plans []*plan.Plan
	// Device, if not nil, answers questions whose shapes have kernels by Kernels; the processor answers the others.
	// It holds a copy of the model and its facts, so clients cannot change facts. The caller closes it after the
	// Host.
	Device *device.Device
	// Kernels makes the kernels of a shape for Device, or returns compiler.ErrNoKernels.
	Kernels func(*stages.Compiled) (*device.Kernels, error)
	// ChangesFacts allows clients to change facts; changes go to the journal beside File. No other process can write
	// there until Close.
	ChangesFacts bool
	// Semantics is the default for requests; nil means the model's default.
	Semantics *model.Semantics
	// Log receives requests and reloads; server.New takes nil for none.
	Log     *slog.Logger
	Metrics *metrics.Metrics
	// Limits bound the cost and the number of requests, and have all defaults here; server.New sets those.
	Limits limits.Limits
}

// Host has one model at a time. It is safe for concurrent use.
type Host struct {
	Options
	Cache     stages.Cache
	scheduler *scheduler
	grown     *semaphore.Weighted // bytes of copies of the entity table for assumptions

	reloading sync.Mutex
	mu        sync.Mutex
	current   *Model       // nil after Close
	lock      *journalLock // nil if others may write to the journal
	file      os.FileInfo  // state of path when it was last opened; nil if there was none
}

// New opens the model and returns its host.
func New(ctx context.Context, o Options) (*Host, error) {
	if !o.ChangesFacts {
		return open(ctx, o, nil)
	}
	if o.Device != nil {
		return nil, errFactsOnDevice
	}
	lock, err := lockJournal(o.File, nil)
	if err != nil {
		return nil, err
	}
	s, err := open(ctx, o, lock)
	if err != nil {
		err = errors.Join(err, lock.release())
	}
	return s, err
}

// open opens the model. The lock is nil if nobody can change facts.
func open(ctx context.Context, o Options, lock *journalLock) (*Host, error) {
	file := look(o.File)
	m, err := o.Open(ctx)
	if err != nil {
		return nil, err
	}
	h, err := newModel(m, &o)
	if err != nil {
		return nil, err
	}
	s := &Host{Options: o, file: file, lock: lock, current: h, scheduler: newScheduler(o.Limits)}
	s.grown = semaphore.NewWeighted(s.scheduler.most())
	s.Cache.Limit = o.Limits.Shapes
	if err := s.openFacts(s.current, nil); err != nil {
		return nil, errors.Join(err, h.close())
	}
	return s, nil
}

// acquire returns the model in use, which the caller must release.
func (s *Host) acquire() (*Model, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current == nil {
		return nil, ErrNotReady
	}
	s.current.hold()
	return s.current, nil
}

// With calls work with the model in use.
func (s *Host) With(work func(*Model) error) error {
	h, err := s.acquire()
	if err != nil {
		return err
	}
	defer h.release()
	return work(h)
}

// Run runs work once memory is available: see scheduler.
func (s *Host) Run(ctx context.Context, bytes int64, work func(context.Context) error) error {
	return s.scheduler.run(ctx, bytes, work)
}

// MaxBytes returns the memory limit of a job.
func (s *Host) MaxBytes() int64 { return s.scheduler.most() }

// State returns the number of jobs running, and the number waiting for memory.
func (s *Host) State() (running, waiting int) { return s.scheduler.state() }

// ErrNotReady is the error after Close.
var ErrNotReady = problem.New("not_ready", "the server is going down")

// Reload opens the model again and uses it for new requests. Requests in progress continue with the old model, which
// is closed after the last of them. If the model cannot be opened, the old one stays in use.
func (s *Host) Reload(ctx context.Context) error {
	s.reloading.Lock()
	defer s.reloading.Unlock()
	return s.reopen(ctx)
}

// reopen is Reload with s.reloading held.
func (s *Host) reopen(ctx context.Context) error {
	file := look(s.File)
	m, err := s.Open(ctx)
	s.mu.Lock()
	s.file = file
	old := s.current
	s.mu.Unlock()
	if err == nil {
		err = s.replace(old, m)
	}
	if err != nil {
		s.Metrics.Reloads.With("refused").Inc()
		s.Log.Error("reload refused, the model in use stays", "error", err)
		return err
	}
	s.Metrics.Reloads.With("done").Inc()
	s.Log.Info("reloaded", "model", m.Bundle().Manifest.Name, "entities", m.Bundle().Manifest.Entities, "facts", m.Bundle().Manifest.Triples)
	return nil
}

// replace replaces the old model, which is nil after Close. If that fails, it closes the new one.
func (s *Host) replace(old *Model, m *runtime.Model) error {
	if old == nil {
		return errors.Join(ErrNotReady, m.Close())
	}
	next, err := newModel(m, &s.Options)
	if err != nil {
		return err
	}
	if err := s.openFacts(next, old); err != nil {
		return errors.Join(err, next.close())
	}
	s.mu.Lock()
	closed := s.current == nil // meanwhile
	if !closed {
		s.current = next
	}
	s.mu.Unlock()
	if closed {
		next.release()
		return ErrNotReady
	}
	old.release()
	return nil
}

// Close refuses further requests, waits for those in progress and closes the model.
func (s *Host) Close() {
	s.mu.Lock()
	old := s.current
	s.current = nil
	s.mu.Unlock()
	if old != nil {
		old.release()
		<-old.closed
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lock != nil {
		s.lock.release()
	}
}
