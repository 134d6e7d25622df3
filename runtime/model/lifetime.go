package model

import (
	"errors"
	"sync"

	"github.com/efoc/efoc/runtime/internal/pool"
)

// ErrClosed says that a model has been closed.
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

// Hold keeps the memory of the model until Release is called as often, even if it is
// closed in between; it returns ErrClosed after Close. Queries hold the model while they
// are answered: it is for those who read the graph, the predictor or the names
// themselves while another goroutine may close the model.
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

// Close closes the model, with those that With made of it or that it was made of, and may be called at any time, from any goroutine, more than
// once. Queries that are being answered finish; from then on, whatever returns an error
// returns ErrClosed: making and answering queries, witnesses, looking up names, saving.
// Close does not wait for the former: the last of them frees the memory.
//
// What returns no error, such as the methods of Graph, Names and Table and the slices
// that they return, must not be used after Close if the model is Mapped, except within
// a Hold: it reads memory that is no longer there. A model that is not mapped lies on
// Go's heap, and what was taken from it stays valid.
//
// A model that is never closed is freed when it is garbage-collected, along with its
// graph and names. If it is Mapped, slices alone do not keep it.
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

// Mapped reports whether the model lies in a mapped file, which must not be changed in
// place, rather than on Go's heap: see Open.
func (m *Model) Mapped() bool { return m.memory != nil }

// Pool returns the worker pool of those who compute with the model; it ends with it.
func (m *Model) Pool() *pool.Pool { return m.pool }
