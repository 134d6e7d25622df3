package server

import (
	"cmp"
	"context"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.opentelemetry.io/otel/trace"

	"github.com/efoc/efoc/cmd/internal/server/api"
	"github.com/efoc/efoc/cmd/internal/server/host"
	"github.com/efoc/efoc/cmd/internal/server/limits"
	"github.com/efoc/efoc/cmd/internal/server/metrics"
	"github.com/efoc/efoc/cmd/internal/server/transport"
	"github.com/efoc/efoc/compiler/stages"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/device"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/plan"
)

// Config configures a Server, with its limits.
type Config struct {
	// Open opens the model, at the start and for each reload.
	Open func(context.Context) (*runtime.Model, error)
	// File is the file that Open reads, for Watch; empty if there is none.
	File string
	// Plans are the generated plans to use.
	Plans []*plan.Plan
	// Device and Kernels are as in host.Options.
	Device  *device.Device
	Kernels func(*stages.Compiled) (*device.Kernels, error)
	// Log receives requests and reloads; nil means none.
	Log *slog.Logger
	// Version is shown to clients.
	Version string
	// Token, if not empty, is the bearer token required from clients. The admin endpoints exist only with a token.
	Token string
	// FactsToken, if not empty, is the token required to change facts; changes go to the journal beside File. No
	// other process can write there while the server runs.
	FactsToken string
	// ToolsWrite gives the client of ServeMCP a tool that changes facts. Over HTTP there is no such tool.
	ToolsWrite bool
	// Semantics is the default for requests; nil means the model's default.
	Semantics *model.Semantics
	// Templates, if not nil, appear as forms.
	Templates *lang.File
	// Hosts, if not empty, are the host names allowed in requests, in addition to those of this machine, localhost
	// and loopback addresses. If it is empty, any name is allowed.
	Hosts []string
	// Tracer makes the spans of requests; nil means none.
	Tracer trace.Tracer
	// TraceQueries includes the text of queries in spans.
	TraceQueries bool
	// Limits bound the cost and the number of requests.
	Limits limits.Limits

	bounds *transport.Bounds // nil means transport.Standard
}

// Server answers requests. It is safe for concurrent use.
type Server struct {
	Config    // with all defaults
	host      *host.Host
	transport *transport.Server
	api       *api.Service
	metrics   *metrics.Metrics
	handler   http.Handler
}

// New opens the model and returns a server for it.
func New(ctx context.Context, c Config) (*Server, error) {
	var err error
	c.Limits, err = c.Limits.WithDefaults()
	if err != nil {
		return nil, err
	}
	c.Log = cmp.Or(c.Log, slog.New(slog.DiscardHandler))
	c.bounds = cmp.Or(c.bounds, &transport.Standard)

	s := &Server{Config: c, metrics: metrics.New()}
	s.host, err = host.New(ctx, host.Options{
		Open: c.Open, File: c.File, Plans: c.Plans, Device: c.Device, Kernels: c.Kernels, ChangesFacts: c.FactsToken != "" || c.ToolsWrite,
		Semantics: c.Semantics, Tracer: c.Tracer, TraceQueries: c.TraceQueries, Log: c.Log, Metrics: s.metrics, Limits: c.Limits,
	})
	if err != nil {
		return nil, err
	}
	s.transport = transport.New(transport.Options{
		Log: c.Log, Metrics: s.metrics, Limits: c.Limits, Bounds: *c.bounds, Tracer: c.Tracer, Hosts: c.Hosts, Hide: s.host.WithoutPaths,
	})
	s.api = api.New(api.Options{Version: c.Version, TemplateFile: c.Templates, Log: c.Log, Metrics: s.metrics, Limits: c.Limits}, s.host, s.transport)
	s.api.CheckTemplates()
	s.gauges()
	s.handler = s.routes()
	return s, nil
}

// ServeHTTP answers a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// ServeMCP serves an assistant over the Model Context Protocol, until ctx ends or the client ends the session. Its
// tools are read-only unless Config.ToolsWrite is set.
func (s *Server) ServeMCP(ctx context.Context, t mcp.Transport) error {
	return s.api.ServeMCP(ctx, t, s.ToolsWrite)
}

// Serve serves a listener until ctx ends. Then it lets requests in progress finish, for at most the given time. The
// caller closes the server.
func (s *Server) Serve(ctx context.Context, l net.Listener, grace time.Duration) error {
	return s.transport.Serve(ctx, l, s, grace)
}

// Alive blocks while a lock that every question needs is held, so that a watchdog detects a deadlock.
func (s *Server) Alive() { s.host.Alive() }

// Reload opens the model again and uses it for new requests: see host.Host.
func (s *Server) Reload(ctx context.Context) error { return s.host.Reload(ctx) }

// Watch reloads the model when its file changes, and applies changes of its journal: see host.Host.
func (s *Server) Watch(ctx context.Context, every time.Duration) { s.host.Watch(ctx, every) }

// Drain makes /readyz fail and clients close their connections, but still answers requests, so that a load balancer
// stops sending them before Serve ends.
func (s *Server) Drain() { s.transport.Drain() }

// Close refuses further requests, waits for those in progress and closes the model.
func (s *Server) Close() {
	s.Drain()
	s.host.Close()
}
