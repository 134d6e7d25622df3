package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/efoc/efoc/compiler/stages"
	"github.com/efoc/efoc/runtime"
)

// Server answers requests. It is safe for concurrent use.
type Server struct {
	Config                      // with all defaults
	hosts       map[string]bool // any if it is empty
	metrics     *metrics
	handler     http.Handler
	incoming    *transfers // requests
	outgoing    *transfers // responses
	connections int        // open at a time
	timeouts    timeouts

	cache     stages.Cache
	scheduler *scheduler
	batches   *semaphore.Weighted // queries of all batches under way
	inFlight  atomic.Int64
	draining  atomic.Bool

	reloading sync.Mutex
	mu        sync.Mutex
	current   *openModel   // nil after Close
	lock      *journalLock // nil if others may write to the journal
	file      os.FileInfo  // state of path when it was last opened; nil if there was none
}

// New opens the model and returns a server for it.
func New(ctx context.Context, c Config) (*Server, error) {
	var err error
	c.Limits, err = c.Limits.withDefaults()
	if err != nil {
		return nil, err
	}
	c.Log = cmp.Or(c.Log, slog.New(slog.DiscardHandler))
	if !c.changesFacts() {
		return open(ctx, c, nil)
	}
	if c.Device != nil {
		return nil, errFactsOnDevice
	}
	lock, err := lockJournal(c.File, nil)
	if err != nil {
		return nil, err
	}
	s, err := open(ctx, c, lock)
	if err != nil {
		err = errors.Join(err, lock.release())
	}
	return s, err
}

// open opens the model of a complete configuration. The lock is nil if nobody can change facts.
func open(ctx context.Context, c Config, lock *journalLock) (*Server, error) {
	file := look(c.File)
	m, err := c.Open(ctx)
	if err != nil {
		return nil, err
	}
	h, err := newOpenModel(m, &c)
	if err != nil {
		return nil, err
	}
	s := &Server{
		Config: c, file: file, lock: lock, hosts: map[string]bool{}, connections: maxConnections, current: h,
		scheduler: newScheduler(c.Limits), batches: semaphore.NewWeighted(int64(max(c.Limits.Batch, c.Limits.InFlight/2))),
		timeouts: standardTimeouts, incoming: newIncoming(standardTimeouts.body),
		outgoing: &transfers{limit: maxTransfers, limitBytes: maxTransferBytes, deadline: (*http.ResponseController).SetWriteDeadline},
	}
	for _, name := range c.Hosts {
		s.hosts[plainHost(name)] = true
	}
	s.cache.Limit = c.Limits.Shapes
	if err := s.openFacts(s.current, nil); err != nil {
		return nil, errors.Join(err, h.close())
	}
	s.checkTemplates(s.current)
	s.metrics = newMetrics(s)
	s.handler = s.routes()
	return s, nil
}

// errFactsOnDevice refuses what a device would not see.
var errFactsOnDevice = errors.New("clients cannot change facts, because a device has a copy of them: serve the model on the processor for that, or change its journal by efoc add " +
	"and have the server look at it (--watch)")

// ServeHTTP answers a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// acquire returns the model in use, which the caller must release.
func (s *Server) acquire() (*openModel, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current == nil {
		return nil, errNotReady
	}
	s.current.hold()
	return s.current, nil
}

// Alive blocks while a lock that every question takes is held, so that a watchdog detects a
// deadlock.
func (s *Server) Alive() {
	s.scheduler.state()
	if h, err := s.acquire(); err == nil {
		h.queue.mu.Lock()
		defer h.queue.mu.Unlock()
		defer h.release()
	}
}

var errNotReady = refused(http.StatusServiceUnavailable, "not_ready", "the server is going down")

// Reload opens the model again and uses it for new requests. Requests in progress continue with
// the old model, which is closed after the last of them. If the model cannot be opened, the old
// one stays in use.
func (s *Server) Reload(ctx context.Context) error {
	s.reloading.Lock()
	defer s.reloading.Unlock()
	return s.reopen(ctx)
}

// reopen is Reload with s.reloading held.
func (s *Server) reopen(ctx context.Context) error {
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
		s.metrics.reloads.WithLabelValues("refused").Inc()
		s.Log.Error("reload refused, the model in use stays", "error", err)
		return err
	}
	s.metrics.reloads.WithLabelValues("done").Inc()
	s.Log.Info("reloaded", "model", m.Bundle().Manifest.Name, "entities", m.Bundle().Manifest.Entities, "facts", m.Bundle().Manifest.Triples)
	return nil
}

// replace has a model used in place of the old one, which is nil after Close. If that fails the new
// one is closed.
func (s *Server) replace(old *openModel, m *runtime.Model) error {
	if old == nil {
		return errors.Join(errNotReady, m.Close())
	}
	next, err := newOpenModel(m, &s.Config)
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
		return errNotReady
	}
	old.release()
	return nil
}

// Close refuses further requests, waits for those in progress and closes the model.
func (s *Server) Close() {
	s.draining.Store(true)
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

// timeouts are the time limits of connections; requests have Limits.Deadline.
type timeouts struct {
	header time.Duration // for the head of a request
	body   time.Duration // for the body
	idle   time.Duration // between requests
	last   time.Duration // for bodies, once the server goes down
	settle time.Duration // for connections under way to come in, then
}

var standardTimeouts = timeouts{header: 5 * time.Second, body: 15 * time.Second, idle: 2 * time.Minute, last: 5 * time.Second, settle: 200 * time.Millisecond}

// maxHeader bounds the bytes of a request's head.
const maxHeader = 16 << 10

// Drain has /readyz fail and clients close their connections, while requests are still answered, so
// that a load balancer sends no more of them before Serve ends.
func (s *Server) Drain() { s.draining.Store(true) }

// Serve answers the requests of a listener until ctx is done. Then it lets requests in progress
// finish, for at most the given time. The caller closes the server.
func (s *Server) Serve(ctx context.Context, l net.Listener, grace time.Duration) error {
	t := s.timeouts
	hs := &http.Server{
		Handler: s, ReadHeaderTimeout: t.header, ReadTimeout: t.body, IdleTimeout: t.idle,
		WriteTimeout: t.body + s.Limits.Deadline + t.body, MaxHeaderBytes: maxHeader,
		ErrorLog: slog.NewLogLogger(s.Log.Handler(), slog.LevelDebug),
	}
	(&connections{limit: s.connections}).serve(hs)
	done := make(chan error, 1)
	go func() { done <- hs.Serve(l) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	s.Drain()
	s.Log.Info("going down", "queries_in_flight", s.inFlight.Load())
	s.incoming.hurry(t.last)
	s.outgoing.hurry(t.last)
	if err := refuseNew(l); err != nil {
		s.Log.Warn("connections that clients are opening may be cut off", "error", err)
	} else {
		time.Sleep(t.settle)
	}
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	if err := hs.Shutdown(end); err != nil {
		hs.Close()
		if errors.Is(err, context.DeadlineExceeded) {
			return fmt.Errorf("requests were cut off: they took longer than %s to finish", grace)
		}
		return err
	}
	return nil
}
