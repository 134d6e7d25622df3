package model

import (
	"errors"
	"sync"

	"github.com/efoc/efoc/runtime/internal/pool"
)

// ErrClosed says that the model is closed.
var ErrClosed = errors.New("the model is closed")

// lifetime counts those who use the memory of a model.
type lifetime struct {
	mu     sync.Mutex
	holds  int
	closed bool
}

// Closed reports whether the model was closed.
func (m *Model) Closed() bool {
	l := &m.lifetime
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.closed
}

// Hold keeps the memory of the model, even if it is closed meanwhile, until Release is called
// as often. It returns ErrClosed after Close. Running queries hold the model. Call it to read
// the graph, the predictor or the names directly while another goroutine may close the model.
func (m *Model) Hold() error {
	l := &m.lifetime
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return ErrClosed
	}
	l.holds++
	return nil
}

// Release ends a Hold.
func (m *Model) Release() {
	l := &m.lifetime
	l.mu.Lock()
	l.holds--
	last := l.closed && l.holds == 0
	l.mu.Unlock()
	if last {
		m.free()
	}
}

// Close closes the model, and all models that With derived from it or that it was derived from.
// It may be called at any time, from any goroutine, more than once. Running queries finish;
// from then on, everything that returns an error returns ErrClosed: making and answering
// queries, witnesses, looking up names, saving. Close does not wait for running queries: the
// last of them frees the memory.
//
// If the model is Mapped, methods that return no error, such as the methods of Graph, Names and Table,
// and the slices that they return, must not be used after Close except within a Hold: its memory is
// gone. The parts of a model that is not mapped are on Go's heap and stay valid.
//
// A model that is never closed is freed when it is garbage-collected, along with its graph and
// names. If it is Mapped, slices alone do not keep it.
func (m *Model) Close() error {
	l := &m.lifetime
	l.mu.Lock()
	free := !l.closed && l.holds == 0
	l.closed = true
	l.mu.Unlock()
	if !free {
		return nil
	}
	return m.free()
}

// free ends the workers and frees the memory.
func (m *Model) free() error {
	m.pool.Close()
	if m.memory == nil {
		return nil
	}
	return m.memory.Close()
}

// Mapped reports whether the model lies in a mapped file, which must not change in place,
// rather than on Go's heap: see Open.
func (m *Model) Mapped() bool { return m.memory != nil }

// Pool returns the worker pool for computations on the model; it ends with the model.
func (m *Model) Pool() *pool.Pool { return m.pool }
