package server

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
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
func (f *Front) Ready(ctx context.Context) bool { return f.probe(ctx, "/readyz") == http.StatusOK }

// Silent reports whether the other server takes requests but does not answer.
func (f *Front) Silent(ctx context.Context) bool { return f.probe(ctx, "/healthz") == silent }

// silent is the status of a server that does not answer in time.
const silent = -1

// probe makes a request and returns its status, 0 if nobody takes it.
func (f *Front) probe(ctx context.Context, path string) (status int) {
	ctx, cancel := context.WithTimeout(ctx, f.patience())
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://localhost"+path, nil)
	if err != nil {
		return 0
	}
	transport := f.transport()
	defer transport.CloseIdleConnections()
	resp, err := transport.RoundTrip(r)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return silent
	case err != nil:
		return 0
	}
	resp.Body.Close()
	return resp.StatusCode
}

// patience is the time in which a server that lives answers a probe. A request is refused after
// twice that if it does not, so it is at most half of the deadline.
func (f *Front) patience() time.Duration { return min(time.Second, f.deadline()/2) }

func (f *Front) deadline() time.Duration { return cmp.Or(f.Deadline, DefaultLimits().Deadline) }

// errSilent is why a request is refused whose server does not answer a probe.
var errSilent = errors.New("the first process does not answer")

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
	handle := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithCancelCause(r.Context())
		defer cancel(nil)
		look := time.NewTicker(f.patience())
		defer look.Stop()
		go func() {
			for {
				select {
				case <-look.C:
					if f.Silent(ctx) {
						cancel(errSilent)
					}
				case <-ctx.Done():
					return
				}
			}
		}()
		proxy.ServeHTTP(w, r.WithContext(ctx))
	})
	return serveUntil(ctx, httpServer(handle, f.Log, standardTimeouts, f.deadline(), maxConnections), l, grace, func() {})
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

// refuse answers for the other server. If there is none, this process lives and starts it.
func (f *Front) refuse(w http.ResponseWriter, r *http.Request, err error) {
	var call *net.OpError
	switch why := context.Cause(r.Context()); {
	case errors.Is(why, errSilent):
		err = why
	case why != nil: // the client went away
		w.WriteHeader(statusGone)
		return
	case r.URL.Path == "/healthz" && errors.As(err, &call) && call.Op == "dial":
		healthy(w)
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
func healthy(w http.ResponseWriter) { io.WriteString(w, "ok\n") }
