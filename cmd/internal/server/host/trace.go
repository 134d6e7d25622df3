package host

import (
	"cmp"
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"

	"github.com/efoc/efoc/cmd/internal/server/problem"
	"github.com/efoc/efoc/compiler/stages"
)

// noSpan is the span without tracing.
var noSpan = trace.SpanFromContext(context.Background())

// Span begins a part of a request.
func (s *Host) Span(ctx context.Context, name string) (context.Context, trace.Span) {
	if s.Tracer == nil {
		return ctx, noSpan
	}
	return s.Tracer.Start(ctx, name)
}

// End ends a part of a request. The span records only the code of an error, because messages contain names from the
// question.
func End(span trace.Span, err error) {
	if err != nil && span.IsRecording() {
		span.SetStatus(codes.Error, problem.Of(err).Code)
	}
	span.End()
}

// traceQuestion adds the question to the span of its preparation.
func (s *Host) traceQuestion(span trace.Span, p *Prepared) {
	if !span.IsRecording() {
		return
	}
	span.SetAttributes(attribute.String("efoc.shape", shapeOf(p)))
	if s.TraceQueries {
		span.SetAttributes(semconv.DBQueryText(p.Line))
	}
}

// TraceAnswer adds the outcome of a query to its span: the jobs that it ran with, and its times of waiting and
// running, which the queue knows afterwards.
func (s *Host) TraceAnswer(ctx context.Context, span trace.Span, p *Prepared, j *Job) {
	if !span.IsRecording() {
		return
	}
	span.SetAttributes(attribute.String("efoc.shape", shapeOf(p)), attribute.String("efoc.engine", string(p.Engine)),
		attribute.String("efoc.semantics", p.Semantics.String()))
	if j == nil { // the client has gone
		return
	}
	span.SetAttributes(attribute.Int("efoc.batch_size", j.Batch))
	part := func(name string, from, to time.Time) {
		_, part := s.Tracer.Start(ctx, name, trace.WithTimestamp(from))
		part.End(trace.WithTimestamp(to))
	}
	part("wait", j.Asked, j.began)
	part("run", j.began, j.began.Add(j.Took))
}

// shapeOf names the shape of a question, if it has one.
func shapeOf(p *Prepared) string { return cmp.Or(stages.ShapeName(p.ShapeKey()), p.ShapeKey()) }
