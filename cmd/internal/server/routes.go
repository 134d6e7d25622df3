package server

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	_ "embed"
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/efoc/efoc/cmd/internal/server/web"
	"github.com/efoc/efoc/runtime"
)

//go:embed openapi.yaml
var openAPI []byte

// routes returns the handler of everything.
func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	for pattern, answer := range map[string]answerer{
		"GET /v1/ask": s.ask, "POST /v1/ask": s.ask, "POST /v1/batch": s.batch,
		"GET /v1/explain": s.explain, "POST /v1/explain": s.explain,
		"POST /v1/witness": s.witness,
		"GET /v1/shapes":   s.shapes, "GET /v1/search": s.search, "GET /v1/model": s.model, "GET /v1/examples": s.examples,
		"GET /v1/entity/{name}": s.entity, "GET /v1/relation/{name}": s.relation,
		"GET /v1/connect": s.connect, "GET /v1/missing": s.missing, "GET /v1/relations": s.relations, "GET /v1/templates": s.templates,
	} {
		mux.Handle(pattern, s.requireToken(s.withLimits(answer)))
	}
	if s.Token != "" {
		mux.Handle("POST /v1/reload", s.requireToken(s.slow(s.reload)))
	}
	mux.Handle("GET /sparql", s.requireToken(s.sparqlHandler()))
	mux.Handle("POST /sparql", s.requireToken(s.sparqlHandler()))
	mux.Handle("POST /mcp", s.requireToken(s.mcpHandler()))
	mux.Handle("POST /v1/facts", s.mayChange(s.withLimits(s.changeFacts)))
	mux.Handle("POST /v1/facts/compact", s.mayChange(s.slow(s.compactFacts)))
	mux.Handle("GET /metrics", s.requireToken(s.metrics.handler))
	mux.Handle("GET /healthz", s.handle(s.healthy))
	mux.Handle("GET /readyz", s.handle(s.ready))
	mux.HandleFunc("GET /openapi.yaml", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/yaml")
		w.Write(openAPI)
	})
	mux.Handle("GET /{$}", web.Handler())
	mux.Handle("GET /static/", web.Handler())
	// Pages of other sites must not make a browser send requests (CSRF).
	return s.observe(mux, s.requireHost(http.NewCrossOriginProtection().Handler(mux)))
}

// handler answers a request, or returns an error that is shown to the client.
type handler func(w http.ResponseWriter, r *http.Request) error

// answerer returns what a request is answered with by a model.
type answerer func(r *http.Request, h *openModel) (any, error)

// withModel does work with the model in use.
func (s *Server) withModel(work func(*openModel) error) error {
	h, err := s.acquire()
	if err != nil {
		return err
	}
	defer h.release()
	return work(h)
}

// handle makes a handler of the standard library.
func (s *Server) handle(h handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := h(w, r); err != nil {
			s.refuse(w, r, err)
		}
	})
}

// refuse answers with an error.
func (s *Server) refuse(w http.ResponseWriter, r *http.Request, err error) {
	p := s.problem(r, err)
	if p.retry > 0 || p.Status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", strconv.Itoa(max(1, p.retry)))
	}
	if err := respond(w, p.Status, errorBody{p}); err != nil {
		s.Log.Error("internal error", "request_id", p.RequestID, "error", err)
		w.WriteHeader(http.StatusInternalServerError)
	}
}

type errorBody struct {
	Error *problem `json:"error"`
}

// problem says what the client sees of an error, and logs those that are the
// server's fault.
func (s *Server) problem(r *http.Request, err error) *problem {
	p := *newProblem(err) // a copy, for some problems are shared
	p.Message = s.withoutPaths(p.Message)
	p.RequestID = r.Header.Get("X-Request-Id") // from observe
	switch p.Status {
	case http.StatusInternalServerError:
		s.logFault(err, "request_id", p.RequestID)
	case http.StatusInsufficientStorage:
		s.Log.Error("no room on the disk", "request_id", p.RequestID, "error", err)
	}
	return &p
}

// logFault logs an error that is the server's fault.
func (s *Server) logFault(err error, attributes ...any) {
	attributes = append(attributes, "error", err)
	if fault := (*runtime.PanicError)(nil); errors.As(err, &fault) {
		attributes = append(attributes, "stack", string(fault.Stack))
	}
	s.Log.Error("internal error", attributes...)
}

// withLimits bounds the time for a request and the number of those under way. Neither
// counts before the request has come, nor while the answer goes out.
func (s *Server) withLimits(answer answerer) http.Handler {
	return s.handle(s.readBody(func(w http.ResponseWriter, r *http.Request) error {
		var text []byte
		err := s.admitted(r.Context(), func(ctx context.Context, h *openModel) error {
			value, err := answer(r.WithContext(ctx), h)
			if err == nil {
				text, err = encode(value)
			}
			return err
		})
		if err == nil {
			s.deliver(w, jsonMedia, text)
		}
		return err
	}))
}

// slow answers requests that have no deadline, since they may write or open a large model.
func (s *Server) slow(answer func(r *http.Request) (any, error)) http.Handler {
	return s.handle(s.readBody(func(w http.ResponseWriter, r *http.Request) error {
		value, err := answer(r)
		http.NewResponseController(w).SetWriteDeadline(time.Now().Add(s.timeouts.body))
		if err != nil {
			return err
		}
		return respond(w, http.StatusOK, value)
	}))
}

