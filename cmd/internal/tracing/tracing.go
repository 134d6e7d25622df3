// Package tracing sends spans to an OpenTelemetry collector, by OTLP over HTTP. The standard
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
	"net/url"
	"os"
	"strings"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"
)

// Sender sends the spans of its tracer.
type Sender struct{ provider *sdk.TracerProvider }

// New returns a sender for a program of the given version. It returns nil if the environment names no collector, or
// if OTEL_SDK_DISABLED or OTEL_TRACES_EXPORTER=none disables it. It does not connect yet. It logs errors in sending.
func New(ctx context.Context, version string, log *slog.Logger) (*Sender, error) {
	endpoint, err := endpoint()
	if err != nil || endpoint == "" {
		return nil, err
	}
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
	return &Sender{sdk.NewTracerProvider(sdk.WithBatcher(exporter), sdk.WithResource(about))}, nil
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

// Tracer makes spans; it is nil for a nil sender.
func (s *Sender) Tracer() trace.Tracer {
	if s == nil {
		return nil
	}
	return s.provider.Tracer("github.com/efoc/efoc/cmd/internal/server")
}

// lastWords bounds the time for sending the remaining spans.
const lastWords = 3 * time.Second

// Close sends the remaining spans and stops.
func (s *Sender) Close() {
	if s == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), lastWords)
	defer cancel()
	if err := s.provider.Shutdown(ctx); err != nil {
		otel.Handle(err)
	}
}
