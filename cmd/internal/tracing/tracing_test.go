package tracing

import (
	"log/slog"
	"strings"
	"testing"
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

// TestNew checks what switches traces on and off, and what is refused. A build without OpenTelemetry says so where
// traces are on.
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
	} {
		clean(t)
		for variable := range strings.FieldsSeq(c.environment) {
			name, value, _ := strings.Cut(variable, "=")
			t.Setenv(name, value)
		}
		var log strings.Builder
		s, err := New(t.Context(), "v1", slog.New(slog.NewTextHandler(&log, nil)))
		told := strings.Contains(log.String(), "go build -tags otel") && strings.Contains(log.String(), there)
		switch {
		case c.wrong != "":
			if err == nil || !strings.Contains(err.Error(), c.wrong) {
				t.Errorf("%+v: error %v", c, err)
			}
		case err != nil || (s != nil) != (c.on && built) || told != (c.on && !built):
			t.Errorf("%+v: %v, error %v, log %q", c, s, err, &log)
		}
		if s != nil {
			s.Close()
		}
	}
}
