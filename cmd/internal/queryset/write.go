package queryset

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"context"
	"io"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/efoc/efoc/runtime/atomicfile"
)

// WriteOptions configure how a set is written.
type WriteOptions struct {
	// Split is one of Splits; empty means test. JSON Lines have the split of each query
	// instead.
	Split string
	// Progress is as in Options.
	Progress func(stage string, done, total int64)
}

// IsJSONLines reports whether the name is that of a JSON Lines file, possibly compressed.
func IsJSONLines(path string) bool {
	path = strings.TrimSuffix(strings.TrimSuffix(path, ".gz"), ".zst")
	return strings.HasSuffix(path, ".jsonl")
}

// Write writes a set: JSON Lines, possibly compressed, if the name says so, and otherwise FIT's
// files into the existing folder at path. FIT's programs and their successors read these, and
// they have all shapes. A group that the format cannot express is an error, before anything is
// written. Each file is written whole or not at all.
func Write(ctx context.Context, path string, set *Set, o WriteOptions) error {
	if o.Split == "" {
		o.Split = "test"
	}
	w := &writer{ctx: ctx, options: o, path: path}
	for _, g := range set.Groups {
		w.total += int64(len(g.Queries))
	}
	if IsJSONLines(path) {
		return w.file(path, func(to io.Writer) error { return w.jsonLines(to, set) })
	}
	return w.fit(set)
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
