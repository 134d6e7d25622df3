package transport

import (
	"context"
	"net/http"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"
)

// noSpan is the span without tracing.
var noSpan = trace.SpanFromContext(context.Background())

// traced begins the span of a request, in the client's trace, if its route answers questions. The span excludes paths
// and parameters, since they contain names of entities.
func (s *Server) traced(r *http.Request, route string) (*http.Request, trace.Span) {
	_, path, _ := strings.Cut(route, " ")
	if s.Tracer == nil || !strings.HasPrefix(path, "/v1/") && path != "/sparql" && path != "/mcp" {
		return r, noSpan
	}
	ctx := propagation.TraceContext{}.Extract(r.Context(), propagation.HeaderCarrier(r.Header))
	ctx, span := s.Tracer.Start(ctx, route, trace.WithSpanKind(trace.SpanKindServer), trace.WithAttributes(
		semconv.HTTPRequestMethodKey.String(r.Method), semconv.HTTPRoute(path), attribute.String("efoc.request_id", r.Header.Get("X-Request-Id")),
	))
	return r.WithContext(ctx), span
}

// endRequest ends the span of a request.
func endRequest(span trace.Span, status int) {
	if span.IsRecording() {
		span.SetAttributes(semconv.HTTPResponseStatusCode(status))
		if status >= 500 {
			span.SetStatus(codes.Error, "")
		}
	}
	span.End()
}
