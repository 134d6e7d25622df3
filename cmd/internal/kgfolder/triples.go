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
)

const (
	// maxLine bounds a line, in bytes.
	maxLine = 64 << 10
	// maxTriples bounds the triples of a file.
	maxTriples = 1 << 30
	// pace is the number of lines between two looks at the context.
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
	var list []Triple
	err := eachLine(path, func(line []byte) error {
		if len(list)%pace == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
			progress("read "+filepath.Base(path), int64(len(list)), 0)
		}
		parts := bytes.Fields(line)
		if len(parts) != 3 {
			return fmt.Errorf("%d fields, want the ids of head, relation and tail", len(parts))
		}
		var t Triple
		for i, limit := range [3]int{len(g.Entities), len(g.Relations), len(g.Entities)} {
			id, err := strconv.ParseUint(string(parts[i]), 10, 31)
			if err != nil || int(id) >= limit {
				return fmt.Errorf("%q is no id from 0 to %d", parts[i], limit-1)
			}
			t[i] = int32(id)
		}
		if len(list) == maxTriples {
			return fmt.Errorf("more than %d triples", maxTriples)
		}
		list = append(list, t)
		return nil
	})
	return list, err
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
