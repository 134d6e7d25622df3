//go:build otel

package tracing

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	coltrace "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/efoc/efoc/testdata/require"
)

// built says whether this build has OpenTelemetry.
const built = true

// TestNewErrors has attributes that OpenTelemetry refuses.
func TestNewErrors(t *testing.T) {
	clean(t)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:4318")
	t.Setenv("OTEL_RESOURCE_ATTRIBUTES", "nonsense")
	if _, err := New(t.Context(), "v1", slog.New(slog.DiscardHandler)); err == nil || !strings.Contains(err.Error(), "OTEL_RESOURCE_ATTRIBUTES") {
		t.Errorf("error %v", err)
	}
}

// TestSender decodes what a collector gets: the service with its version, and the spans that
// Close sends.
func TestSender(t *testing.T) {
	clean(t)
	got := make(chan *coltrace.ExportTraceServiceRequest, 1)
	hs := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, err := io.ReadAll(r.Body)
		request := &coltrace.ExportTraceServiceRequest{}
		if err != nil || r.URL.Path != "/v1/traces" || r.Header.Get("Content-Type") != "application/x-protobuf" || proto.Unmarshal(text, request) != nil {
			t.Errorf("%s, %s: %v", r.URL, r.Header, err)
		}
		got <- request
	}))
	defer hs.Close()
	t.Setenv("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment.name=here")
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", hs.URL+"/")
	s, err := New(t.Context(), "v1.2.3", slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	_, span := s.Start(t.Context(), "work")
	span.End()
	s.Close()
	var request *coltrace.ExportTraceServiceRequest
	select {
	case request = <-got:
	case <-time.After(time.Minute):
		t.Fatal("nothing came")
	}
	about := map[string]string{}
	for _, a := range request.ResourceSpans[0].Resource.Attributes {
		about[a.Key] = a.Value.GetStringValue()
	}
	for name, want := range map[string]string{"service.name": "efoc", "service.version": "v1.2.3", "deployment.environment.name": "here", "telemetry.sdk.language": "go"} {
		if about[name] != want {
			t.Errorf("%s is %q, want %q", name, about[name], want)
		}
	}
	spans := request.ResourceSpans[0].ScopeSpans[0].Spans
	if len(spans) != 1 || spans[0].Name != "work" {
		t.Errorf("%v", spans)
	}
}
