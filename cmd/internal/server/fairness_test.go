package server

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/efoc/efoc/cmd/internal/server/host"
	"github.com/efoc/efoc/cmd/internal/tables"
	"github.com/efoc/efoc/runtime/pause"
	"github.com/efoc/efoc/testdata/long"
	"github.com/efoc/efoc/testdata/require"
)

// heavy is a request that takes long, or many that are alike.
type heavy struct {
	path string
	body string // of a POST; empty for a GET
}

// numbered returns the n-th request.
func (h heavy) numbered(n int64) heavy {
	return heavy{strings.ReplaceAll(h.path, "NUMBER", strconv.FormatInt(n%30+2, 10)), strings.ReplaceAll(h.body, "NUMBER", strconv.FormatInt(n%30+2, 10))}
}

func (h heavy) request(ctx context.Context, hs *httptest.Server) (*http.Request, error) {
	method := http.MethodGet
	if h.body != "" {
		method = http.MethodPost
	}
	r, err := http.NewRequestWithContext(ctx, method, hs.URL+h.path, strings.NewReader(h.body))
	if err == nil && h.body != "" {
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
	}
	return r, err
}

// heavyKinds are requests of each kind that a client can send.
func heavyKinds(t *testing.T) map[string]heavy {
	get := func(path string, values ...string) heavy {
		v := url.Values{}
		for i := 0; i < len(values); i += 2 {
			v.Set(values[i], values[i+1])
		}
		return heavy{path: path + "?" + v.Encode()}
	}
	const triangle = `borders(x, y) & borders(y, z) & borders(z, x)`
	const clique = `exists a, b, c, d. borders(a, b) & borders(a, c) & !borders(a, d) & borders(b, c) & borders(b, d) & borders(c, d) & borders(d, y)`
	var queries []string
	for i := range 128 {
		country := []string{"France", "Kenya", "Japan", "Brazil", "Spain", "Chad", "Peru", "Chile"}[i%8]
		queries = append(queries, fmt.Sprintf(`{"formula": "exists x, z. borders(\"%s\", x) & borders(x, z) & official_language(z, y)", "k": %d}`, country, i+1))
	}
	call := func(tool, arguments string) heavy {
		return heavy{"/mcp", fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, tool, arguments)}
	}
	return map[string]heavy{
		"ask nsmp":    get("/v1/ask", "formula", clique, "semantics", "nsmp"),
		"ask fit":     get("/v1/ask", "formula", tangle("China"), "semantics", "fit"),
		"ask mixed":   get("/v1/ask", "formula", clique, "semantics", "mixed"),
		"ask layers":  {"/v1/ask", `{"formula": "borders(\"Chad\", y) & borders(\"Peru\", y)", "semantics": "nsmp", "settings": {"layers": 40}}`},
		"rows":        get("/v1/ask", "formula", "x, y: "+`exists z. `+triangle, "k", "200"),
		"rows known":  get("/v1/ask", "formula", "x, y: capital(x, y)", "status", "known", "k", "1000"),
		"count":       get("/v1/ask", "formula", "count y: exists x, z. "+triangle),
		"sentence":    get("/v1/ask", "formula", `exists a, b, c, d, e. borders(a, b) & borders(b, c) & borders(c, d) & borders(d, e) & borders(e, a) & !borders(a, c)`),
		"batch":       {"/v1/batch", `{"queries": [` + strings.Join(queries, ",") + `]}`},
		"missing":     get("/v1/missing", "k", "1000"),
		"why":         {"/v1/witness", `{"formula": "exists x, z. borders(x, z) & borders(z, y) & borders(x, y)", "entities": ["France", "Spain", "Kenya", "Chad", "China"]}`},
		"compile":     {"/v1/ask", `{"formula": ` + jsonText(t, clique) + `, "semantics": "nsmp", "settings": {"layers": NUMBER}}`},
		"explain":     {"/v1/explain", `{"formula": ` + jsonText(t, clique) + `, "semantics": "nsmp", "plans": true, "settings": {"layers": NUMBER}}`},
		"search":      get("/v1/search", "name", "Franxe"),
		"entity":      get("/v1/entity/France", "name", "a"),
		"relation":    get("/v1/relation/borders"),
		"sparql":      get("/sparql", "query", "SELECT ?x ?y { ?x :borders ?y . ?y :borders ?z . ?z :borders ?x } LIMIT 100"),
		"mcp ask":     call("ask", `{"formula": `+jsonText(t, clique)+`, "semantics": "nsmp"}`),
		"mcp explain": call("explain", `{"formula": "exists x. borders(\"France\", x) & capital(x, y)", "entities": ["Madrid"]}`),
	}
}

