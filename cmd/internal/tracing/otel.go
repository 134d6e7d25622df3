//go:build otel

package tracing

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"
)

// lastWords bounds the time for sending the remaining spans.
const lastWords = 3 * time.Second

// export returns a tracer that sends its spans.
func export(ctx context.Context, endpoint, version string, log *slog.Logger) (Tracer, error) {
	exporter, err := otlptracehttp.New(ctx)
	if err != nil {
		return nil, fmt.Errorf("traces to %s: %w", endpoint, err)
	}
	// The environment comes last, so that it can override the name of the service.
	about, err := resource.New(ctx, resource.WithTelemetrySDK(),
		resource.WithAttributes(semconv.ServiceName("efoc"), semconv.ServiceVersion(version)), resource.WithFromEnv())
	if err != nil {
		return nil, fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { log.Warn("traces are not sent", "error", err) }))
	provider := sdk.NewTracerProvider(sdk.WithBatcher(exporter), sdk.WithResource(about))
	return &sender{provider, provider.Tracer("github.com/efoc/efoc/cmd/internal/server")}, nil
}

// sender sends the spans of its tracer.
type sender struct {
	provider *sdk.TracerProvider
	tracer   trace.Tracer
}

func (s *sender) Request(r *http.Request, name string, attributes ...slog.Attr) (context.Context, Span) {
	ctx := propagation.TraceContext{}.Extract(r.Context(), propagation.HeaderCarrier(r.Header))
	ctx, begun := s.tracer.Start(ctx, name, trace.WithSpanKind(trace.SpanKindServer), trace.WithAttributes(keyValues(attributes)...))
	return ctx, span{begun}
}

func (s *sender) Start(ctx context.Context, name string) (context.Context, Span) {
	ctx, begun := s.tracer.Start(ctx, name)
	return ctx, span{begun}
}

func (s *sender) Past(ctx context.Context, name string, from, to time.Time) {
	_, past := s.tracer.Start(ctx, name, trace.WithTimestamp(from))
	past.End(trace.WithTimestamp(to))
}

func (s *sender) Close() {
	ctx, cancel := context.WithTimeout(context.Background(), lastWords)
	defer cancel()
	if err := s.provider.Shutdown(ctx); err != nil {
		otel.Handle(err)
	}
}

// span is a Span of OpenTelemetry.
type span struct{ of trace.Span }

func (s span) TraceID() string {
	if !s.of.IsRecording() {
		return ""
	}
	return s.of.SpanContext().TraceID().String()
}

func (s span) Set(attributes ...slog.Attr) { s.of.SetAttributes(keyValues(attributes)...) }

func (s span) Fail(code string) { s.of.SetStatus(codes.Error, code) }

func (s span) End() { s.of.End() }

// keyValues returns attributes for OpenTelemetry: numbers as such, and all others as text.
func keyValues(attributes []slog.Attr) []attribute.KeyValue {
	list := make([]attribute.KeyValue, len(attributes))
	for i, a := range attributes {
		if a.Value.Kind() == slog.KindInt64 {
			list[i] = attribute.Int64(a.Key, a.Value.Int64())
		} else {
			list[i] = attribute.String(a.Key, a.Value.String())
		}
	}
	return list
}
