package queryset

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/efoc/efoc/runtime/atomicfile"
)

// WriteOptions say how a set is written.
type WriteOptions struct {
	Format Format
	// Split is one of Splits; empty means test. JSON Lines say that of each query instead.
	Split string
	// Progress is as in Options.
	Progress func(stage string, done, total int64)
}

// Write writes a set: to the file at path for JSON Lines, packed if the name ends
// in .gz or .zst, else into the folder at path, which must be there. A group that
// the format cannot express is an error, before anything is written. Files are
// there as a whole or not at all.
func Write(ctx context.Context, path string, set *Set, o WriteOptions) error {
	if o.Split == "" {
		o.Split = "test"
	}
	w := &writer{ctx: ctx, options: o, path: path}
	for _, g := range set.Groups {
		w.total += int64(len(g.Queries))
	}
	switch o.Format {
	case JSONLines:
		return w.file(path, func(to io.Writer) error { return w.jsonLines(to, set) })
	case BetaE:
		return w.betae(set)
	case FIT, FIT1:
		return w.fit(set)
	}
	return fmt.Errorf("unknown format %q, want %s, %s, %s or %s", o.Format, JSONLines, BetaE, FIT, FIT1)
}

// writer writes a set.
type writer struct {
	ctx         context.Context
	options     WriteOptions
	path        string
	done, total int64
}

// file writes a file, packed as its name says.
func (w *writer) file(path string, write func(io.Writer) error) error {
	w.done = 0
	return atomicfile.Write(path, func(to io.Writer) error {
		finish := func() error { return nil }
		switch filepath.Ext(path) {
		case ".gz":
			pack := gzip.NewWriter(to)
			to, finish = pack, pack.Close
		case ".zst":
			pack, err := zstd.NewWriter(to, zstd.WithEncoderConcurrency(1))
			if err != nil {
				return err
			}
			to, finish = pack, pack.Close
		}
		buffer := bufio.NewWriterSize(to, 1<<16)
		return cmp.Or(write(buffer), buffer.Flush(), finish())
	})
}

// step counts a query that is written.
func (w *writer) step(path string) error {
	if w.done%1024 == 0 {
		if err := w.ctx.Err(); err != nil {
			return err
		}
		if w.options.Progress != nil {
			w.options.Progress("write "+filepath.Base(path), w.done, w.total)
		}
	}
	w.done++
	return nil
}

// isTemplate reports whether the group's formula is a template of an .efo file.
func (g *Group) isTemplate() bool { return strings.HasPrefix(strings.TrimSpace(g.Formula), "query ") }