// TestBusy has a request of each kind come while work that takes long has half of the memory, and counts any work as
// such: each is refused at once, and told when to come again.
func TestBusy(t *testing.T) {
	s, hs := start(t, Config{Options: host.Options{Limits: Limits{LongAfter: 1, Deadline: patience}}})
	long := make(chan struct{})
	done := make(chan struct{})
	go s.host.Run(t.Context(), s.host.MaxBytes(), func(ctx context.Context) error {
		pause.Here(ctx) // which finds that it takes long
		close(long)
		<-done
		return nil
	})
	<-long
	defer close(done)
	for name, h := range heavyKinds(t) {
		h = h.numbered(0)
		method := "GET"
		if h.body != "" {
			method = "POST"
		}
		accept := http.Header{"Accept": {"application/json, text/event-stream"}}
		status, text, header := callWith(t, hs, method, h.path, h.body, accept)
		if name == "batch" || strings.HasPrefix(name, "mcp") { // an error for each query or call
			if status != http.StatusOK || !strings.Contains(text, "; ask again in ") {
				t.Errorf("%s: status %d: %.300s", name, status, text)
			}
			continue
		}
		seconds, err := strconv.Atoi(header.Get("Retry-After"))
		if status != http.StatusTooManyRequests || err != nil || seconds < 1 || !strings.Contains(text, "; ask again in "+tables.Number(seconds, "second")) {
			t.Errorf("%s: status %d, %v: %.300s", name, status, header, text)
		}
	}
}

// TestFairness has eight clients of each kind send what takes long beside one that asks short questions: all of these are
// answered, and what the clients no longer wait for ends. With EFOC_LONG it prints how long the short questions take.
func TestFairness(t *testing.T) {
	s, hs := start(t, Config{Options: host.Options{Limits: Limits{Shapes: 4, Deadline: 10 * time.Second}}})
	questions := long.Or(200, 2)
	alone := shortQuestions(t, hs, questions)
	t.Logf("%-12s p95 %6.1f ms", "alone", alone)
	kinds := heavyKinds(t)
	for _, name := range slices.Sorted(maps.Keys(kinds)) {
		h := kinds[name]
		ctx, cancel := context.WithCancel(t.Context())
		statuses := map[int]int{}
		var mu sync.Mutex
		var sent atomic.Int64
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				for ctx.Err() == nil {
					r, err := h.numbered(sent.Add(1)).request(ctx, hs)
					require.NoError(t, err)
					resp, err := hs.Client().Do(r)
					if err != nil {
						continue
					}
					io.Copy(io.Discard, resp.Body)
					resp.Body.Close()
					mu.Lock()
					statuses[resp.StatusCode]++
					mu.Unlock()
					if resp.StatusCode == http.StatusTooManyRequests {
						time.Sleep(20 * time.Millisecond) // as an impatient client does
					}
				}
			})
		}
		until(t, "all have asked", func() bool { return sent.Load() >= 8 })
		beside := shortQuestions(t, hs, questions)
		cancel()
		wg.Wait()
		until(t, "nothing runs for clients that have gone", func() bool { return s.jobs() == 0 && s.taken().InFlight == 0 })
		t.Logf("%-12s p95 %6.1f ms, %5.1f times; statuses of heavy requests %v", name, beside, beside/alone, statuses)
		for status := range statuses {
			if status != http.StatusOK && status != http.StatusTooManyRequests && status != http.StatusGatewayTimeout {
				t.Errorf("%s: status %d", name, status)
			}
		}
	}
}

// shortQuestions asks some short questions, one after the other, which all have to be answered. It returns the time, in
// milliseconds, in which 95% are.
func shortQuestions(t *testing.T, hs *httptest.Server, n int) float64 {
	t.Helper()
	countries := []string{"France", "Kenya", "Japan", "Brazil", "Spain", "Chad", "Peru", "Chile"}
	var took []float64
	for i := range n {
		from := time.Now()
		formula := fmt.Sprintf(`exists x. borders(%q, x) & official_language(x, y)`, countries[i%len(countries)])
		status, text := call(t, hs, "GET", "/v1/ask?formula="+url.QueryEscape(formula), "")
		if status != http.StatusOK {
			t.Errorf("a short question: status %d: %.200s", status, text)
		}
		took = append(took, float64(time.Since(from).Microseconds())/1000)
	}
	slices.Sort(took)
	return took[len(took)*95/100]
}
