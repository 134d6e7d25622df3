package queryset

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/efoc/efoc/runtime/model/importer"
	"github.com/efoc/efoc/runtime/regularfile"
)

const (
	// maxBytes bounds a file after decompression.
	maxBytes = 64 << 30
	// pace is the number of bytes between checks of the context.
	pace = 1 << 20
)

// read opens a file, which may be compressed under any name, and passes its text to take.
func (r *reader) read(path string, take func(path string, text io.Reader) error) error {
	f, size, err := regularfile.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	counted := &counter{r: f, ctx: r.ctx, show: func(int64) {}}
	if show := r.options.Progress; show != nil {
		counted.show = func(done int64) { show("read "+filepath.Base(path), done, size) }
	}
	text, done, err := importer.Decompress(counted)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	defer done()
	return take(path, &bounded{r: text, left: maxBytes})
}

// counter counts the bytes read from a file, and stops when the context is done.
type counter struct {
	r           io.Reader
	ctx         context.Context
	show        func(done int64)
	done, shown int64
}

func (c *counter) Read(p []byte) (int, error) {
	if c.done >= c.shown {
		if err := c.ctx.Err(); err != nil {
			return 0, err
		}
		c.show(c.done)
		c.shown = c.done + pace
	}
	n, err := c.r.Read(p)
	c.done += int64(n)
	return n, err
}

// bounded refuses to read more than left bytes.
type bounded struct {
	r    io.Reader
	left int64
}

var errBounded = errors.New("larger than allowed")

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errBounded
	}
	n, err := b.r.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}

// endings are the extensions of compressed files.
var endings = []string{"", ".gz", ".zst"}

// bareName returns the name of a file without folder and compression.
func bareName(path string) string {
	name := filepath.Base(path)
	return strings.TrimSuffix(strings.TrimSuffix(name, ".gz"), ".zst")
}

// existing returns the path with the extension of compression that exists, or nothing.
func existing(path string) string {
	for _, e := range endings {
		if _, err := os.Stat(path + e); err == nil {
			return path + e
		}
	}
	return ""
}
