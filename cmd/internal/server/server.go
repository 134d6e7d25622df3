package server

import (
	"cmp"
	"context"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/efoc/efoc/cmd/internal/server/api"
	"github.com/efoc/efoc/cmd/internal/server/host"
	"github.com/efoc/efoc/cmd/internal/server/metrics"
	"github.com/efoc/efoc/cmd/internal/server/transport"
	"github.com/efoc/efoc/lang"
)

// Config configures a Server.
type Config struct {
	// Options are of the model's host, and have the log and limits of the whole server. New sets ChangesFacts
	// and Metrics.
	host.Options
	// Version is shown to clients.
	Version string
	// Token, if not empty, is the bearer token required from clients. The admin endpoints exist only with a token.
	Token string
	// FactsToken, if not empty, is the token required to change facts; changes go to the journal beside File. No
	// other process can write there while the server runs.
	FactsToken string
	// ToolsWrite gives the client of ServeMCP a tool that changes facts. Over HTTP there is no such tool.
	ToolsWrite bool
	// Templates, if not nil, appear as forms.
	Templates *lang.File
	// Hosts, if not empty, are the host names allowed in requests, in addition to those of this machine, localhost
	// and loopback addresses. If it is empty, any name is allowed.
	Hosts []string

	bounds *transport.Bounds // nil means transport.Standard
}

// Server answers requests. It is safe for concurrent use.
type Server struct {
	Config    // with all defaults
	host      *host.Host
	transport *transport.Server
	api       *api.Service
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

	c.ChangesFacts = c.FactsToken != "" || c.ToolsWrite
	c.Metrics = metrics.New()

	s := &Server{Config: c}
	s.host, err = host.New(ctx, c.Options)
	if err != nil {
		return nil, err
	}
	s.transport = transport.New(transport.Options{
		Log: c.Log, Metrics: c.Metrics, Limits: c.Limits, Bounds: *c.bounds, Hosts: c.Hosts, Hide: s.host.WithoutPaths,
	})
	s.api = api.New(api.Options{Version: c.Version, TemplateFile: c.Templates, Log: c.Log, Metrics: c.Metrics, Limits: c.Limits}, s.host, s.transport)
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
