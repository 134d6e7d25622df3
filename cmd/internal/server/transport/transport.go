// Package transport is the part of a server that HTTP needs whatever it serves: connections, hosts, tokens,
// bodies, problems, the log, metrics and traces of requests. It knows no model.
package transport

import (
	"log/slog"
	"net/http"
	"sync/atomic"

	"go.opentelemetry.io/otel/trace"

	"github.com/efoc/efoc/cmd/internal/server/limits"
	"github.com/efoc/efoc/cmd/internal/server/metrics"
)

// Options configure a Server.
type Options struct {
	Log     *slog.Logger
	Metrics *metrics.Metrics
	Limits  limits.Limits
	Bounds  Bounds
	// Tracer makes the spans of requests; nil means none.
	Tracer trace.Tracer
	// Hosts, if there are any, are the host names that requests may use, in addition to those
	// of this machine. None means any.
	Hosts []string
	// Hide removes from an error message what no client may read.
	Hide func(message string) string
}

// Server takes requests and sends responses.
type Server struct {
	Options
	hosts    map[string]bool // any if it is empty
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

// Load is what requests take of a server.
type Load struct {
	InFlight                     int   // requests that are worked on or wait
	Incoming, Outgoing           int   // bodies
	IncomingBytes, OutgoingBytes int64 // of these
}

// Load returns what requests take at present.
func (s *Server) Load() Load {
	l := Load{InFlight: int(s.inFlight.Load())}
	l.Incoming, l.IncomingBytes = s.incoming.state()
	l.Outgoing, l.OutgoingBytes = s.outgoing.state()
	return l
}
