package host

import (
	"errors"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/facts"
)

// Model is a model in use, with its derived state. Each request that uses it holds it; the model, which may be
// mapped, is closed once it is retired and no longer held.
type Model struct {
	model    *runtime.Model // with the facts at the time of opening; Now has the current ones
	onDevice *runtime.Model // the copy on the device, nil without one
	facts    *facts.Store   // changes them; nil if clients may not
	bound    boundQuestions
	assumed  assumptions
	// Since is the time of opening.
	Since time.Time

	mu     sync.Mutex
	refs   int // of requests and running batches, and one of the server
	queue  queue
	closed chan struct{}
}

// newModel wraps a model for use, on the device if there is one. If it does not fit there, newModel closes it.
func newModel(m *runtime.Model, o *Options) (*Model, error) {
	l := o.Limits
	var onDevice *runtime.Model
	if o.Device != nil {
		var err error
		onDevice, err = m.On(o.Device)
		if err != nil {
			return nil, errors.Join(err, m.Close())
		}
	}
	rows := m.DegreeCache()
	rows.SetBudget(int(l.Rows))
	rows.KeepSweeps(true)
	rows.SetRunBudget(l.Memory)
	return &Model{model: m, onDevice: onDevice, Since: time.Now(), refs: 1, closed: make(chan struct{}),
		queue: queue{group: m.NewGroup(), apart: semaphore.NewWeighted(1)}}, nil
}

// Now returns the model with its current facts.
func (h *Model) Now() *runtime.Model { return h.model.Now() }

// Closed returns a channel that is closed with the model.
func (h *Model) Closed() <-chan struct{} { return h.closed }

// Jobs returns the number of jobs running on the model.
func (h *Model) Jobs() int {
	h.queue.mu.Lock()
	defer h.queue.mu.Unlock()
	return h.queue.running
}

// hold keeps the model open until release. The caller must know that it is open.
func (h *Model) hold() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.refs++
}

// release ends a hold, and closes the model if it was the last.
func (h *Model) release() {
	h.mu.Lock()
	h.refs--
	last := h.refs == 0
	h.mu.Unlock()
	if last {
		if h.facts != nil {
			h.facts.Close()
		}
		h.assumed.drop()
		h.close()
		close(h.closed)
	}
}

// close closes the model, also on the device.
func (h *Model) close() (err error) {
	if h.onDevice != nil {
		err = h.onDevice.Close()
	}
	return errors.Join(err, h.model.Close())
}
