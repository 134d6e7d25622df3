package server

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	goruntime "runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/efoc/efoc/cmd/internal/server/host"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
)

// until waits for something that is about to be so.
func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if is() {
			return
		}
	}
	t.Fatalf("%s: it never came to that", what)
}

// TestOverload checks that a query too many is refused, and that the others are
// answered.
func TestOverload(t *testing.T) {
	s, hs := start(t, Config{Options: host.Options{Limits: Limits{InFlight: 4, Batch: 3}}})
	free := s.occupy()
	defer free()
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			if status, text := call(t, hs, "GET", "/v1/ask?formula="+url.QueryEscape(spanish), ""); status != http.StatusOK {
				t.Errorf("status %d: %s", status, text)
			}
		})
	}
	until(t, "three wait", func() bool { return s.waiting() == 3 })
	const batch = `{"queries":[{"formula":"borders(\"Chad\", y)"},{"formula":"borders(\"Peru\", y)"}]}`
	wg.Go(func() {
		if status, text := call(t, hs, "POST", "/v1/batch", batch); status != http.StatusOK {
			t.Errorf("a batch: status %d: %s", status, text)
		}
	})
	until(t, "the queries of the batch wait, too", func() bool { return s.waiting() == 5 })
	status, text, header := callWith(t, hs, "GET", "/v1/ask?formula="+url.QueryEscape(spanish), "", nil)
	if status != http.StatusTooManyRequests || header.Get("Retry-After") == "" || !strings.Contains(text, `"code":"overloaded"`) {
		t.Errorf("the fifth: status %d, %v: %s", status, header, text)
	}
	const assistant = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask","arguments":{"formula":"borders(\"France\", y)"}}}`
	accept := http.Header{"Accept": {"application/json, text/event-stream"}, "Content-Type": {"application/json"}}
	if _, text, _ = callWith(t, hs, "POST", "/mcp", assistant, accept); !strings.Contains(text, "ask again in 1 second") {
		t.Errorf("an assistant is not told when to ask again: %s", text)
	}
	if status, _ := call(t, hs, "GET", "/healthz", ""); status != http.StatusOK {
		t.Errorf("health has status %d under load", status)
	}
	free()
	wg.Wait()
	if status, text := call(t, hs, "POST", "/v1/batch", batch); status != http.StatusOK {
		t.Errorf("afterwards: status %d: %s", status, text)
	}
	until(t, "nothing is in flight", func() bool { return s.taken().InFlight == 0 })
}

// TestBatchMemory checks that a batch of too many queries is refused before each of them takes
// the memory of a request.
func TestBatchMemory(t *testing.T) {
	s, _ := start(t, Config{})
	body := `{"queries":[{}` + strings.Repeat(",{}", 349_000) + `]}`
	w := httptest.NewRecorder()
	var before, after goruntime.MemStats
	goruntime.ReadMemStats(&before)
	s.ServeHTTP(w, httptest.NewRequest("POST", "http://localhost/v1/batch", strings.NewReader(body)))
	goruntime.ReadMemStats(&after)
	if w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), "the batch has 349001 queries, want 1 to 128") {
		t.Errorf("status %d: %.200s", w.Code, w.Body)
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > 100<<20 {
		t.Errorf("a request of %d kB took %d MB", len(body)>>10, took>>20)
	}
}

// TestDeadline checks that a query of any semantics is given up at its deadline while it waits,
// and that one nobody waits for is not answered.
func TestDeadline(t *testing.T) {
	for _, semantics := range model.AllSemantics {
		s, hs := start(t, Config{Options: host.Options{Semantics: new(semantics), Limits: Limits{Deadline: 50 * time.Millisecond}}})
		free := s.occupy()
		if status, text := call(t, hs, "GET", "/v1/ask?formula="+url.QueryEscape(spanish), ""); status != http.StatusGatewayTimeout {
			t.Errorf("%s: status %d: %s", semantics, status, text)
		}
		if status, text := call(t, hs, "POST", "/v1/batch", `{"queries":[{"formula":"borders(\"Chad\", y)"}]}`); status != http.StatusGatewayTimeout {
			t.Errorf("%s, batch: status %d: %s", semantics, status, text)
		}
		free()
		until(t, "nothing runs", func() bool { return s.taken().Running == 0 && s.waiting() == 0 })
		if n := metric(t, hs, "efoc_batch_queries_count"); n != 0 {
			t.Errorf("%s: %g queries were answered that nobody waited for", semantics, n)
		}
	}
}

// TestReload swaps the model while a query waits: the old one is closed after its
// answer, not before. A model that cannot be opened changes nothing.
func TestReload(t *testing.T) {
	broken := false
	s, hs := start(t, Config{
		Options: host.Options{
			Open: func(ctx context.Context) (*runtime.Model, error) {
				if broken {
					return nil, errors.New("damaged bundle")
				}
				return openWorld(ctx)
			},
		},
		Token: "secret",
	})
	token := http.Header{"Authorization": {"Bearer secret"}}
	first, closed := s.inUse()
	free := s.occupy()
	defer free()
	var wg sync.WaitGroup
	wg.Go(func() {
		if status, text, _ := callWith(t, hs, "GET", "/v1/ask?formula="+url.QueryEscape(spanish), "", token); status != http.StatusOK || !strings.Contains(text, "Uruguay") {
			t.Errorf("the query under way: status %d: %s", status, text)
		}
	})
	until(t, "one waits", func() bool { return s.waiting() == 1 })
	if status, text, _ := callWith(t, hs, "POST", "/v1/reload", "", token); status != http.StatusOK {
		t.Fatalf("status %d: %s", status, text)
	}
	if now, _ := s.inUse(); now == first {
		t.Fatal("the model is the same")
	}
	select {
	case <-closed:
		t.Error("the old model was closed while a query needed it")
	default:
	}
	free()
	wg.Wait()
	<-closed

	second, _ := s.inUse()
	broken = true
	if status, text, _ := callWith(t, hs, "POST", "/v1/reload", "", token); status != http.StatusUnprocessableEntity || !strings.Contains(text, "damaged bundle") {
		t.Errorf("status %d: %s", status, text)
	}
	if now, _ := s.inUse(); now != second {
		t.Error("a broken model took the place of a good one")
	}
	if status, _, _ := callWith(t, hs, "GET", "/v1/ask?formula="+url.QueryEscape(spanish), "", token); status != http.StatusOK {
		t.Errorf("after a refused reload: status %d", status)
	}
	if _, text, _ := callWith(t, hs, "GET", "/metrics", "", token); !strings.Contains(text, `efoc_reloads_total{result="done"} 1`) || !strings.Contains(text, `efoc_reloads_total{result="refused"} 1`) {
		t.Error("the reloads were not counted")
	}
}

func TestToken(t *testing.T) {
	_, hs := start(t, Config{Token: "secret"})
	for _, path := range []string{"/v1/model", "/metrics", "/v1/ask?formula=x"} {
		for _, header := range []http.Header{nil, {"Authorization": {"Bearer wrong"}}, {"Authorization": {"Basic secret"}}, {"Authorization": {"Bearer"}}} {
			if status, text, _ := callWith(t, hs, "GET", path, "", header); status != http.StatusUnauthorized {
				t.Errorf("%s with %v: status %d: %s", path, header, status, text)
			}
		}
	}
	for _, path := range []string{"/", "/healthz", "/readyz", "/openapi.yaml"} {
		if status, text := call(t, hs, "GET", path, ""); status != http.StatusOK {
			t.Errorf("%s: status %d: %s", path, status, text)
		}
	}
	if status, text, _ := callWith(t, hs, "GET", "/v1/model", "", http.Header{"Authorization": {"bearer secret"}}); status != http.StatusOK {
		t.Errorf("with the token: status %d: %s", status, text)
	}
}

// TestForeignPage checks that a browser cannot be made to ask by another page.
func TestForeignPage(t *testing.T) {
	_, hs := start(t, Config{})
	body := `{"formula":"borders(\"Chad\", y)"}`
	if status, text, _ := callWith(t, hs, "POST", "/v1/ask", body, http.Header{"Sec-Fetch-Site": {"cross-site"}}); status != http.StatusForbidden {
		t.Errorf("status %d: %s", status, text)
	}
	if status, text, _ := callWith(t, hs, "POST", "/v1/ask", body, http.Header{"Sec-Fetch-Site": {"same-origin"}}); status != http.StatusOK {
		t.Errorf("status %d: %s", status, text)
	}
}

func TestRequestID(t *testing.T) {
	var log safeBuffer
	_, hs := start(t, Config{Options: host.Options{Log: slog.New(slog.NewTextHandler(&log, nil))}})
	for given, kept := range map[string]bool{"abc-123": true, strings.Repeat("x", 65): false, "a b": false} {
		_, _, header := callWith(t, hs, "GET", "/readyz", "", http.Header{"X-Request-Id": {given}})
		if id := header.Get("X-Request-Id"); id == "" || (id == given) != kept {
			t.Errorf("given %q, the id is %q", given, id)
		}
	}
	// A request is logged when it is answered.
	until(t, "the request is logged", func() bool {
		return strings.Contains(log.String(), "request_id=abc-123 method=GET path=/readyz status=200")
	})
}

// safeBuffer is a buffer for several goroutines.
type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *safeBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *safeBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// TestShapesKept checks that shapes do not pile up.
func TestShapesKept(t *testing.T) {
	_, hs := start(t, Config{Options: host.Options{Limits: Limits{Shapes: 3}}})
	for i := 2; i <= 8; i++ {
		var atoms []string
		for range i {
			atoms = append(atoms, `borders("France", y)`)
		}
		for j := range atoms {
			atoms[j] = strings.Replace(atoms[j], "France", []string{"France", "Spain", "Italy", "Chad", "Kenya", "Peru", "Chile", "Japan"}[j], 1)
		}
		mustAsk(t, hs, AskRequest{Question: Question{Formula: strings.Join(atoms, " & ")}})
	}
	if n := metric(t, hs, "efoc_shapes_cached"); n != 3 {
		t.Errorf("%g shapes are kept, want 3", n)
	}
}

func TestLimits(t *testing.T) {
	for _, l := range []Limits{{Batch: 10, InFlight: 5}, {K: -1}, {Memory: -1}, {Formula: 1 << 30}} {
		if _, err := New(t.Context(), Config{Options: host.Options{Open: openWorld, Limits: l}}); err == nil {
			t.Errorf("limits %+v were accepted", l)
		}
	}
	_, hs := start(t, Config{Options: host.Options{Limits: Limits{Memory: 1000}}})
	if status, text := call(t, hs, "GET", "/v1/ask?formula="+url.QueryEscape(spanish), ""); status != http.StatusUnprocessableEntity || !strings.Contains(text, "bytes to be answered") {
		t.Errorf("status %d: %s", status, text)
	}
}
