package lsp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/creachadair/jrpc2"
	"pgregory.net/rapid"

	"github.com/efoc/efoc/cmd/efoc/world"
	"github.com/efoc/efoc/testdata/require"
	"github.com/efoc/efoc/testdata/seed"
)

// editor is the other end of a session: it writes and reads raw messages.
type editor struct {
	t     *testing.T
	to    *io.PipeWriter
	from  *stream
	ended chan error
	log   strings.Builder

	asked     int            // requests
	versions  map[string]int // of texts, by URI
	published []published
}

func start(ctx context.Context, t *testing.T) *editor {
	t.Helper()
	m, err := world.Open()
	require.NoError(t, err)
	return startWith(ctx, t, m)
}

// send sends messages at once.
func (e *editor) send(messages ...string) {
	e.t.Helper()
	var text strings.Builder
	for _, m := range messages {
		fmt.Fprintf(&text, "Content-Length: %d\r\nContent-Type: application/vscode-jsonrpc; charset=utf8\r\n\r\n%s", len(m), m)
	}
	_, err := io.WriteString(e.to, text.String())
	if !errors.Is(err, io.ErrClosedPipe) { // the session need not read on at its end
		require.NoError(e.t, err)
	}
}

// drain reads what the session sends until it ends.
func (e *editor) drain() { _, _ = io.Copy(io.Discard, e.from.in) }

// want reads the next response, which must have all of the texts.
func (e *editor) want(texts ...string) {
	e.t.Helper()
	message := []byte{}
	for !strings.Contains(string(message), `"id":`) {
		var err error
		message, err = e.from.receive()
		require.NoError(e.t, err)
	}
	for _, text := range texts {
		if !strings.Contains(string(message), text) {
			e.t.Fatalf("got %s, want %s", message, text)
		}
	}
}

func (e *editor) initialize() {
	e.t.Helper()
	e.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"capabilities":{}}}`)
	e.want(`"id":0`, `"positionEncoding":"utf-16"`)
}

// TestSessionFaults sends what is wrong: the session goes on.
func TestSessionFaults(t *testing.T) {
	methods["test/fault"] = func(*session, context.Context, *params) (any, error) { panic("a fault") }
	t.Cleanup(func() { delete(methods, "test/fault") }) // after the session
	e := start(t.Context(), t)
	e.initialize()
	for i, x := range []struct{ message, want string }{
		{`{"jsonrpc":"2.0","id":1,"method":"test/fault"}`, `"message":"internal error: a fault"`},
		{`{"jsonrpc":"2.0","method":"test/fault"}`, ""},
		{`hello`, fmt.Sprintf(`"code":%d`, jrpc2.ParseError)},
		{`{"jsonrpc":"2.0","id":1,"method":"textDocument/unknown"}`, fmt.Sprintf(`"code":%d`, jrpc2.MethodNotFound)},
		{`{"jsonrpc":"2.0","id":1,"method":"textDocument/hover","params":{"position":"here"}}`, fmt.Sprintf(`"code":%d`, jrpc2.InvalidParams)},
		{`{"jsonrpc":"2.0","id":1,"method":"textDocument/hover","params":{"textDocument":{"uri":"file:///a"}}}`, "file:///a is not open"},
		{`{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":7}}`, ""},
		{`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":99}}`, ""},
		{`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`, fmt.Sprintf(`"code":%d`, jrpc2.InvalidRequest)},
	} {
		e.send(strings.Replace(x.message, `"id":1`, fmt.Sprintf(`"id":%d`, 1+i), 1))
		if x.want != "" {
			e.want(x.want)
		}
		e.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":"after %d","method":"$/setTrace"}`, i))
		e.want(fmt.Sprintf(`"after %d"`, i), `"result"`)
	}
	if !strings.Contains(e.log.String(), "internal error: test/fault: a fault") {
		t.Errorf("the log has no fault: %s", e.log.String())
	}
}

// TestSessionEnds ends a session in each of the ways that an editor can.
func TestSessionEnds(t *testing.T) {
	const exit = `{"jsonrpc":"2.0","method":"exit"}`
	for name, x := range map[string]struct {
		end  func(*editor, func())
		want string
	}{
		"as the protocol says": {func(e *editor, _ func()) {
			e.send(`{"jsonrpc":"2.0","id":1,"method":"shutdown"}`)
			e.want(`"id":1`)
			e.send(exit)
		}, ""},
		"at once": {func(e *editor, _ func()) {
			go e.drain()
			e.send(`{"jsonrpc":"2.0","id":1,"method":"shutdown"}`, exit)
		}, ""},
		"without shutdown":  {func(e *editor, _ func()) { e.send(exit) }, "exit without shutdown"},
		"without a word":    {func(e *editor, _ func()) { e.to.Close() }, "closed the connection"},
		"by a signal":       {func(_ *editor, stop func()) { stop() }, context.Canceled.Error()},
		"too long":          {func(e *editor, _ func()) { fmt.Fprint(e.to, "Content-Length: 99999999999\r\n\r\n") }, "a message of 99999999999 bytes is over the limit"},
		"without a length":  {func(e *editor, _ func()) { fmt.Fprint(e.to, "Content-Type: x\r\n\r\n") }, "needs the header Content-Length"},
		"that is no header": {func(e *editor, _ func()) { fmt.Fprint(e.to, "hello\r\n\r\n") }, "malformed MIME header"},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			e := start(ctx, t)
			e.initialize()
			x.end(e, stop)
			err := <-e.ended
			if got := fmt.Sprint(err); x.want == "" && err != nil || !strings.Contains(got, x.want) {
				t.Errorf("got %v, want %q", err, x.want)
			}
		})
	}
}

