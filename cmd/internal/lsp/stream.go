package lsp

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/textproto"
	"strconv"
	"sync"

	"github.com/creachadair/jrpc2"
)

// maxMessage bounds a message. A file at lang's size limit grows sixfold if JSON escapes each of its bytes.
const maxMessage = 16 << 20

// stream frames messages as the protocol requires: with a header for the length. It delivers only valid messages, up
// to the one that asks to exit.
type stream struct {
	in  *bufio.Reader
	end chan error // receives the reason for the end of messages, nil if the editor asked to shut down and to exit

	initialize, shutdown bool // requests received

	mu     sync.Mutex // guards the fields below
	out    io.Writer
	closed bool
}

// Recv returns the next message.
func (s *stream) Recv() ([]byte, error) {
	for {
		message, err := s.receive()
		if err != nil {
			s.end <- err
			return nil, err
		}
		if s.isClosed() {
			return nil, io.EOF
		}

		r, refused := s.parse(message)
		if refused != nil {
			// The server would answer an invalid notification after its end, when it has no stream.
			if err := s.Send(refused); err != nil {
				s.end <- err
				return nil, err
			}
			continue
		}

		switch r.Method {
		case "initialize":
			s.initialize = true
		case "shutdown":
			s.shutdown = s.initialize
		case "exit":
			if s.shutdown {
				s.end <- nil
			} else {
				s.end <- errors.New("the editor sent exit without shutdown")
			}
			return nil, io.EOF
		}
		return message, nil
	}
}

// parse parses a message, or returns a message that refuses it.
func (s *stream) parse(message []byte) (r *jrpc2.ParsedRequest, refusal []byte) {
	id := json.RawMessage("null")
	list, err := jrpc2.ParseRequests(message)
	switch {
	case err != nil:
	case len(list) != 1 || list[0].Batch:
		err = jrpc2.Errorf(jrpc2.InvalidRequest, "the protocol has no batches")
	case list[0].Error != nil:
		err = list[0].Error
		if list[0].ID != "" {
			id = json.RawMessage(list[0].ID)
		}
	default:
		return list[0], nil
	}
	refusal, _ = json.Marshal(map[string]any{"jsonrpc": jrpc2.Version, "id": id, "error": err})
	return nil, refusal
}

// receive returns the bytes of the next message.
func (s *stream) receive() ([]byte, error) {
	header, err := textproto.NewReader(s.in).ReadMIMEHeader()
	if err == io.EOF {
		return nil, errors.New("the editor closed the connection without a request to shut down and exit")
	}
	if err != nil {
		return nil, err
	}

	length := header.Get("Content-Length")
	n, err := strconv.Atoi(length)
	switch {
	case err != nil || n < 0:
		return nil, fmt.Errorf("a message needs the header Content-Length with its bytes, not %q", length)
	case n > maxMessage:
		return nil, fmt.Errorf("a message of %d bytes is over the limit of %d", n, maxMessage)
	}

	message := make([]byte, n)
	_, err = io.ReadFull(s.in, message)
	return message, err
}

// Send writes a message.
func (s *stream) Send(message []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return io.ErrClosedPipe
	}
	_, err := s.out.Write(fmt.Appendf(nil, "Content-Length: %d\r\n\r\n%s", len(message), message))
	return err
}

// Close detaches the input and output: nothing more is written, and the next message is not delivered.
func (s *stream) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	return nil
}

func (s *stream) isClosed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed
}
