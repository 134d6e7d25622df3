// Package lines reads lines from other programs in bounded memory, and logs results as JSON lines, from which an
// interrupted run continues.
package lines

import (
	"bufio"
	"io"
)

// Reader reads lines.
type Reader struct {
	in  *bufio.Reader
	max int
}

// NewReader returns a reader of lines of at most max bytes, with their ends.
func NewReader(in *bufio.Reader, max int) *Reader { return &Reader{in, max} }

// Next returns the next line, with its end if it has one. If it is too long, Next discards its text and continues
// after it on the next call.
func (r *Reader) Next() (text []byte, tooLong bool, err error) {
	for {
		part, err := r.in.ReadSlice('\n')
		tooLong = tooLong || len(text)+len(part) > r.max
		if tooLong {
			text = nil
		} else {
			text = append(text, part...)
		}
		switch {
		case err == bufio.ErrBufferFull:
		case err == io.EOF && (len(text) > 0 || tooLong):
			return text, tooLong, nil
		default:
			return text, tooLong, err
		}
	}
}
