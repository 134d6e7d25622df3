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
func (t *stdio) Connect(context.Context) (mcp.Connection, error) {
	c := &stdioConn{stdio: *t, lines: make(chan line), closed: make(chan struct{}), calls: map[jsonrpc.ID]bool{}}
	c.changed.L = &c.mu
	go c.scan()
	return c, nil
}

// stdioConn is the connection of a session.
type stdioConn struct {
	stdio
	lines  chan line
	closed chan struct{}
	close  sync.Once

	mu      sync.Mutex          // of what is below, and of out
	calls   map[jsonrpc.ID]bool // under way
	changed sync.Cond           // of what follows and calls
	over    bool                // nobody reads answers any more
}

// line is a line of the input, or why there are no more.
type line struct {
	text    []byte
	tooLong bool
	err     error
}

// scan reads lines until the input ends, or the connection is closed and another line comes.
func (c *stdioConn) scan() {
	send := func(l line) bool {
		select {
		case c.lines <- l:
			return true
		case <-c.closed:
			return false
		}
	}
	in := bufio.NewReader(c.in)
	for l := (line{}); ; {
		part, err := in.ReadSlice('\n')
		if l.tooLong = l.tooLong || len(l.text)+len(part) > c.limit; !l.tooLong {
			l.text = append(l.text, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if !send(l) || err != nil {
			send(line{err: err})
			return
		}
		l = line{}
	}
}

// Read implements mcp.Connection.
func (c *stdioConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		select {
		case l := <-c.lines:
			if l.err != nil {
				c.finish()
				return nil, l.err
			}
			if m, err := c.accept(l); m != nil || err != nil {
				return m, err
			}
		case <-c.closed:
			return nil, io.EOF
		case <-ctx.Done():
			return nil, ctx.Err()
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

// accept returns the message of a line, or answers it with an error. The error that it returns
// is that of the output.
func (c *stdioConn) accept(l line) (jsonrpc.Message, error) {
	text := bytes.TrimSpace(l.text)
	if len(text) == 0 && !l.tooLong {
		return nil, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	var m jsonrpc.Message
	code, err := int64(jsonrpc.CodeInvalidRequest), fmt.Errorf("the line is over the limit of %d bytes", c.limit)
	if !l.tooLong {
		m, code, err = c.parse(text)
	}
	if err == nil {
		return m, nil
	}
	answer, err := json.Marshal(struct {
		Version string        `json:"jsonrpc"`
		ID      any           `json:"id"` // null: that of the line is not known
		Error   jsonrpc.Error `json:"error"`
	}{"2.0", nil, jsonrpc.Error{Code: code, Message: err.Error()}})
	if err != nil {
		return nil, err
	}
	return nil, c.write(answer)
}

// parse returns the message of a line, or what is wrong with it, and the code of that.
func (c *stdioConn) parse(text []byte) (m jsonrpc.Message, code int64, err error) {
	var syntax json.RawMessage
	if err := json.Unmarshal(text, &syntax); err != nil {
		return nil, jsonrpc.CodeParseError, fmt.Errorf("the line is not JSON: %w", err)
	}
	if !utf8.Valid(text) {
		return nil, jsonrpc.CodeParseError, errors.New("the line is not in UTF-8")
	}
	if m, err = jsonrpc.DecodeMessage(text); err != nil {
		return nil, jsonrpc.CodeInvalidRequest, err
	}
	// A subscription is answered when the client ends it, if at all.
	if r, ok := m.(*jsonrpc.Request); ok && r.IsCall() && r.Method != "subscriptions/listen" {
		if c.calls[r.ID] {
			return nil, jsonrpc.CodeInvalidRequest, fmt.Errorf("a call with the id %v is under way already", r.ID.Raw())
		}
		c.calls[r.ID] = true
	}
	return m, 0, nil
}

// Write implements mcp.Connection.
func (c *stdioConn) Write(_ context.Context, m jsonrpc.Message) error {
	text, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if r, ok := m.(*jsonrpc.Response); ok {
		delete(c.calls, r.ID)
		defer c.changed.Broadcast()
	}
	return c.write(text)
}

// write writes a line. The caller holds the lock.
func (c *stdioConn) write(text []byte) error {
	_, err := c.out.Write(append(text, '\n'))
	if err != nil {
		c.over = true
		c.changed.Broadcast()
	}
	return err
}

// Close implements mcp.Connection.
func (c *stdioConn) Close() error {
	c.close.Do(func() { close(c.closed) })
	c.mu.Lock()
	defer c.mu.Unlock()
	c.over = true
	c.changed.Broadcast()
	return nil
}

// SessionID implements mcp.Connection: there is one session.
func (c *stdioConn) SessionID() string { return "" }
