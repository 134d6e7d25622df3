package host

import (
	"cmp"
	"context"
	"log/slog"

	"github.com/efoc/efoc/cmd/internal/server/problem"
	"github.com/efoc/efoc/cmd/internal/tracing"
	"github.com/efoc/efoc/compiler/stages"
)

// Span begins a part of a request; nil means that it is not traced.
func (s *Host) Span(ctx context.Context, name string) (context.Context, tracing.Span) {
	if s.Tracer == nil {
		return ctx, nil
	}
	return s.Tracer.Start(ctx, name)
}

// End ends a part of a request. The span records only the code of an error, because messages contain names from the
// question.
func End(span tracing.Span, err error) {
	if span == nil {
		return
	}
	if err != nil {
		span.Fail(problem.Of(err).Code)
	}
	span.End()
}

// traceQuestion adds the question to the span of its preparation.
func (s *Host) traceQuestion(span tracing.Span, p *Prepared) {
	if span == nil {
		return
	}
	span.Set(slog.String("efoc.shape", shapeOf(p)))
	if s.TraceQueries {
		span.Set(slog.String("db.query.text", p.Line))
	}
}

// TraceAnswer adds the outcome of a query to its span: the jobs that it ran with, and its times of waiting and
// running, which the queue knows afterwards.
func (s *Host) TraceAnswer(ctx context.Context, span tracing.Span, p *Prepared, j *Job) {
	if span == nil {
		return
	}
	span.Set(slog.String("efoc.shape", shapeOf(p)), slog.String("efoc.engine", string(p.Engine)), slog.String("efoc.semantics", p.Semantics.String()))
	if j == nil { // the client has gone
		return
	}
	span.Set(slog.Int("efoc.batch_size", j.Batch))
	ran := j.began.Add(j.Took)
	s.Tracer.Past(ctx, "wait", j.Asked, j.began)
	s.Tracer.Past(ctx, "run", j.began, ran)
}

// shapeOf names the shape of a question, if it has one.
func shapeOf(p *Prepared) string { return cmp.Or(stages.ShapeName(p.ShapeKey()), p.ShapeKey()) }
