package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/efoc/efoc/cmd/internal/lines"
)

// stdio is a transport of JSON-RPC messages, one a line. Unlike mcp.IOTransport it answers a line
// that is no message with an error and reads on. When the input ends, it waits for the answers
// to the calls under way before it ends the session.
type stdio struct {
	in    io.Reader
	out   io.Writer
	limit int // bytes of a line
}

// Connect implements mcp.Transport.
func (t *stdio) Connect(ctx context.Context) (mcp.Connection, error) {
	messages, to := io.Pipe()
	c := &stdioConn{stdio: *t, calls: map[jsonrpc.ID]bool{}}
	c.changed.L = &c.mu
	var err error
	if c.Connection, err = (&mcp.IOTransport{Reader: messages, Writer: lineWriter{c}, MaxLineLength: -1}).Connect(ctx); err != nil {
		return nil, err
	}
	go func() { to.CloseWithError(c.forward(to)) }()
	return c, nil
}

// stdioConn is the connection of a session.
type stdioConn struct {
	mcp.Connection
	stdio

	mu      sync.Mutex          // of what follows, and of out
	calls   map[jsonrpc.ID]bool // under way
	changed sync.Cond           // of calls and over
	over    bool                // nobody reads answers any more
}

// forward passes messages on, one a line, and answers other lines with errors. It returns why there
// are no more: that the input has ended, once all calls are answered, or an error.
func (c *stdioConn) forward(to io.Writer) error {
	for in := lines.NewReader(bufio.NewReader(c.in), c.limit); ; {
		text, tooLong, err := in.Next()
		if err != nil {
			c.finish()
			return err
		}
		if text = bytes.TrimSpace(text); len(text) == 0 && !tooLong {
			continue
		}
		code, wrong := int64(jsonrpc.CodeInvalidRequest), fmt.Errorf("the line is over the limit of %d bytes", c.limit)
		if !tooLong {
			code, wrong = c.accept(text)
		}
		if wrong == nil {
			_, err = to.Write(append(text, '\n'))
		} else {
			err = c.refuse(code, wrong)
		}
		if err != nil {
			return err
		}
	}
}

// finish waits until all calls are answered, or nobody reads answers any more.
func (c *stdioConn) finish() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.calls) > 0 && !c.over {
		c.changed.Wait()
	}
}

// accept notes a call, or returns an error for a bad message, with its code.
func (c *stdioConn) accept(text []byte) (code int64, err error) {
	if err := json.Unmarshal(text, new(json.RawMessage)); err != nil {
		return jsonrpc.CodeParseError, fmt.Errorf("the line is not JSON: %w", err)
	}
	if !utf8.Valid(text) {
		return jsonrpc.CodeParseError, errors.New("the line is not in UTF-8")
	}
	m, err := jsonrpc.DecodeMessage(text)
	if err != nil {
		return jsonrpc.CodeInvalidRequest, err
	}
	// A subscription is answered when the client ends it, if at all.
	if r, ok := m.(*jsonrpc.Request); ok && r.IsCall() && r.Method != "subscriptions/listen" {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.calls[r.ID] {
			return jsonrpc.CodeInvalidRequest, fmt.Errorf("a call with the id %v is under way already", r.ID.Raw())
		}
		c.calls[r.ID] = true
	}
	return 0, nil
}

// refuse answers a line that is no message. It returns an error if it cannot write.
func (c *stdioConn) refuse(code int64, wrong error) error {
	answer, err := json.Marshal(struct {
		Version string        `json:"jsonrpc"`
		ID      any           `json:"id"` // null: the id of the line is not known
		Error   jsonrpc.Error `json:"error"`
	}{"2.0", nil, jsonrpc.Error{Code: code, Message: wrong.Error()}})
	if err == nil {
		_, err = lineWriter{c}.Write(append(answer, '\n'))
	}
	return err
}

// Write implements mcp.Connection.
func (c *stdioConn) Write(ctx context.Context, m jsonrpc.Message) error {
	if r, ok := m.(*jsonrpc.Response); ok {
		defer c.note(func() { delete(c.calls, r.ID) })
	}
	return c.Connection.Write(ctx, m)
}

// Close implements mcp.Connection.
func (c *stdioConn) Close() error {
	c.note(func() { c.over = true })
	return c.Connection.Close()
}

// note changes what finish waits for.
func (c *stdioConn) note(change func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	change()
	c.changed.Broadcast()
}

// lineWriter writes lines to the output of a connection, which it leaves open.
type lineWriter struct{ *stdioConn }

func (w lineWriter) Write(line []byte) (n int, err error) {
	w.note(func() {
		n, err = w.out.Write(line)
		w.over = w.over || err != nil
	})
	return n, err
}

func (w lineWriter) Close() error { return nil }
