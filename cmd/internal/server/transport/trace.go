package transport

import (
	"log/slog"
	"net/http"
	"strings"

	"github.com/efoc/efoc/cmd/internal/tracing"
)

// traced begins the span of a request, in the client's trace, if its route answers questions; nil means none. The span
// excludes paths and parameters, since they contain names of entities.
func (s *Server) traced(r *http.Request, route string) (*http.Request, tracing.Span) {
	_, path, _ := strings.Cut(route, " ")
	if s.Tracer == nil || !strings.HasPrefix(path, "/v1/") && path != "/sparql" && path != "/mcp" {
		return r, nil
	}
	ctx, span := s.Tracer.Request(r, route, slog.String("http.request.method", r.Method), slog.String("http.route", path),
		slog.String("efoc.request_id", r.Header.Get("X-Request-Id")))
	return r.WithContext(ctx), span
}

// traceID returns the id of a request's trace: its span's, or else the one in the client's header traceparent. It
// is empty if the request has none.
func traceID(r *http.Request, span tracing.Span) string {
	if span != nil && span.TraceID() != "" {
		return span.TraceID()
	}
	_, rest, _ := strings.Cut(r.Header.Get("Traceparent"), "-") // version-trace-parent-flags
	id, _, _ := strings.Cut(rest, "-")
	if len(id) != 32 || strings.Trim(id, "0123456789abcdef") != "" {
		return ""
	}
	return id
}

// endRequest ends the span of a request.
func endRequest(span tracing.Span, status int) {
	if span == nil {
		return
	}
	span.Set(slog.Int("http.response.status_code", status))
	if status >= 500 {
		span.Fail("")
	}
	span.End()
}
