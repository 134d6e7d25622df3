package transport

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// maxHeader bounds the bytes of a request's head.
const maxHeader = 16 << 10

// Drain makes clients close their connections, but still answers requests, so that a load balancer stops sending them
// before Serve ends.
func (s *Server) Drain() { s.draining.Store(true) }

// Draining reports whether the server has been told to stop.
func (s *Server) Draining() bool { return s.draining.Load() }

// Serve serves a listener until ctx ends. Then it lets requests in progress finish, for at most the given time.
func (s *Server) Serve(ctx context.Context, l net.Listener, h http.Handler, grace time.Duration) error {
	t := &s.Bounds
	hs := &http.Server{
		Handler: h, ReadHeaderTimeout: t.Header, ReadTimeout: t.Body, IdleTimeout: t.Idle,
		WriteTimeout: t.Body + s.Limits.Deadline + t.Body, MaxHeaderBytes: maxHeader,
		ErrorLog: slog.NewLogLogger(s.Log.Handler(), slog.LevelDebug),
	}
	(&connections{limit: t.Connections}).serve(hs)
	done := make(chan error, 1)
	go func() { done <- hs.Serve(l) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	s.Drain()
	s.Log.Info("going down", "queries_in_flight", s.inFlight.Load())
	s.incoming.hurry(t.Last)
	s.outgoing.hurry(t.Last)
	if err := refuseNew(l); err != nil {
		s.Log.Warn("connections that clients are opening may be cut off", "error", err)
	} else {
		time.Sleep(t.Settle)
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