// TestSessionInvalid sends messages that are not valid, then the end of the session and more: each is refused, and nothing
// fails.
func TestSessionInvalid(t *testing.T) {
	const shutdown, exit = `{"jsonrpc":"2.0","id":"s","method":"shutdown"}`, `{"jsonrpc":"2.0","method":"exit"}`
	for _, x := range []struct{ message, want string }{
		{`{"jsonrpc":"2.0","id":{},"method":"textDocument/hover"}`, `"invalid request ID"`},
		{`{"jsonrpc":"2.0","id":[1],"method":"shutdown"}`, `"invalid request ID"`},
		{`{"jsonrpc":"1.0","method":"textDocument/didOpen"}`, `"invalid version marker"`},
		{`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":7}`, `"parameters must be array or object"`},
		{`{"jsonrpc":"2.0","id":5,"method":"textDocument/hover","more":1}`, `"id":5`},
		{`{"jsonrpc":"2.0","id":6,"method":7}`, `"invalid method name"`},
		{`[]`, `"the protocol has no batches"`},
		{`[{"jsonrpc":"2.0","id":7,"method":"shutdown"}]`, `"the protocol has no batches"`},
		{`[[]]`, `"the protocol has no batches"`},
		{`{`, `"error"`},
		{``, `"error"`},
	} {
		e := start(t.Context(), t)
		e.initialize()
		e.send(x.message)
		e.want(x.want)
		go e.drain()
		e.send(x.message, shutdown, x.message, exit, x.message)
		if err := <-e.ended; err != nil {
			t.Errorf("%s: %v", x.message, err)
		}
	}
}

// TestSessionSignal ends the context while the editor sends on: nothing reads the model afterwards.
func TestSessionSignal(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	e := start(ctx, t)
	e.initialize()
	var working atomic.Bool
	methods["test/work"] = func(*session, context.Context, *params) (any, error) {
		working.Store(true)
		defer working.Store(false)
		stop()
		for range 1000 {
			runtime.Gosched()
		}
		return nil, nil
	}
	t.Cleanup(func() { delete(methods, "test/work") })
	e.send(`{"jsonrpc":"2.0","id":1,"method":"test/work"}`)
	go e.drain()
	if err := <-e.ended; !errors.Is(err, context.Canceled) || working.Load() {
		t.Errorf("got %v, working: %v", err, working.Load())
	}
}

// TestManyChanges changes a text faster than its mistakes are found: those of the last text are published
// last, all of them.
func TestManyChanges(t *testing.T) {
	e := start(t.Context(), t)
	e.initialize()
	const method = `{"jsonrpc":"2.0","method":"textDocument/%s","params":{"textDocument":{"uri":"file:///a","version":%d%s}}`
	go func() {
		e.send(fmt.Sprintf(method, "didOpen", 1, `,"text":"query"}`))
		for version := 2; version < 100; version++ {
			text := strings.Repeat(`query Q\n`, version)
			e.send(fmt.Sprintf(method, "didChange", version, `},"contentChanges":[{"text":"`+text+`"}]`))
		}
	}()
	last := ""
	for !strings.Contains(last, `"version":99`) {
		message, err := e.from.receive()
		require.NoError(t, err)
		last = string(message)
	}
	if n := strings.Count(last, `"severity":1`); n != 99 {
		t.Errorf("%d mistakes are published of 99", n)
	}
}

// TestPositions compares positions with the lengths of the lines in UTF-16.
func TestPositions(t *testing.T) {
	seed.Check(t, func(t *rapid.T) {
		ends := []string{"\n", "\r\n", "\r"}
		var text strings.Builder
		var lines []string
		for range rapid.IntRange(0, 4).Draw(t, "lines") {
			line := rapid.StringMatching(`[a𝔸é日_$"]{1,5}`).Draw(t, "line")
			lines = append(lines, line)
			text.WriteString(line + rapid.SampledFrom(ends).Draw(t, "end"))
		}
		lines = append(lines, "𝔸b")
		text.WriteString("𝔸b")
		d := newDocument("", 0, text.String())
		if len(d.lines) != len(lines) {
			t.Fatalf("%q has %d lines, want %d", d.text, len(d.lines), len(lines))
		}
		for i, line := range lines {
			for at := range line + " " {
				want := position{i, len(utf16.Encode([]rune(line[:at])))}
				offset := d.lines[i] + at
				if got := d.position(offset); got != want || d.offset(want) != offset {
					t.Fatalf("byte %d of %q is %v, want %v, which is byte %d", offset, d.text, got, want, d.offset(want))
				}
				if end := d.wordEnd(offset); end < offset || end > len(d.text) || !utf8.ValidString(d.text[offset:end]) {
					t.Fatalf("the word at %d of %q ends at %d", offset, d.text, end)
				}
			}
			if got := d.offset(position{i, 1 << 20}); got != d.lines[i]+len(line) {
				t.Fatalf("line %d of %q ends at %d", i, d.text, got)
			}
		}
		if got := d.offset(position{1 << 20, 0}); got != len(d.text) {
			t.Fatalf("the text ends at %d", got)
		}
	})
}
