package importer

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/klauspost/compress/zstd"

	"github.com/efoc/efoc/runtime/regularfile"
)

// maxLine bounds a line of text, in bytes.
const maxLine = 1 << 20

// lineBatch is the number of lines between two checks of the context.
const lineBatch = 1 << 14

type lineError struct {
	file string
	line int
	err  error
}

func (e *lineError) Error() string { return fmt.Sprintf("%s:%d: %v", e.file, e.line, e.err) }
func (e *lineError) Unwrap() error { return e.err }

// openText opens a text file, which may be compressed; share returns the share of the file read so far, from 0 to 1,
// and done closes it.
func openText(path string) (text *bufio.Reader, share func() float64, done func(), err error) {
	f, all, err := regularfile.Open(path)
	if err != nil {
		return nil, nil, nil, err
	}
	size := counter(0)
	text, free, err := decompressed(path, io.TeeReader(f, &size))
	if err != nil {
		f.Close()
		return nil, nil, nil, err
	}
	return text, func() float64 { return float64(size) / float64(max(1, all)) }, func() { free(); f.Close() }, nil
}

// decompressed is Decompress, whose error names the file.
func decompressed(path string, r io.Reader) (text *bufio.Reader, done func(), err error) {
	text, done, err = Decompress(r)
	if err != nil {
		err = fmt.Errorf("%s: %w", path, err)
	}
	return text, done, err
}

// scanText calls each with every nonempty line of a text, and its number from 1.
func scanText(ctx context.Context, name string, text *bufio.Reader, each func(n int, line []byte) error, progress func(lines int64)) error {
	lines := bufio.NewScanner(text)
	lines.Buffer(make([]byte, 0, 64<<10), maxLine)
	n := 0
	for lines.Scan() && lines.Err() == nil { // an error ends the text within a line
		n++
		if n%lineBatch == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
			progress(int64(n))
		}
		line := lines.Bytes()
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		if !utf8.Valid(line) {
			return &lineError{name, n, errors.New("not valid UTF-8")}
		}
		if err := each(n, line); err != nil {
			return &lineError{name, n, err}
		}
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return &lineError{name, n + 1, fmt.Errorf("line is longer than %d bytes", maxLine)}
	case err != nil:
		return &lineError{name, n + 1, err}
	}
	progress(int64(n))
	return ctx.Err()
}

// maxWindow bounds the window of a zstd file, in bytes: the window of zstd --ultra --long.
const maxWindow = 128 << 20

// Decompress returns the text of a file, without gzip, zstd or bzip2 compression and without a byte order mark. done
// frees its memory.
func Decompress(r io.Reader) (text *bufio.Reader, done func(), err error) {
	done = func() {}
	text = bufio.NewReaderSize(r, 1<<20)
	magic, _ := text.Peek(4)
	var plain io.Reader
	switch {
	case bytes.HasPrefix(magic, []byte{0x1f, 0x8b}):
		plain, err = gzip.NewReader(text)
		if err != nil {
			return nil, nil, fmt.Errorf("gzip: %w", err)
		}
	case bytes.Equal(magic, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		zipped, err := zstd.NewReader(text, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, nil, fmt.Errorf("zstd: %w", err)
		}
		plain = zipped
		done = zipped.Close
	case bytes.HasPrefix(magic, []byte("BZh")):
		plain = bzip2.NewReader(text)
	}
	if plain != nil {
		text = bufio.NewReaderSize(plain, 1<<20)
	}
	if mark, _ := text.Peek(3); bytes.Equal(mark, []byte("\ufeff")) {
		_, _ = text.Discard(3)
	}
	return text, done, nil
}

type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

// clip truncates a line for an error.
func clip(line []byte) []byte {
	const most = 80
	if len(line) <= most {
		return line
	}
	return append(bytes.ToValidUTF8(line[:most], nil), "…"...)
}

func plural(word string, n int) string {
	if n == 1 {
		return word
	}
	return word + "s"
}
