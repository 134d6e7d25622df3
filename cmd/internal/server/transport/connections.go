package transport

import (
	"container/list"
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"sync"
)

// connections closes the connections that have waited longest for a request, or for the rest of its head, when there
// are too many.
type connections struct {
	limit int

	mu      sync.Mutex
	open    map[net.Conn]*list.Element // nil element during a request
	waiting list.List                  // of net.Conn, the longest-waiting first
}

// connectionKey is the key of a request's connection in its context.
type connectionKey struct{}

// serve makes an HTTP server report its connections.
func (cs *connections) serve(hs *http.Server) {
	cs.open = map[net.Conn]*list.Element{}
	hs.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
		return context.WithValue(ctx, connectionKey{}, c)
	}
	hs.ConnState = func(c net.Conn, state http.ConnState) {
		switch state {
		case http.StateNew, http.StateIdle:
			cs.wait(c)
		case http.StateClosed, http.StateHijacked:
			cs.forget(c)
		}
	}
	next := hs.Handler
	hs.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if c, ok := r.Context().Value(connectionKey{}).(net.Conn); ok {
			cs.begin(c)
		}
		next.ServeHTTP(w, r)
	})
}

// wait records that a connection waits for a request, and closes others if necessary.
func (cs *connections) wait(c net.Conn) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	cs.remove(c)
	cs.open[c] = cs.waiting.PushBack(c)
	for len(cs.open) > cs.limit && cs.waiting.Len() > 0 {
		oldest := cs.waiting.Remove(cs.waiting.Front()).(net.Conn)
		delete(cs.open, oldest)
		if t, ok := oldest.(*tls.Conn); ok {
			oldest = t.NetConn() // without a closing handshake, which could take time
		}
		oldest.Close()
	}
}

// begin records that a request has arrived on a connection, unless that was closed meanwhile.
func (cs *connections) begin(c net.Conn) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	if e := cs.open[c]; e != nil {
		cs.waiting.Remove(e)
		cs.open[c] = nil
	}
}

// forget records that a connection is closed.
func (cs *connections) forget(c net.Conn) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	cs.remove(c)
}

func (cs *connections) remove(c net.Conn) {
	if e := cs.open[c]; e != nil {
		cs.waiting.Remove(e)
	}
	delete(cs.open, c)
}
