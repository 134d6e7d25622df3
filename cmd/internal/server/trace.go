package server

import (
	"cmp"
	"context"
	"net/http"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"

	"github.com/efoc/efoc/compiler/stages"
)

// noSpan is what there is where nothing is traced.
var noSpan = trace.SpanFromContext(context.Background())

// span begins a part of a request.
func (s *Server) span(ctx context.Context, name string) (context.Context, trace.Span) {
	if s.Tracer == nil {
		return ctx, noSpan
	}
	return s.Tracer.Start(ctx, name)
}

// end ends a part of a request. Messages of errors have names of the question, so the span
// gets their code alone.
func end(span trace.Span, err error) {
	if err != nil && span.IsRecording() {
		span.SetStatus(codes.Error, newProblem(err).Code)
	}
	span.End()
}

// traced begins the span of a request, as a part of the trace that the client names, if its
// route is one of those that answer questions. Paths and parameters stay out of it, since they
// have names of entities.
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

// traceQuestion notes the question in the span of its preparation.
func (s *Server) traceQuestion(span trace.Span, p *prepared) {
	if !span.IsRecording() {
		return
	}
	span.SetAttributes(attribute.String("efoc.shape", shapeOf(p)))
	if s.TraceQueries {
		span.SetAttributes(semconv.DBQueryText(p.Line))
	}
}

// traceAnswer notes how a query was answered in its span: with whom, when it waited and when
// it ran, which the queue knows afterwards.
func (s *Server) traceAnswer(ctx context.Context, span trace.Span, p *prepared, j *job) {
	if !span.IsRecording() {
		return
	}
	span.SetAttributes(attribute.String("efoc.shape", shapeOf(p)), attribute.String("efoc.engine", string(p.Engine)),
		attribute.String("efoc.semantics", p.Semantics.String()))
	if j == nil { // nobody waits for the answer any more
		return
	}
	span.SetAttributes(attribute.Int("efoc.batch_size", j.batch))
	part := func(name string, from, to time.Time) {
		_, part := s.Tracer.Start(ctx, name, trace.WithTimestamp(from))
		part.End(trace.WithTimestamp(to))
	}
	part("wait", j.asked, j.began)
	part("run", j.began, j.began.Add(j.took))
}

// shapeOf names the shape of a question, if it has one.
func shapeOf(p *prepared) string { return cmp.Or(stages.ShapeName(p.shape()), p.shape()) }
