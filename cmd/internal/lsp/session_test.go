package lsp

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/creachadair/jrpc2"
	"pgregory.net/rapid"

	"github.com/efoc/efoc/testdata/require"
	"github.com/efoc/efoc/testdata/seed"
	"github.com/efoc/efoc/testdata/world"
)

// editor is the other end of a session: it writes and reads raw messages.
type editor struct {
	t     *testing.T
	to    *io.PipeWriter
	from  *stream
	ended chan error
	log   strings.Builder
}

func start(ctx context.Context, t *testing.T) *editor {
	t.Helper()
	m, err := world.Open()
	require.NoError(t, err)
	t.Cleanup(func() { m.Close() })
	stdin, to := io.Pipe()
	from, stdout := io.Pipe()
	t.Cleanup(func() { to.Close(); from.Close() })
	e := &editor{t: t, to: to, from: &stream{in: bufio.NewReader(from)}, ended: make(chan error, 1)}
	go func() { e.ended <- Serve(ctx, Config{Model: m, Log: &e.log}, stdin, stdout) }()
	return e
}

func (e *editor) send(message string) {
	e.t.Helper()
	_, err := fmt.Fprintf(e.to, "Content-Length: %d\r\nContent-Type: application/vscode-jsonrpc; charset=utf8\r\n\r\n%s", len(message), message)
	require.NoError(e.t, err)
}

// want reads the next response, which must have all of the texts.
func (e *editor) want(texts ...string) {
	e.t.Helper()
	message := []byte{}
	for !strings.Contains(string(message), `"id":`) {
		var err error
		message, err = e.from.Recv()
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
	defer delete(methods, "test/fault")
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
		message, err := e.from.Recv()
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
		d := new(session).newDocument("", 0, text.String())
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

// TestDiagnose publishes mistakes of all stages, each at its word.
func TestDiagnose(t *testing.T) {
	m, err := world.Open()
	require.NoError(t, err)
	defer m.Close()
	s := &session{Config: Config{Model: m}}
	const text = `semantics nsmp
layers 64
query A(c entity) y = bordrs($c, y)
query B(c entity) y = borders(France, y)
query C(c entity) y = borders($c, y) & borders($c, y)
query D(c entity) y = borders($c, y
query E(c entity) y: Citty = borders($c, y)
query C(c entity) y = borders($c, y)
`
	d := s.newDocument("untitled:a", 1, text)
	var got []string
	for _, x := range s.diagnose(d) {
		got = append(got, fmt.Sprintf("%s: %s", text[d.offset(x.Range.Start):d.offset(x.Range.End)], strings.ReplaceAll(x.Message, "\n", " ")))
	}
	for i, want := range []string{
		`bordrs: unknown relation "bordrs" hint: did you mean "borders"`,
		`c: parameter c is never used`,
		`France: undefined variable France hint: did you mean "France"`,
		`query: expected`,
		`Citty: unknown entity "Citty"`,
		`C: query C is already declared`,
	} {
		if i >= len(got) || !strings.HasPrefix(got[i], want) {
			t.Fatalf("mistake %d of\n%s\nwant %s", i, strings.Join(got, "\n"), want)
		}
	}
	if len(got) != 6 {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
}

// TestPackage takes a template of another file: mistakes know it, and so do completion, hovering, definitions
// and renaming. What the editor shows of the other file goes before what is on the disk.
func TestPackage(t *testing.T) {
	m, err := world.Open()
	require.NoError(t, err)
	defer m.Close()
	folder := t.TempDir()
	const one = "package p\n\nquery Far(c entity) y =\n    exists x. Near($c, \"borders\", x) & borders(x, y)\n"
	const saved, shown = "package p\nquery Old(c entity) y = borders($c, y)\n", "package p\n\n// Near is one step.\nquery Near(c entity, by relation) y =\n    $by($c, y)\n"
	require.NoError(t, os.WriteFile(filepath.Join(folder, "two.efo"), []byte(saved), 0o644))
	s := &session{Config: Config{Model: m}, documents: map[string]*document{}, changed: make(chan struct{}, 1)}
	at := func(name, text string) *params {
		p := &params{}
		p.TextDocument.URI, p.TextDocument.Text = "file://"+folder+"/"+name, text
		return p
	}
	p := at("one.efo", one)
	_, _ = s.open(t.Context(), p)
	if d, _ := s.document(p); len(s.diagnose(d)) != 1 {
		t.Errorf("a use of an unknown template: %v", s.diagnose(d))
	}
	_, _ = s.open(t.Context(), at("two.efo", shown))
	d, err := s.document(p)
	require.NoError(t, err)
	if found := s.diagnose(d); len(found) != 0 {
		t.Errorf("mistakes: %v", found)
	}
	p.Position = position{3, 16} // Near
	text := func(of func(context.Context, *params) (any, error)) string {
		t.Helper()
		result, err := of(t.Context(), p)
		require.NoError(t, err)
		answer, err := json.Marshal(result)
		require.NoError(t, err)
		return string(answer)
	}
	for _, want := range []string{"Near is one step.", "shape 1p", "query Near(c entity, by relation) y ="} {
		if got := text(s.hover); !strings.Contains(got, want) {
			t.Errorf("hovering shows %s, without %s", got, want)
		}
	}
	if got := text(s.definition); !strings.Contains(got, `two.efo"`) || !strings.Contains(got, `"start":{"line":3,"character":6}`) {
		t.Errorf("the definition is %s", got)
	}
	if got := text(s.complete); !strings.Contains(got, `"label":"Near","kind":3,"detail":"template of two.efo"`) {
		t.Errorf("the completions are %s", got)
	}
	p.NewName = "Next"
	if got := text(s.rename); strings.Count(got, `"newText":"Next"`) != 2 || !strings.Contains(got, "one.efo") || !strings.Contains(got, "two.efo") {
		t.Errorf("renaming does %s", got)
	}
}
