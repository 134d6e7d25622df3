package lsp

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/testdata/require"
)

// startWith is start with another model than the world.
func startWith(ctx context.Context, t *testing.T, m *runtime.Model) *editor {
	t.Helper()
	t.Cleanup(func() { m.Close() })
	stdin, to := io.Pipe()
	from, stdout := io.Pipe()
	e := &editor{t: t, to: to, from: &stream{in: bufio.NewReader(from)}, ended: make(chan error, 1)}
	done := make(chan struct{})
	go func() {
		e.ended <- Serve(ctx, Config{Model: m, Log: &e.log}, stdin, stdout)
		stdin.Close()
		stdout.Close()
		close(done)
	}()
	t.Cleanup(func() {
		to.Close()
		from.Close()
		<-done
	}) // before the model closes
	return e
}

// message is what a session sends.
type message struct {
	ID     *int
	Method string
	Result json.RawMessage
	Error  *struct{ Message string }
	Params published
}

// published are the mistakes of a document.
type published struct {
	URI         string
	Version     int
	Diagnostics []diagnostic
}

// next reads the next message.
func (e *editor) next() (m message) {
	e.t.Helper()
	text, err := e.from.receive()
	require.NoError(e.t, err)
	require.NoError(e.t, json.Unmarshal(text, &m))
	if m.Method == "textDocument/publishDiagnostics" {
		e.published = append(e.published, m.Params)
	}
	return m
}

// notify sends a notification.
func (e *editor) notify(method string, params any) {
	e.t.Helper()
	text, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "method": method, "params": params})
	require.NoError(e.t, err)
	e.send(string(text))
}

// show opens a document with a text, or changes it.
func (e *editor) show(uri, text string) {
	e.t.Helper()
	if e.versions == nil {
		e.versions = map[string]int{}
	}
	e.versions[uri]++
	if version := e.versions[uri]; version == 1 {
		e.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": uri, "version": version, "text": text}})
	} else {
		e.notify("textDocument/didChange", map[string]any{
			"textDocument": map[string]any{"uri": uri, "version": version}, "contentChanges": []any{map[string]any{"text": text}}})
	}
}

// mistakes shows a document with a text, and returns its mistakes: the first line of each message behind the
// word that is marked.
func (e *editor) mistakes(uri, text string) (list []string) {
	e.t.Helper()
	e.show(uri, text)
	return e.await(uri, text)
}

// await returns the mistakes of the latest text of a document that are published next.
func (e *editor) await(uri, text string) (list []string) {
	e.t.Helper()
	for {
		m := e.next()
		if m.Method == "" || m.Params.URI != uri || m.Params.Version != e.versions[uri] {
			continue
		}
		d := newDocument(uri, 0, text)
		for _, x := range m.Params.Diagnostics {
			message, _, _ := strings.Cut(x.Message, "\n")
			list = append(list, fmt.Sprintf("%s: %s", text[d.offset(x.Range.Start):d.offset(x.Range.End)], message))
		}
		return list
	}
}

// ask sends a request about the word in a text that begins at an offset, and returns the result or what is
// wrong.
func (e *editor) ask(method, uri, text string, offset int, more ...any) string {
	e.t.Helper()
	e.asked++
	params := map[string]any{"textDocument": map[string]any{"uri": uri}, "position": newDocument(uri, 0, text).position(offset)}
	for i := 0; i < len(more); i += 2 {
		params[more[i].(string)] = more[i+1]
	}
	request, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": e.asked, "method": "textDocument/" + method, "params": params})
	require.NoError(e.t, err)
	e.send(string(request))
	for {
		m := e.next()
		switch {
		case m.ID == nil || *m.ID != e.asked:
		case m.Error != nil:
			return m.Error.Message
		default:
			return string(m.Result)
		}
	}
}
