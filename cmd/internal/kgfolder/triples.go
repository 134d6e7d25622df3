package kgfolder

import (
	"context"
	"io"
	"path/filepath"
	"strconv"

	"github.com/efoc/efoc/runtime/atomicfile"
	"github.com/efoc/efoc/runtime/model/importer"
)

// pace is the number of triples between two checks of the context.
const pace = 1 << 15

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
			for _, id := range t {
				line = append(strconv.AppendInt(line, int64(id), 10), '\t')
			}
			line[len(line)-1] = '\n'
			if _, err := w.Write(line); err != nil {
				return err
			}
		}
		return nil
	})
}
