package transport

import (
	"crypto/rand"
	_ "embed"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/efoc/efoc/cmd/internal/server/problem"
)

// Observe gives requests an id, logs and counts them, and answers those that the mux does not route.
func (s *Server) Observe(mux *http.ServeMux, next http.Handler) http.Handler {
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
		seen := &recorder{ResponseWriter: w, status: http.StatusOK}
		defer func() {
			took := time.Since(start)
			s.Metrics.Request(route, seen.status, took)
			line := []slog.Attr{slog.String("request_id", id), slog.String("method", r.Method),
				slog.String("path", r.URL.Path), slog.Int("status", seen.status), slog.Int64("bytes", seen.bytes),
				slog.Float64("duration_seconds", took.Seconds()), slog.String("remote", r.RemoteAddr)}
			if trace := traceID(r); trace != "" {
				line = append(line, slog.String("trace_id", trace))
			}
			s.Log.LogAttrs(r.Context(), slog.LevelInfo, "request", line...)
		}()
		s.recovering(next, seen, r)
	})
}

// recovering handles a request. A panic of the handler fails only this request.
func (s *Server) recovering(next http.Handler, w *recorder, r *http.Request) {
	defer func() {
		fault := recover()
		switch {
		case fault == nil:
		case w.written: // half a response must not pass for a whole one
			s.Problem(r, problem.Recovered(fault))
			panic(http.ErrAbortHandler)
		default:
			s.Refuse(w, r, problem.Recovered(fault))
		}
	}()
	next.ServeHTTP(w, r)
}

// validID reports whether a client's request id may be logged.
func validID(id string) bool {
	return id != "" && len(id) <= 64 && strings.IndexFunc(id, func(r rune) bool { return r <= ' ' || r > '~' }) < 0
}

// recorder records the status and length of a response. It converts the mux's plain text errors to JSON.
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
		text, err := Encode(errorBody{&problem.Problem{Code: code, Message: message, RequestID: w.Header().Get("X-Request-Id")}})
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

// Unwrap returns the underlying writer, for http.ResponseController.
func (w *recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }
