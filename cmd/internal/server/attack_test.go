package server

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	goruntime "runtime"
	"strings"
	"testing"
	"time"

	"github.com/efoc/efoc/cmd/internal/server/host"
	"github.com/efoc/efoc/cmd/internal/server/transport"
	"github.com/efoc/efoc/testdata/require"
)

// victim is a server that is attacked.
type victim struct {
	*testing.T
	s       *Server
	address string
	client  *http.Client
	stop    context.CancelFunc
	dialled []net.Conn
}

// attack starts a server as the command does, with short timeouts of connections, and
// runs an attack on it, which calls unharmed where it is worst. Afterwards the server must
// answer plain questions still, and go down in peace with nothing left behind.
func attack(t *testing.T, c Config, prepare func(b *transport.Bounds), run func(v *victim)) {
	t.Helper()
	goroutines, descriptors := goruntime.NumGoroutine(), openFiles()
	log := &safeBuffer{}
	c.Log = slog.New(slog.NewTextHandler(log, nil))
	c.Open, c.Plans, c.Limits.Deadline = openWorld, plans, patience
	c.bounds = patientBounds()
	if prepare != nil {
		prepare(c.bounds)
	}
	s, err := New(t.Context(), c)
	require.NoError(t, err)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx, smallBuffers{l}, patience) }()
	v := &victim{T: t, s: s, address: l.Addr().String(), client: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}, stop: stop}
	v.unharmed()
	run(v)
	if !s.transport.Draining() {
		v.unharmed()
	}
	stop()
	if err := <-served; err != nil {
		t.Errorf("the server did not go down in peace: %v", err)
	}
	for _, c := range v.dialled {
		c.Close()
	}
	// The queue looks once more for work after its last job.
	until(t, "the queue rests", func() bool { return s.taken().Running == 0 })
	if left := s.taken(); left != (taken{}) {
		t.Errorf("slots are taken: %+v", left)
	}
	s.Close()
	if m, _ := s.inUse(); m != nil || s.Reload(t.Context()) == nil {
		t.Error("a closed server has a model, or takes one")
	}
	if strings.Contains(log.String(), "internal error") {
		t.Errorf("the log has internal errors:\n%s", log)
	}
	until(t, "goroutines end", func() bool { return goruntime.NumGoroutine() <= goroutines })
	until(t, "descriptors are closed", func() bool { return openFiles() <= descriptors })
}

// openFiles counts descriptors, where the system tells.
func openFiles() int {
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	return len(files)
}

// smallBuffers is a listener whose connections buffer little of what is written.
type smallBuffers struct{ net.Listener }

func (l smallBuffers) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err == nil {
		c.(*net.TCPConn).SetWriteBuffer(4 << 10)
	}
	return c, err
}

// unharmed asks plain questions, which must be answered right.
func (v *victim) unharmed() {
	v.Helper()
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		target, body := "http://"+v.address+"/v1/ask?k=2&formula="+url.QueryEscape(spanish), ""
		if method == http.MethodPost {
			target, body = "http://"+v.address+"/v1/ask", `{"k":2,"formula":"`+strings.ReplaceAll(spanish, `"`, `\"`)+`"}`
		}
		req, err := http.NewRequestWithContext(v.Context(), method, target, strings.NewReader(body))
		require.NoError(v, err)
		resp, err := v.client.Do(req)
		if err != nil {
			v.Errorf("a plain question was not answered: %v", err)
			continue
		}
		text, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		// Of Brazil's neighbours most speak Spanish; see cmd/efoc/world.
		if err != nil || resp.StatusCode != http.StatusOK || !strings.Contains(string(text), `"Venezuela"`) {
			v.Errorf("a plain question got %d, %v: %s", resp.StatusCode, err, text)
		}
	}
}

// dial opens a connection, which is closed when the server has gone down.
func (v *victim) dial() *net.TCPConn {
	v.Helper()
	c, err := net.Dial("tcp", v.address)
	require.NoError(v, err)
	v.dialled = append(v.dialled, c)
	return c.(*net.TCPConn)
}

// hold opens n connections, sends a text through each and leaves them open.
func (v *victim) hold(n int, text string) (held []*net.TCPConn, letGo func()) {
	v.Helper()
	for range n {
		c := v.dial()
		c.SetReadBuffer(4 << 10)
		io.WriteString(c, text)
		held = append(held, c)
	}
	return held, func() {
		for _, c := range held {
			c.Close()
		}
	}
}

// raw sends a text and returns the responses until the connection is closed.
func (v *victim) raw(text string) (statuses []int, bodies string) {
	v.Helper()
	c := v.dial()
	defer c.Close()
	go io.WriteString(c, text) // the server need not read it all
	return v.responses(c)
}

// responses reads until the connection is closed.
func (v *victim) responses(c net.Conn) (statuses []int, bodies string) {
	v.Helper()
	c.SetReadDeadline(time.Now().Add(patience))
	var all strings.Builder
	for r := bufio.NewReader(c); ; {
		resp, err := http.ReadResponse(r, nil)
		if err != nil {
			return statuses, all.String()
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		all.Write(body)
		statuses = append(statuses, resp.StatusCode)
		// A text of the library has no id: such a request came to no handler.
		if id := resp.Header.Get("X-Request-Id"); id == "" && resp.StatusCode != http.StatusBadRequest && resp.StatusCode != http.StatusRequestHeaderFieldsTooLarge &&
			resp.StatusCode != http.StatusExpectationFailed && resp.StatusCode != http.StatusNotImplemented && resp.StatusCode != http.StatusHTTPVersionNotSupported {
			v.Errorf("status %d without a request id", resp.StatusCode)
		} else if id != "" && resp.StatusCode >= 400 && !strings.Contains(string(body), id) {
			v.Errorf("status %d: the request id %s is not in %s", resp.StatusCode, id, body)
		}
		if err != nil {
			return statuses, all.String()
		}
	}
}

// head returns the head of a request for /v1/ask.
func head(length int, more ...string) string {
	return fmt.Sprintf("POST /v1/ask HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n%s\r\n", length, strings.Join(more, ""))
}

// post returns a request that asks for the connection to be closed after it.
func post(body string) string { return head(len(body), "Connection: close\r\n") + body }

// TestAttackSlowBodies holds more requests without their bodies than may be in flight:
// they count only once they have come.
func TestAttackSlowBodies(t *testing.T) {
	attack(t, Config{Options: host.Options{Limits: Limits{InFlight: 8, Batch: 8}}}, nil, func(v *victim) {
		const n = 40
		_, letGo := v.hold(n, head(1000)+`{"formula":"`)
		until(t, "all are being read", func() bool { return v.s.taken().Incoming == n })
		v.unharmed()
		if flying := v.s.taken().InFlight; flying != 0 {
			t.Errorf("%d queries are in flight, whose requests have not come", flying)
		}
		letGo()
		until(t, "all are given up", func() bool { return v.s.taken().Incoming == 0 })
	})
}

// TestAttackManyBodies holds more bodies than may be read at a time, by number and by
// bytes: the oldest are cut off and told so.
func TestAttackManyBodies(t *testing.T) {
	for name, c := range map[string]struct {
		most  int
		bytes int64
	}{"number": {10, 1 << 20}, "bytes": {1000, 10_100}} {
		t.Run(name, func(t *testing.T) {
			attack(t, Config{}, func(b *transport.Bounds) { b.Incoming = transport.Room{Number: c.most, Bytes: c.bytes} }, func(v *victim) {
				var held []*net.TCPConn
				for i := range 15 {
					more, _ := v.hold(1, head(2000)+strings.Repeat(" ", 1000))
					held = append(held, more...)
					if i < 10 {
						until(t, "the body is being read", func() bool { return v.s.taken().IncomingBytes == int64(i+1)*1000 })
					}
				}
				for i, c := range held[:5] {
					if statuses, text := v.responses(c); len(statuses) != 1 || statuses[0] != http.StatusTooManyRequests || !strings.Contains(text, "overloaded") {
						t.Errorf("body %d: status %d: %s", i, statuses, text)
					}
				}
				until(t, "the youngest stay", func() bool { return v.s.taken().Incoming == 10 })
				v.unharmed()
			})
		})
	}
}

// TestAttackTooSlow checks that a body which does not come in time is given up, and that
// the time for a body is not the time for the answer.
func TestAttackTooSlow(t *testing.T) {
	const most = 300 * time.Millisecond
	short := func(b *transport.Bounds) { b.Body = most }
	attack(t, Config{}, short, func(v *victim) {
		if statuses, text := v.raw(head(100) + `{"formula":`); len(statuses) != 1 || statuses[0] != http.StatusRequestTimeout || !strings.Contains(text, "too_slow") {
			t.Errorf("status %d: %s", statuses, text)
		}
		body := `{"formula":"borders(\"Kenya\", y)"}`
		get := "GET /v1/ask?formula=" + url.QueryEscape(spanish) + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
		for _, request := range []string{post(body), get} {
			free := v.s.occupy()
			time.AfterFunc(2*most, free)
			if statuses, text := v.raw(request); len(statuses) != 1 || statuses[0] != http.StatusOK {
				t.Errorf("a question whose answer takes longer than its body may: status %d: %s", statuses, text)
			}
			free()
		}
	})
}

// TestAttackUnread asks for large answers and reads none of them: they hold up neither
// queries in flight nor compilers, and the oldest are cut off.
func TestAttackUnread(t *testing.T) {
	const most = 10
	attack(t, Config{Options: host.Options{Limits: Limits{InFlight: 64, Batch: 16}}}, func(b *transport.Bounds) { b.Outgoing.Number = most }, func(v *victim) {
		var parts, queries []string
		for i := range 4 {
			parts = append(parts, fmt.Sprintf("exists x%[1]d. borders(x%[1]d, y) & (capital(x%[1]d, y) | borders(y, x%[1]d))", i))
		}
		for range 16 {
			queries = append(queries, `{"formula":"borders(\"Chad\", y)","k":1000,"no_status":true}`)
		}
		batch := `{"queries":[` + strings.Join(queries, ",") + `]}`
		stuck := 0
		hold := func(request string) {
			v.hold(1, request)
			stuck = min(stuck+1, most)
			until(t, "the answer is stuck", func() bool { return v.s.taken().Outgoing == stuck && v.s.taken().InFlight == 0 })
		}
		for range goruntime.GOMAXPROCS(0) { // as many as compile at a time
			hold("GET /v1/explain?plans=true&formula=" + url.QueryEscape(strings.Join(parts, " & ")+` & borders("France", y)`) + " HTTP/1.1\r\nHost: localhost\r\n\r\n")
		}
		v.unharmed()
		for range most {
			hold(fmt.Sprintf("POST /v1/batch HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s", len(batch), batch))
		}
		v.unharmed()
	})
}

// TestAttackConnections opens many connections, idle ones and such as send the head of a
// request slowly: there is room for those that ask.
func TestAttackConnections(t *testing.T) {
	for name, text := range map[string]string{
		"silent": "", "slow head": "POST /v1/ask HTTP/1.1\r\nHost: localhost\r\nX-Slow: ",
		"idle": "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			before := openFiles()
			few := func(b *transport.Bounds) {
				b.Header = time.Hour
				b.Idle = time.Hour
				b.Connections = 20
			}
			attack(t, Config{}, few, func(v *victim) {
				held, _ := v.hold(100, text)
				if name == "idle" { // once all requests are answered, or closed to make room
					for _, c := range held {
						c.SetReadDeadline(time.Now().Add(patience))
						if _, err := c.Read(make([]byte, 1)); errors.Is(err, os.ErrDeadlineExceeded) {
							t.Error("a request was not answered")
						}
					}
				}
				v.unharmed()
				if name != "idle" { // those wait from their last answer on, in whatever order these came
					held[0].SetReadDeadline(time.Now().Add(patience))
					if _, err := io.Copy(io.Discard, held[0]); errors.Is(err, os.ErrDeadlineExceeded) {
						t.Error("the oldest connection is still open")
					}
				}
				if before > 0 { // descriptors can be counted: 100 are the client's
					until(t, "the others are closed", func() bool { return openFiles() <= before+100+30 })
				}
				for _, c := range held {
					c.Close()
				}
			})
		})
	}
}

// TestAttackCancelled goes away while queries wait for their answers.
func TestAttackCancelled(t *testing.T) {
	attack(t, Config{}, nil, func(v *victim) {
		free := v.s.occupy()
		defer free()
		_, letGo := v.hold(20, head(34)+`{"formula":"borders(\"Chad\", y)"}`)
		until(t, "all wait", func() bool { return v.s.waiting() == 20 })
		letGo()
		until(t, "all are given up", func() bool { return v.s.taken().InFlight == 0 })
		free()
		until(t, "no batch runs", func() bool { return v.s.waiting() == 0 })
	})
}

// TestAttackNonsense sends what no client should: each is refused for its own
// reason, or answered, and costs the others nothing.
func TestAttackNonsense(t *testing.T) {
	good := `{"formula":"borders(\"Chad\", y)"}`
	get := func(target, host string) string {
		return "GET " + target + " HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n"
	}
	in := func(contentType string) string {
		return fmt.Sprintf("POST /v1/ask HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n%s\r\nContent-Length: %d\r\n\r\n%s", contentType, len(good), good)
	}
	ask := "/v1/ask?formula=" + url.QueryEscape(spanish)
	cases := []struct {
		name, text string
		want       []int // statuses; none where the server may just hang up
	}{
		{"nonsense", "\x16\x03\x01\x00 nonsense\r\n\r\n", []int{400}},
		{"zeros", strings.Repeat("\x00", 100_000), nil},
		{"another protocol", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", nil},
		{"version", "GET / HTTP/9.9\r\nHost: localhost\r\n\r\n", []int{505}},
		{"method", "BREW /v1/ask HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", []int{405}},

		{"huge head", "GET / HTTP/1.1\r\nHost: localhost\r\nX-Huge: " + strings.Repeat("x", 100_000) + "\r\n\r\n", []int{431}},
		{"many headers", "GET / HTTP/1.1\r\nHost: localhost\r\n" + strings.Repeat("X-Many: x\r\n", 10_000) + "\r\n", []int{431}},
		{"huge url", get("/v1/ask?formula="+strings.Repeat("x", 100_000), "localhost"), []int{431}},
		{"long url", get("/v1/ask?formula="+strings.Repeat("x", 10_000), "localhost"), []int{413}},
		{"huge body", head(1<<40) + strings.Repeat("x", 100_000), []int{413}},
		{"endless chunks", "POST /v1/ask HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n" + strings.Repeat("400\r\n"+strings.Repeat("x", 1024)+"\r\n", 2000), []int{413}},
		{"bad chunk", "POST /v1/ask HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFFF\r\nx", []int{400}},
		{"length and chunks", "POST /v1/ask HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", []int{400}},
		{"two lengths", "POST /v1/ask HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n{}", []int{400}},
		{"negative length", "POST /v1/ask HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n{}", []int{400}},
		{"expectation", head(2, "Expect: wonders\r\n") + "{}", []int{417}},

		{"no host", "GET / HTTP/1.1\r\n\r\n", []int{400}},
		{"two hosts", "GET / HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n", []int{400}},
		{"bad host", get(ask, "evil\x01example"), []int{400}},
		{"foreign host", get(ask, "evil.example"), []int{403}},
		{"host in the target", get("http://evil.example"+ask, "localhost"), []int{403}},
		{"host of digits", get(ask, "2130706433"), []int{403}},
		{"empty host", get(ask, ""), []int{403}},
		{"host with blanks", get(ask, "localhost evil"), []int{400, 403}},

		{"no JSON", post(`<xml/>`), []int{400}},
		{"half of it", post(`{"formula":"x`), []int{400}},
		{"array", post(`[]`), []int{400}},
		{"number", post(`{"formula":1e999}`), []int{400}},
		{"huge number", post(`{"template":"query Q(s1 entity, r1 relation) f = $r1($s1, f)","k":` + strings.Repeat("9", 1000) + `}`), []int{400}},
		{"trailing text", post(good + good), []int{400}},
		{"deep JSON", post(strings.Repeat("[", 100_000)), []int{400}},
		{"deep value", post(`{"args":` + strings.Repeat(`{"a":`, 50_000) + `1`), []int{400}},
		{"deep formula", post(`{"formula":"` + strings.Repeat("(", 5000) + `"}`), []int{400}},
		{"negations", post(`{"formula":"` + strings.Repeat("!", 8000) + `r(x, y)"}`), []int{400}},
		{"disjunctions", post(`{"formula":"` + strings.TrimSuffix(strings.Repeat("(borders(y, y) | capital(y, y)) & ", 30), " & ") + `"}`), []int{400}},
		{"no UTF-8", post("{\"formula\":\"borders(\\\"\xff\xfe\\\", y)\"}"), []int{400}},
		{"no UTF-8 in the url", get("/v1/ask?formula=borders(%22%ff%22,y)", "localhost"), []int{400}},
		{"zero bytes", post(`{"formula":"borders(\"\u0000\", y)"}`), []int{404}},

		{"bad escape", get("/v1/ask?formula=%zz", "localhost"), []int{400}},
		{"semicolons", get(ask+";k=3", "localhost"), []int{400}},
		{"unknown parameter", get(ask+"&kk=3", "localhost"), []int{400}},
		{"parameter given twice", get(ask+"&k=3&k=4", "localhost"), []int{400}},
		{"number beyond all", get(ask+"&k=99999999999999999999", "localhost"), []int{400}},
		{"negative", get(ask+"&sets=-1", "localhost"), []int{400}},
		{"not quite a truth value", get("/v1/explain?plans=yes&formula="+url.QueryEscape(spanish), "localhost"), []int{400}},
		{"dots", get("/static/../../../../etc/passwd", "localhost"), []int{307, 301, 400, 404}},
		{"escaped dots", get("/static/%2e%2e/%2e%2e/routes.go", "localhost"), []int{307, 301, 400, 404}},

		{"no content type", in("X-Type: none"), []int{200}},
		{"form", in("Content-Type: application/x-www-form-urlencoded"), []int{200}},
		{"multipart", in("Content-Type: multipart/form-data"), []int{200}},
		{"compressed", in("Content-Encoding: gzip"), []int{400}},

		{"pipelined", head(len(good)) + good + post(good), []int{200, 200}},
		{"pipelined garbage", head(len(good)) + good + "\x00\x01 garbage\r\n\r\n", []int{200, 400}},
		{"body of a GET", "GET " + ask + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 3\r\n\r\n{}}", []int{200}},
		{"huge body of a GET", "GET " + ask + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999\r\n\r\n{}}", []int{413}},
	}
	attack(t, Config{Hosts: []string{"localhost"}}, nil, func(v *victim) {
		for _, c := range cases {
			got, text := v.raw(c.text)
			switch {
			case c.want == nil:
				for _, status := range got {
					if status < 400 || status >= 500 && status != 505 {
						t.Errorf("%s: status %d: %s", c.name, got, text)
					}
				}
			case !fits(got, c.want):
				t.Errorf("%s: status %d, want %d: %.300s", c.name, got, c.want, text)
			}
			v.unharmed()
		}
		// Half-closed: a client that sends no more is taken for gone, or is answered.
		for _, request := range []string{head(len(good)) + good, head(100) + good, "GET / HT"} {
			c := v.dial()
			io.WriteString(c, request)
			c.CloseWrite()
			if got, text := v.responses(c); len(got) > 1 || len(got) == 1 && got[0] >= 500 {
				t.Errorf("half-closed: status %d: %s", got, text)
			}
			c.Close()
			v.unharmed()
		}
	})
}

// fits reports whether the statuses are as wanted: all of them in order, or a single one
// that is among those wanted.
func fits(got, want []int) bool {
	if len(got) == 1 {
		for _, status := range want {
			if got[0] == status && (len(want) == 1 || status >= 300) {
				return true
			}
		}
		return false
	}
	return fmt.Sprint(got) == fmt.Sprint(want)
}

// TestAttackShutdown stops a server that is under attack: what is being answered is
// answered, the rest does not hold it up.
func TestAttackShutdown(t *testing.T) {
	hasty := func(b *transport.Bounds) { b.Header = 500 * time.Millisecond }
	attack(t, Config{}, hasty, func(v *victim) {
		free := v.s.occupy()
		defer free()
		v.hold(20, head(1000)+"{")
		v.hold(20, "POST /v1/ask HTTP/1.1\r\nHost: loc")
		v.hold(20, "GET /v1/explain?plans=true&formula="+url.QueryEscape(spanish)+" HTTP/1.1\r\nHost: localhost\r\n\r\n")
		asked, _ := v.hold(1, head(34)+`{"formula":"borders(\"Chad\", y)"}`)
		until(t, "21 wait", func() bool { return v.s.waiting() == 21 && v.s.taken().Incoming == 20 })
		v.stop()
		until(t, "it goes down", v.s.transport.Draining)
		until(t, "the rest is cut off", func() bool { return v.s.taken().Incoming == 0 })
		free()
		if got, text := v.responses(asked[0]); len(got) != 1 || got[0] != http.StatusOK {
			t.Errorf("the question under way: status %d: %s", got, text)
		}
	})
}
