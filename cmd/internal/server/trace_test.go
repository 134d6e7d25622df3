//go:build otel

package server

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	coltrace "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	v1 "go.opentelemetry.io/proto/otlp/common/v1"
	otlp "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/efoc/efoc/cmd/internal/server/host"
	"github.com/efoc/efoc/cmd/internal/tracing"
	"github.com/efoc/efoc/cmd/internal/wanted"
	"github.com/efoc/efoc/testdata/require"
)

// receiver is a collector of traces.
type receiver struct {
	mu    sync.Mutex
	spans []*otlp.Span
	raw   bytes.Buffer
}

func (c *receiver) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	text, err := io.ReadAll(r.Body)
	request := &coltrace.ExportTraceServiceRequest{}
	if err != nil || proto.Unmarshal(text, request) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.raw.Write(text)
	for _, resource := range request.ResourceSpans {
		for _, scope := range resource.ScopeSpans {
			c.spans = append(c.spans, scope.Spans...)
		}
	}
}

// named returns the spans of a name.
func (c *receiver) named(name string) (list []*otlp.Span) {
	for _, s := range c.spans {
		if s.Name == name {
			list = append(list, s)
		}
	}
	return list
}

// attributes are those of a span, as text.
func attributes(s *otlp.Span) map[string]string {
	all := map[string]string{}
	for _, a := range s.Attributes {
		switch v := a.Value.Value.(type) {
		case *v1.AnyValue_IntValue:
			all[a.Key] = fmt.Sprint(v.IntValue)
		default:
			all[a.Key] = a.Value.GetStringValue()
		}
	}
	return all
}

