// Package transport is the HTTP part of a server: connections, hosts, tokens, bodies, problems, the log and metrics
// of requests. It knows no model.
package transport

import (
	"log/slog"
	"net/http"
	"sync/atomic"

	"github.com/efoc/efoc/cmd/internal/server/limits"
	"github.com/efoc/efoc/cmd/internal/server/metrics"
)

// Options configure a Server.
type Options struct {
	Log     *slog.Logger
	Metrics *metrics.Metrics
	Limits  limits.Limits
	Bounds  Bounds
	// Hosts, if not empty, are the host names allowed in requests, in addition to those of this machine. If it is
	// empty, any name is allowed.
	Hosts []string
	// Hide removes confidential parts from an error message.
	Hide func(message string) string
}

// Server receives requests and sends responses.
type Server struct {
	Options
	hosts    map[string]bool // any if empty
	incoming *transfers      // requests
	outgoing *transfers      // responses
	inFlight atomic.Int64
	draining atomic.Bool
}

// New returns a server.
func New(o Options) *Server {
	s := &Server{Options: o, hosts: map[string]bool{}}
	s.incoming = &transfers{room: o.Bounds.Incoming, time: o.Bounds.Body, deadline: (*http.ResponseController).SetReadDeadline}
	s.outgoing = &transfers{room: o.Bounds.Outgoing, deadline: (*http.ResponseController).SetWriteDeadline}
	for _, name := range o.Hosts {
		s.hosts[plainHost(name)] = true
	}
	return s
}

// Load is the server's current load.
type Load struct {
	InFlight                     int   // requests in progress or waiting
	Incoming, Outgoing           int   // bodies
	IncomingBytes, OutgoingBytes int64 // of these
}

// Load returns the current load.
func (s *Server) Load() Load {
	l := Load{InFlight: int(s.inFlight.Load())}
	l.Incoming, l.IncomingBytes = s.incoming.state()
	l.Outgoing, l.OutgoingBytes = s.outgoing.state()
	return l
}
