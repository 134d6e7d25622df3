package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"sync"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// stdio is a transport of JSON-RPC messages, one a line, or several as an array. Unlike
// mcp.IOTransport it answers a line that is neither with an error and reads on. When the input
// ends, it waits for the answers to the calls under way before it ends the session.
type stdio struct {
	in    io.Reader
	out   io.Writer
	limit int // bytes of a line
}

// Connect implements mcp.Transport.
func (t *stdio) Connect(context.Context) (mcp.Connection, error) {
	c := &stdioConn{stdio: *t, lines: make(chan line), closed: make(chan struct{}), calls: map[jsonrpc.ID]*batch{}}
	c.changed.L = &c.mu
	go c.scan()
	return c, nil
}

// stdioConn is the connection of a session.
type stdioConn struct {
	stdio
	lines  chan line
	queue  []jsonrpc.Message // of the last line, still to be read
	closed chan struct{}
	close  sync.Once

	mu      sync.Mutex // of what is below, and of out
	calls   map[jsonrpc.ID]*batch
	changed sync.Cond // of what follows and calls
	over    bool      // nobody reads answers any more
}

// line is a line of the input, or why there are no more.
type line struct {
	text    []byte
	tooLong bool
	err     error
}

// batch is the calls of a line, and the answers that they have. Those of an array are written
// together.
type batch struct {
	array   bool
	calls   int
	answers []json.RawMessage
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
	for len(c.queue) == 0 {
		select {
		case l := <-c.lines:
			err := l.err
			if err != nil {
				c.finish()
			} else {
				err = c.accept(l)
			}
			if err != nil {
				return nil, err
			}
		case <-c.closed:
			return nil, io.EOF
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	next := c.queue[0]
	c.queue = c.queue[1:]
	return next, nil
}

// finish waits until all calls are answered, or nobody reads answers any more.
func (c *stdioConn) finish() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.calls) > 0 && !c.over {
		c.changed.Wait()
	}
}

// accept queues the messages of a line, or answers it with an error. The error that it returns
// is that of the output.
func (c *stdioConn) accept(l line) error {
	text := bytes.TrimSpace(l.text)
	if len(text) == 0 && !l.tooLong {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	code, err := int64(jsonrpc.CodeInvalidRequest), fmt.Errorf("the line is over the limit of %d bytes", c.limit)
	if !l.tooLong {
		code, err = c.parse(text)
	}
	if err == nil {
		return nil
	}
	answer, err := json.Marshal(struct {
		Version string        `json:"jsonrpc"`
		ID      any           `json:"id"` // null: that of the line is not known
		Error   jsonrpc.Error `json:"error"`
	}{"2.0", nil, jsonrpc.Error{Code: code, Message: err.Error()}})
	if err != nil {
		return err
	}
	return c.write(answer)
}

// parse queues the messages of a line, or returns what is wrong with it, and the code of that.
func (c *stdioConn) parse(text []byte) (code int64, err error) {
	var texts []json.RawMessage
	b := &batch{array: text[0] == '['}
	switch {
	case !utf8.Valid(text):
		return jsonrpc.CodeParseError, errors.New("the line is not in UTF-8")
	case b.array:
		err = json.Unmarshal(text, &texts)
	default:
		texts = make([]json.RawMessage, 1)
		err = json.Unmarshal(text, &texts[0])
	}
	if err != nil {
		return jsonrpc.CodeParseError, fmt.Errorf("the line is not JSON: %w", err)
	}
	if len(texts) == 0 {
		return jsonrpc.CodeInvalidRequest, errors.New("the array is empty")
	}
	calls := map[jsonrpc.ID]*batch{}
	var list []jsonrpc.Message
	for _, text := range texts {
		m, err := jsonrpc.DecodeMessage(text)
		if err != nil {
			return jsonrpc.CodeInvalidRequest, err
		}
		// A subscription is answered when the client ends it, if at all.
		if r, ok := m.(*jsonrpc.Request); ok && r.IsCall() && r.Method != "subscriptions/listen" {
			if c.calls[r.ID] != nil || calls[r.ID] != nil {
				return jsonrpc.CodeInvalidRequest, fmt.Errorf("a call with the id %v is under way already", r.ID.Raw())
			}
			calls[r.ID] = b
		}
		list = append(list, m)
	}
	b.calls = len(calls)
	maps.Copy(c.calls, calls)
	c.queue = list
	return 0, nil
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
		b := c.calls[r.ID]
		delete(c.calls, r.ID)
		defer c.changed.Broadcast()
		if b != nil && b.array {
			if b.answers = append(b.answers, text); len(b.answers) < b.calls {
				return nil
			}
			if text, err = json.Marshal(b.answers); err != nil {
				return err
			}
		}
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
