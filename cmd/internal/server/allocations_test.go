package server

import (
	"io"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/efoc/efoc/cmd/internal/server/host"
	"github.com/efoc/efoc/cmd/internal/server/transport"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/testdata/require"
)

// repeated asks a server the same text again and again, without a connection.
type repeated struct {
	server  *Server
	request *http.Request
	body    *strings.Reader
	text    string
	header  http.Header
	status  int
}

func (c *repeated) Header() http.Header         { return c.header }
func (c *repeated) WriteHeader(status int)      { c.status = status }
func (c *repeated) Write(b []byte) (int, error) { return len(b), nil }

// ask asks once.
func (c *repeated) ask(tb testing.TB) {
	c.body.Reset(c.text)
	c.request.Body = io.NopCloser(c.body)
	c.request.Header.Del("X-Request-Id")
	clear(c.header)
	c.server.ServeHTTP(c, c.request)
	if c.status != http.StatusOK {
		tb.Fatalf("status %d", c.status)
	}
}

// repeating returns who asks a text again and again.
func repeating(tb testing.TB, text string) *repeated {
	tb.Helper()
	s, err := New(tb.Context(), Config{Options: host.Options{Open: openWorld, Plans: plans, Log: slog.New(slog.NewTextHandler(io.Discard, nil)), Limits: Limits{Deadline: patience}}})
	require.NoError(tb, err)
	tb.Cleanup(s.Close)
	c := &repeated{server: s, text: text, body: strings.NewReader(""), header: http.Header{}}
	c.request = httptest.NewRequest("POST", "/v1/ask", c.body)
	c.request.ContentLength = int64(len(text))
	c.ask(tb)
	return c
}

// askedTexts are requests with what they allocate on a server that has been asked them before: on the whole, and
// for the reply alone.
var askedTexts = []struct {
	name, text      string
	whole, forReply float64
}{
	{"one hop", `{"formula": "borders(\"France\", y)"}`, 111, 17},
	{"two hops", `{"formula": "exists x. borders(\"France\", x) & capital(x, y)"}`, 122, 24},
	{"without statuses", `{"formula": "exists x. borders(\"France\", x) & capital(x, y)", "no_status": true, "sets": 0}`, 107, 13},
	{"truth degrees", `{"formula": "exists x. borders(\"France\", x) & capital(x, y)", "semantics": "fit"}`, 123, 24},
	{"message passing", `{"formula": "exists x. borders(\"France\", x) & capital(x, y)", "semantics": "nsmp"}`, 129, 28},
}

// replying returns a function that makes the reply to the text again, and nothing else of an answer.
func (c *repeated) replying(tb testing.TB) func() {
	tb.Helper()
	req := AskRequest{Sets: 3}
	require.NoError(tb, transport.DecodeText([]byte(c.text), &req))
	var p *host.Prepared
	require.NoError(tb, c.server.host.With(func(h *host.Model) (err error) {
		p, err = c.server.host.Prepare(tb.Context(), h, &req.Question)
		return err
	}))
	o := runtime.Options{K: runtime.DefaultK, SetSize: req.Sets, NoStatus: req.NoStatus, Budget: 200_000, Settings: &p.Settings}
	return func() {
		_, err := p.Ask(tb.Context(), p.Given, o)
		require.NoError(tb, err)
	}
}

// allocated returns how often a call allocates: the least of three averages, as what a thread that moves to another
// processor finds empty there, a pool fills once more. A thousand runs leave out what a new server allocates once.
func allocated(do func()) float64 {
	least := math.Inf(1)
	for range 3 {
		least = min(least, testing.AllocsPerRun(1000, do))
	}
	return least
}

// TestAskAllocations has ceilings that are the counts: lower them if you lower these. Without the garbage collector no
// pool is filled again.
func TestAskAllocations(t *testing.T) {
	if require.Racing {
		t.Skip("the race detector allocates")
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	for _, c := range askedTexts {
		r := repeating(t, c.text)
		if n := allocated(func() { r.ask(t) }); n > c.whole {
			t.Errorf("%s: a request allocates %v times, want at most %v", c.name, n, c.whole)
		}
		if n := allocated(r.replying(t)); n > c.forReply {
			t.Errorf("%s: a reply allocates %v times, want at most %v", c.name, n, c.forReply)
		}
	}
}

func BenchmarkAsk(b *testing.B) {
	for _, c := range askedTexts {
		r := repeating(b, c.text)
		run := func(what string, do func()) {
			b.Run(c.name+"/"+what, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					do()
				}
			})
		}
		run("request", func() { r.ask(b) })
		run("reply", r.replying(b))
	}
}