// sender returns a tracer that sends to a collector.
func sender(t *testing.T, to string) tracing.Tracer {
	t.Helper()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", to)
	s, err := tracing.New(t.Context(), "v1", slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	return s
}

// traceParent is what a client calls its trace and its span in it.
const traceParent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

// TestTrace asks within a trace of the client: the spans are those of it, they nest, and say
// how the question was answered.
func TestTrace(t *testing.T) {
	c := &receiver{}
	collector := httptest.NewServer(c)
	defer collector.Close()
	traces := sender(t, collector.URL)
	var log strings.Builder
	_, hs := start(t, Config{Options: host.Options{Tracer: traces, TraceQueries: true, Log: slog.New(slog.NewTextHandler(&log, nil))}})
	formula := `exists x. borders("France", x) & official_language(x, y)`
	body := jsonText(t, AskRequest{Question: Question{Formula: formula}, Answers: wanted.Answers{Show: []string{"x"}}})
	if status, text, _ := callWith(t, hs, "POST", "/v1/ask", body, http.Header{"Traceparent": {traceParent}, "X-Request-Id": {"mine"}}); status != http.StatusOK {
		t.Fatalf("status %d: %s", status, text)
	}
	hs.Close() // waits for the end of the request
	traces.Close()
	byName := map[string]*otlp.Span{}
	for _, s := range c.spans {
		byName[s.Name] = s
		if got := hex.EncodeToString(s.TraceId); got != "0af7651916cd43dd8448eb211c80319c" {
			t.Errorf("%s is of trace %s", s.Name, got)
		}
	}
	for name, parent := range map[string]string{"prepare": "POST /v1/ask", "answer": "POST /v1/ask", "wait": "answer", "run": "answer"} {
		s, of := byName[name], byName[parent]
		if s == nil || of == nil {
			t.Fatalf("there is no %s or no %s among %v", name, parent, c.spans)
		}
		if !bytes.Equal(s.ParentSpanId, of.SpanId) {
			t.Errorf("%s is no part of %s", name, parent)
		}
		if s.StartTimeUnixNano < of.StartTimeUnixNano || s.EndTimeUnixNano > of.EndTimeUnixNano || s.StartTimeUnixNano > s.EndTimeUnixNano {
			t.Errorf("%s is not within %s: %v, %v", name, parent, s, of)
		}
	}
	if len(c.spans) != 5 || byName["wait"].EndTimeUnixNano != byName["run"].StartTimeUnixNano {
		t.Errorf("%d spans, want 5; waiting ends when running starts: %v", len(c.spans), c.spans)
	}
	request := byName["POST /v1/ask"]
	if hex.EncodeToString(request.ParentSpanId) != "b7ad6b7169203331" || request.Kind != otlp.Span_SPAN_KIND_SERVER {
		t.Errorf("the request's span is %v", request)
	}
	for name, want := range map[string]map[string]string{
		"POST /v1/ask": {"http.request.method": "POST", "http.route": "/v1/ask", "http.response.status_code": "200", "efoc.request_id": "mine"},
		"prepare":      {"efoc.shape": "2p", "db.query.text": formula},
		"answer":       {"efoc.shape": "2p", "efoc.engine": "compiled", "efoc.semantics": "mixed", "efoc.batch_size": "1"},
	} {
		got := attributes(byName[name])
		for key, value := range want {
			if got[key] != value {
				t.Errorf("%s of %s is %q, want %q", key, name, got[key], value)
			}
		}
	}
	if !strings.Contains(log.String(), "trace_id=0af7651916cd43dd8448eb211c80319c") {
		t.Errorf("the log does not name the trace: %s", log.String())
	}
}

// TestTraceNames checks that no name of the graph leaves the server in a trace unless that is
// allowed, whatever goes wrong, and that what asks nothing is not traced.
func TestTraceNames(t *testing.T) {
	c := &receiver{}
	collector := httptest.NewServer(c)
	defer collector.Close()
	traces := sender(t, collector.URL)
	_, hs := start(t, Config{Options: host.Options{Tracer: traces}})
	formula := `borders("France", y) & y != "Zanzibar" & y: in_continent("Europe")`
	get := func(path string, want int) {
		t.Helper()
		if status, text := call(t, hs, "GET", path, ""); status != want {
			t.Errorf("%s: status %d, want %d: %s", path, status, want, text)
		}
	}
	get("/v1/ask?formula="+url.QueryEscape(strings.Replace(formula, "Zanzibar", "Germany", 1)), http.StatusOK)
	get("/v1/ask?formula="+url.QueryEscape(formula), http.StatusNotFound)
	get("/v1/entity/France", http.StatusOK)
	get("/v1/entity/Zanzibar", http.StatusNotFound)
	get("/v1/France", http.StatusNotFound)
	get("/sparql?query="+url.QueryEscape("SELECT ?y { :France :borders ?y }"), http.StatusOK)
	get("/healthz", http.StatusOK)
	get("/metrics", http.StatusOK)
	get("/", http.StatusOK)
	call(t, hs, "POST", "/v1/witness", `{"formula":"borders(\"France\", y)","entities":["Germany"]}`)
	callWith(t, hs, "POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask","arguments":{"formula":"borders(\"France\", y)"}}}`,
		http.Header{"Accept": {"application/json, text/event-stream"}})
	hs.Close()
	traces.Close()
	for _, name := range []string{"France", "Germany", "Zanzibar", "Europe", "borders", "in_continent", "127.0.0.1"} {
		if bytes.Contains(c.raw.Bytes(), []byte(name)) {
			t.Errorf("%s is in a trace", name)
		}
	}
	var requests []string
	for _, s := range c.spans {
		if s.Kind == otlp.Span_SPAN_KIND_SERVER {
			requests = append(requests, s.Name)
		}
	}
	slices.Sort(requests)
	want := []string{"GET /sparql", "GET /v1/ask", "GET /v1/ask", "GET /v1/entity/{name}", "GET /v1/entity/{name}", "POST /mcp", "POST /v1/witness"}
	if !slices.Equal(requests, want) {
		t.Errorf("the requests traced are %q, want %q", requests, want)
	}
	failed := 0
	for _, s := range c.named("prepare") {
		if s.Status.GetCode() == otlp.Status_STATUS_CODE_ERROR {
			failed++
			if s.Status.Message != "unknown_name" {
				t.Errorf("the error of a name that nobody knows is %q", s.Status.Message)
			}
		}
	}
	if failed != 1 {
		t.Errorf("%d preparations failed, want 1", failed)
	}
	// The question of an assistant is a part of its request.
	mcp := c.named("POST /mcp")[0]
	if !slices.ContainsFunc(c.named("answer"), func(s *otlp.Span) bool { return bytes.Equal(s.ParentSpanId, mcp.SpanId) }) {
		t.Error("the answer to an assistant is in no trace of its request")
	}
}

// TestTraceSlowly has a collector that never answers: its queue is full after a few
// questions, and all are answered none the less.
func TestTraceSlowly(t *testing.T) {
	t.Setenv("OTEL_BSP_MAX_QUEUE_SIZE", "8")
	t.Setenv("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "4")
	t.Setenv("OTEL_BSP_SCHEDULE_DELAY", "1")
	came, over := make(chan bool, 100), make(chan bool)
	slow := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		came <- true
		<-over
	}))
	defer slow.Close()
	away := httptest.NewServer(nil)
	away.Close()
	ask := func(hs *httptest.Server) {
		t.Helper()
		if status, text := call(t, hs, "GET", "/v1/ask?formula="+url.QueryEscape(spanish), ""); status != http.StatusOK {
			t.Errorf("status %d: %s", status, text)
		}
	}
	for _, to := range []string{slow.URL, away.URL} {
		traces := sender(t, to)
		defer traces.Close()
		_, hs := start(t, Config{Options: host.Options{Tracer: traces}})
		ask(hs)
		if to == slow.URL {
			<-came // it does not answer while the others are asked
		}
		for range 100 {
			ask(hs)
		}
	}
	close(over)
}
