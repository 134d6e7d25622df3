package model

import (
	"errors"

	"github.com/efoc/efoc/runtime/internal/pool"
)

// ErrClosed reports that the model is closed.
var ErrClosed = errors.New("the model is closed")

// Closed reports whether the model was closed.
func (m *Model) Closed() bool {
	l := &m.lifetime
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.closed
}

// Hold keeps the memory of the model, even if it is closed meanwhile, until an equal number of calls of Release. It
// returns ErrClosed after Close. Running queries hold the model. Call it to read the graph, the predictor or the
// names directly while another goroutine may close the model.
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

// Close closes the model, and all models derived from it or that it was derived from. It may be called at any time,
// from any goroutine, more than once. Running queries finish; later calls that return an error return ErrClosed:
// making and answering queries, witnesses, looking up names, saving. Close does not wait for running queries: the
// last one frees the memory.
//
// If the model is Mapped, methods without an error result, such as the methods of Graph, Names and Table, and the
// slices that they return, must not be used after Close except within a Hold: their memory is gone. A model that is
// not Mapped is on Go's heap, where its parts stay valid.
//
// A model that is never closed is freed when it is garbage-collected, along with its graph and names. If it is
// Mapped, slices alone do not keep it alive.
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

// free stops the workers and frees the memory.
func (m *Model) free() error {
	m.pool.Close()
	if m.memory == nil {
		return nil
	}
	return m.memory.Close()
}

// Mapped reports whether the model is in a mapped file, which must not change in place, instead of on Go's heap: see
// Open.
func (m *Model) Mapped() bool { return m.memory != nil }

// Pool returns the worker pool for computations on the model; it ends with the model.
func (m *Model) Pool() *pool.Pool { return m.pool }
