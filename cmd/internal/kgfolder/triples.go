package kgfolder

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"github.com/efoc/efoc/runtime/atomicfile"
	"github.com/efoc/efoc/runtime/model/importer"
)

const (
	// maxLine bounds a line, in bytes.
	maxLine = 64 << 10
	// pace is the number of triples between two checks of the context.
	pace = 1 << 15
)

// eachLine calls each with every line of a file that is not empty.
func eachLine(path string, each func(line []byte) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, maxLine)
	for n := 1; lines.Scan(); n++ {
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 {
			continue
		}
		if err := each(line); err != nil {
			return fmt.Errorf("%s:%d: %w", path, n, err)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// readTriples reads lines of head, directed relation and tail.
func (g *Graph) readTriples(ctx context.Context, path string, progress Progress) ([]Triple, error) {
	return importer.ReadDirected(ctx, path, len(g.Entities), len(g.Relations), func(lines int64) {
		progress("read "+filepath.Base(path), lines, 0)
	})
}

// writeTriples writes such a file.
func writeTriples(ctx context.Context, path string, list []Triple, progress Progress) error {
	return atomicfile.Write(path, func(w io.Writer) error {
		var line []byte
		for i, t := range list {
			if i%pace == 0 {
				if err := ctx.Err(); err != nil {
					return err
				}
				progress("write "+filepath.Base(path), int64(i), int64(len(list)))
			}
			line = line[:0]
			for j, id := range t {
				if j > 0 {
					line = append(line, '\t')
				}
				line = strconv.AppendInt(line, int64(id), 10)
			}
			if _, err := w.Write(append(line, '\n')); err != nil {
				return err
			}
		}
		return nil
	})
}
