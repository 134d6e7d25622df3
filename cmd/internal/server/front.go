package server

import (
	"cmp"
	"context"
	"crypto/rand"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"time"

	"github.com/efoc/efoc/runtime/query"
)

// Front hands requests on to a Server of another process, which listens on a socket and may
// end at any time: while it does not answer, they are refused with status 503.
type Front struct {
	// Socket is the path of the socket.
	Socket string
	// Log takes errors, Deadline is that of the other server for a request.
	Log      *slog.Logger
	Deadline time.Duration
}

// Ready reports whether the other server is ready.
func (f *Front) Ready(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://localhost/readyz", nil)
	if err != nil {
		return false
	}
	transport := f.transport()
	defer transport.CloseIdleConnections()
	resp, err := transport.RoundTrip(r)
	if err != nil {
		return false
	}
	resp.Body.Close()
	return resp.StatusCode == http.StatusOK
}

// Serve hands on the requests of a listener until ctx is done, and lets those under way
// finish, as Server.Serve does.
func (f *Front) Serve(ctx context.Context, l net.Listener, grace time.Duration) error {
	transport := f.transport()
	defer transport.CloseIdleConnections()
	proxy := &httputil.ReverseProxy{
		Transport: transport,
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(&url.URL{Scheme: "http", Host: "localhost"})
			r.Out.Host = r.In.Host
			r.Out.URL.RawQuery = r.In.URL.RawQuery // the other server says what is wrong with it
		},
		ErrorHandler: f.refuse,
		ErrorLog:     slog.NewLogLogger(f.Log.Handler(), slog.LevelDebug),
	}
	mux := http.NewServeMux()
	mux.Handle("/", proxy)
	mux.HandleFunc("GET /healthz", healthy)
	deadline := cmp.Or(f.Deadline, DefaultLimits().Deadline)
	return serveUntil(ctx, httpServer(mux, f.Log, standardTimeouts, deadline, maxConnections), l, grace, func() {})
}

// transport makes requests by the socket.
func (f *Front) transport() *http.Transport {
	return &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", f.Socket)
		},
		DisableCompression: true, MaxIdleConnsPerHost: maxConnections, IdleConnTimeout: standardTimeouts.idle / 2,
	}
}

// refuse answers for the other server.
func (f *Front) refuse(w http.ResponseWriter, r *http.Request, err error) {
	if r.Context().Err() != nil { // the client went away
		w.WriteHeader(statusGone)
		return
	}
	p := newProblem(&query.ShardsError{Err: err})
	if p.RequestID = r.Header.Get("X-Request-Id"); !validID(p.RequestID) {
		p.RequestID = rand.Text()
	}
	f.Log.Warn("request refused: the shards do not answer", "request_id", p.RequestID, "error", err)
	w.Header().Set("X-Request-Id", p.RequestID)
	w.Header().Set("Retry-After", "1")
	if err := respond(w, p.Status, errorBody{p}); err != nil {
		f.Log.Error("internal error", "request_id", p.RequestID, "error", err)
	}
}

// healthy says that the process lives.
func healthy(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "ok\n") }
