package lsp

import (
	"bufio"
	"fmt"
	"io"
	"net/textproto"
	"strconv"
)

// maxMessage bounds a message. A file at the limit of lang has six times its length if JSON
// escapes each of its bytes.
const maxMessage = 16 << 20

// stream frames messages as the protocol does: by a header with their length.
type stream struct {
	in  *bufio.Reader
	out io.Writer
}

// Recv returns the next message.
func (s *stream) Recv() ([]byte, error) {
	header, err := textproto.NewReader(s.in).ReadMIMEHeader()
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
	_, err := s.out.Write(fmt.Appendf(nil, "Content-Length: %d\r\n\r\n%s", len(message), message))
	return err
}

// Close leaves input and output to their owner.
func (s *stream) Close() error { return nil }
