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

// clean unsets the variables that would set up traces.
func clean(t *testing.T) {
	for _, name := range []string{
		"OTEL_SDK_DISABLED", "OTEL_TRACES_EXPORTER", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT",
		"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL", "OTEL_RESOURCE_ATTRIBUTES", "OTEL_SERVICE_NAME",
	} {
		t.Setenv(name, "")
	}
}

// TestNew checks what switches traces on and off, and what is refused.
func TestNew(t *testing.T) {
	const there = "http://127.0.0.1:4318"
	for _, c := range []struct {
		environment string
		on          bool
		wrong       string
	}{
		{"", false, ""},
		{"OTEL_EXPORTER_OTLP_ENDPOINT=" + there, true, ""},
		{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=" + there + "/in", true, ""},
		{"OTEL_EXPORTER_OTLP_ENDPOINT=" + there + " OTEL_SDK_DISABLED=true", false, ""},
		{"OTEL_EXPORTER_OTLP_ENDPOINT=" + there + " OTEL_TRACES_EXPORTER=none", false, ""},
		{"OTEL_EXPORTER_OTLP_ENDPOINT=" + there + " OTEL_TRACES_EXPORTER=otlp", true, ""},
		{"OTEL_EXPORTER_OTLP_ENDPOINT=" + there + " OTEL_TRACES_EXPORTER=console", false, "OTEL_TRACES_EXPORTER is console"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT=" + there + " OTEL_EXPORTER_OTLP_PROTOCOL=grpc", false, "OTEL_EXPORTER_OTLP_PROTOCOL is grpc"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT=localhost:4318", false, `the collector of traces is "localhost:4318"`},
		{"OTEL_EXPORTER_OTLP_ENDPOINT=ftp://localhost", false, `the collector of traces is "ftp://localhost"`},
		{"OTEL_EXPORTER_OTLP_ENDPOINT=" + there + " OTEL_RESOURCE_ATTRIBUTES=nonsense", false, "OTEL_RESOURCE_ATTRIBUTES"},
	} {
		clean(t)
		for variable := range strings.FieldsSeq(c.environment) {
			name, value, _ := strings.Cut(variable, "=")
			t.Setenv(name, value)
		}
		s, err := New(t.Context(), "v1", slog.New(slog.DiscardHandler))
		switch {
		case c.wrong != "":
			if err == nil || !strings.Contains(err.Error(), c.wrong) {
				t.Errorf("%+v: error %v", c, err)
			}
		case err != nil || (s != nil) != c.on || (s.Tracer() != nil) != c.on:
			t.Errorf("%+v: %v, error %v", c, s, err)
		}
		s.Close()
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
	_, span := s.Tracer().Start(t.Context(), "work")
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
