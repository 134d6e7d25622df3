// Package tracing sends spans to an OpenTelemetry collector, by OTLP over HTTP, in a build with the tag otel. The standard
// environment variables configure it: OTEL_EXPORTER_OTLP_*, OTEL_BSP_*, OTEL_TRACES_SAMPLER,
// OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES, OTEL_SDK_DISABLED.
//
// Spans wait in a bounded queue and are dropped when it is full, so a slow or absent collector delays nothing. The
// package knows nothing about the traced work.
package tracing

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
)

// Tracer begins spans.
type Tracer interface {
	// Request begins the span of a request, in the trace of its header traceparent.
	Request(r *http.Request, name string, attributes ...slog.Attr) (context.Context, Span)
	// Start begins a span, in the span of ctx.
	Start(ctx context.Context, name string) (context.Context, Span)
	// Past adds a span that has ended, in the span of ctx.
	Past(ctx context.Context, name string, from, to time.Time)
	// Close sends the remaining spans and stops.
	Close()
}

// Span is a traced part of the work.
type Span interface {
	// TraceID is empty if the sampler has dropped the trace.
	TraceID() string
	Set(attributes ...slog.Attr)
	Fail(code string)
	End()
}

// New returns a tracer for a program of the given version. It returns nil if the environment names no collector, or
// if OTEL_SDK_DISABLED or OTEL_TRACES_EXPORTER=none disables it. It does not connect yet. It logs errors in sending, and
// a collector that gets nothing because this build lacks OpenTelemetry.
func New(ctx context.Context, version string, log *slog.Logger) (Tracer, error) {
	endpoint, err := endpoint()
	if err != nil || endpoint == "" {
		return nil, err
	}
	return export(ctx, endpoint, version, log)
}

// endpoint returns the URL of the collector, empty if there is none.
func endpoint() (string, error) {
	if strings.EqualFold(os.Getenv("OTEL_SDK_DISABLED"), "true") {
		return "", nil
	}
	switch name := os.Getenv("OTEL_TRACES_EXPORTER"); name {
	case "", "otlp":
	case "none":
		return "", nil
	default:
		return "", fmt.Errorf("OTEL_TRACES_EXPORTER is %s, want otlp or none", name)
	}
	endpoint := cmp.Or(os.Getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"), os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT"))
	if endpoint == "" {
		return "", nil
	}
	if u, err := url.Parse(endpoint); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", fmt.Errorf("the collector of traces is %q, want a URL such as http://localhost:4318", endpoint)
	}
	if p := cmp.Or(os.Getenv("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"), os.Getenv("OTEL_EXPORTER_OTLP_PROTOCOL")); strings.HasPrefix(p, "grpc") {
		return "", fmt.Errorf("OTEL_EXPORTER_OTLP_PROTOCOL is %s, want http/protobuf or http/json", p)
	}
	return endpoint, nil
}