// deliver sends an answer, in its place among those that go out.
func (s *Server) deliver(w http.ResponseWriter, media string, text []byte) {
	t, _ := s.outgoing.enter(http.NewResponseController(w))
	defer t.leave()
	t.Write(text)
	send(w, http.StatusOK, media, text)
}

// admitted does the work of a request with the model in use, within the deadline, unless too
// many are in flight.
func (s *Server) admitted(ctx context.Context, work func(context.Context, *openModel) error) error {
	if s.inFlight.Add(1) > int64(s.Limits.InFlight) {
		s.inFlight.Add(-1)
		return overloaded(1, "the server has %d requests to answer already", s.Limits.InFlight)
	}
	defer s.inFlight.Add(-1)
	ctx, cancel := context.WithTimeout(ctx, s.Limits.work())
	defer cancel()
	err := s.withModel(func(h *openModel) error { return work(ctx, h) })
	// Which of the two ended the request cannot be told from the error.
	if errors.Is(err, context.Canceled) && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		err = ctx.Err()
	}
	return err
}

// requireToken lets only clients with the token through, if there is one.
func (s *Server) requireToken(next http.Handler) http.Handler {
	if s.Token == "" {
		return next
	}
	return s.bearers(s.Token, "efoc", "the server's token", next)
}

// bearers lets only clients with a token through, in a time that does not depend on which they send.
func (s *Server) bearers(token, realm, what string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		scheme, sent, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		if !strings.EqualFold(scheme, "Bearer") || subtle.ConstantTimeCompare([]byte(sent), []byte(token)) != 1 {
			w.Header().Set("WWW-Authenticate", `Bearer realm="`+realm+`"`)
			s.refuse(w, r, refused(http.StatusUnauthorized, "unauthorized", "want the header Authorization: Bearer with %s", what))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// observe gives requests an id, logs and counts them, and answers those for which
// the mux has no handler.
func (s *Server) observe(mux *http.ServeMux, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		id := r.Header.Get("X-Request-Id")
		if !validID(id) {
			id = rand.Text()
		}
		w.Header().Set("X-Request-Id", id)
		w.Header().Set("X-Content-Type-Options", "nosniff")
		r.Header.Set("X-Request-Id", id)
		if s.draining.Load() {
			w.Header().Set("Connection", "close")
		}
		_, route := mux.Handler(r)
		r, span := s.traced(r, route)
		seen := &recorder{ResponseWriter: w, status: http.StatusOK}
		defer func() {
			took := time.Since(start)
			s.metrics.request(route, seen.status, took)
			line := []slog.Attr{slog.String("request_id", id), slog.String("method", r.Method),
				slog.String("path", r.URL.Path), slog.Int("status", seen.status), slog.Int64("bytes", seen.bytes),
				slog.Float64("duration_seconds", took.Seconds()), slog.String("remote", r.RemoteAddr)}
			if span.IsRecording() {
				line = append(line, slog.String("trace_id", span.SpanContext().TraceID().String()))
			}
			s.Log.LogAttrs(r.Context(), slog.LevelInfo, "request", line...)
			endRequest(span, seen.status)
		}()
		s.recovering(next, seen, r)
	})
}

// recovering handles a request. If the handler panics, only this request is lost.
func (s *Server) recovering(next http.Handler, w *recorder, r *http.Request) {
	defer func() {
		fault := recover()
		switch {
		case fault == nil:
		case w.written: // half a response must not pass for a whole one
			s.problem(r, recovered(fault))
			panic(http.ErrAbortHandler)
		default:
			s.refuse(w, r, recovered(fault))
		}
	}()
	next.ServeHTTP(w, r)
}

// validID reports whether a client's request id may go into the log.
func validID(id string) bool {
	return id != "" && len(id) <= 64 && strings.IndexFunc(id, func(r rune) bool { return r <= ' ' || r > '~' }) < 0
}

// recorder remembers the status and length of a response. What is plain text with
// an error status comes from the mux: it is put into JSON.
type recorder struct {
	http.ResponseWriter
	status  int
	bytes   int64
	written bool
	plain   bool
}

func (w *recorder) WriteHeader(status int) {
	if w.written {
		return
	}
	w.written = true
	w.status = status
	w.plain = status >= 400 && strings.HasPrefix(w.Header().Get("Content-Type"), "text/plain")
	if w.plain {
		w.Header().Del("Content-Length")
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *recorder) Write(b []byte) (int, error) {
	if !w.written {
		w.WriteHeader(http.StatusOK)
	}
	if w.plain {
		message := strings.TrimSpace(string(b))
		code := strings.ReplaceAll(strings.ToLower(http.StatusText(w.status)), " ", "_")
		text, err := encode(errorBody{&problem{Code: code, Message: message, RequestID: w.Header().Get("X-Request-Id")}})
		if err != nil {
			return 0, err
		}
		n, err := w.ResponseWriter.Write(text)
		w.bytes += int64(n)
		return len(b), err
	}
	n, err := w.ResponseWriter.Write(b)
	w.bytes += int64(n)
	return n, err
}

// Unwrap gives http.ResponseController the writer below.
func (w *recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }
