package server

import (
	"errors"
	"io"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/efoc/efoc/cmd/internal/server/host"
	"github.com/efoc/efoc/cmd/internal/server/problem"
	"github.com/efoc/efoc/testdata/require"
)

// internal is what clients see of a fault.
type internal struct {
	Error struct {
		Code string
		ID   string `json:"request_id"`
	}
}

// checkFault checks that a response reports a fault without its details, and that the
// log has those under the same id.
func checkFault(t *testing.T, status int, text string, header http.Header, log *safeBuffer, detail string) {
	t.Helper()
	got := unmarshal[internal](t, text)
	if status != http.StatusInternalServerError || got.Error.Code != "internal" || got.Error.ID == "" || got.Error.ID != header.Get("X-Request-Id") || strings.Contains(text, detail) {
		t.Errorf("status %d, header %v: %s", status, header, text)
	}
	for line := range strings.Lines(log.String()) {
		if strings.Contains(line, `"internal error"`) && strings.Contains(line, got.Error.ID) && strings.Contains(line, detail) {
			return
		}
	}
	t.Errorf("the log has no %q of request %s:\n%s", detail, got.Error.ID, log)
}

// TestFaults checks that a handler which panics, or answers what cannot be written as
// JSON, fails alone.
func TestFaults(t *testing.T) {
	var log safeBuffer
	s, hs := start(t, Config{Options: host.Options{Log: slog.New(slog.NewTextHandler(&log, nil))}})
	for name, c := range map[string]struct {
		handler http.Handler
		detail  string
	}{
		"panic":       {s.api.Limited(func(*http.Request, *host.Model) (any, error) { panic("the sky fell") }), "the sky fell"},
		"error":       {s.api.Limited(func(*http.Request, *host.Model) (any, error) { return nil, errors.New("the sky fell") }), "the sky fell"},
		"not limited": {s.transport.Handle(func(http.ResponseWriter, *http.Request) error { panic("the sky fell") }), "the sky fell"},
		"middleware":  {http.HandlerFunc(func(http.ResponseWriter, *http.Request) { var none *problem.Problem; _ = none.Code }), "nil pointer"},
		"not a number": {s.api.Limited(func(*http.Request, *host.Model) (any, error) {
			return map[string]float64{"probability": math.NaN()}, nil
		}), "NaN"},
	} {
		t.Run(name, func(t *testing.T) {
			w := httptest.NewRecorder()
			s.transport.Observe(http.NewServeMux(), c.handler).ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/v1/ask", strings.NewReader("{}")))
			checkFault(t, w.Code, w.Body.String(), w.Header(), &log, c.detail)
			if strings.HasPrefix(c.detail, "the sky") && name != "error" && !strings.Contains(log.String(), "faults_test.go") {
				t.Errorf("the log does not say where the panic was:\n%s", log.String())
			}
			if n := s.taken().InFlight; n != 0 {
				t.Errorf("%d queries are in flight", n)
			}
		})
	}
	if status, text := call(t, hs, "GET", "/v1/ask?formula="+url.QueryEscape(spanish), ""); status != http.StatusOK {
		t.Errorf("afterwards: status %d: %s", status, text)
	}
}

// TestFaultHalfWay checks that an answer which breaks off is not taken for a whole one.
func TestFaultHalfWay(t *testing.T) {
	var log safeBuffer
	s, _ := start(t, Config{Options: host.Options{Log: slog.New(slog.NewTextHandler(&log, nil))}})
	hs := httptest.NewServer(s.transport.Observe(http.NewServeMux(), http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Write([]byte(`{"answers":[`))
		http.NewResponseController(w).Flush()
		panic("the sky fell")
	})))
	defer hs.Close()
	resp, err := hs.Client().Get(hs.URL)
	require.NoError(t, err)
	defer resp.Body.Close()
	if text, err := io.ReadAll(resp.Body); err == nil {
		t.Errorf("%q passes for the answer", text)
	}
	until(t, "it is logged", func() bool { return strings.Contains(log.String(), "the sky fell") })
}
