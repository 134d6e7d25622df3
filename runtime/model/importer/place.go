package importer

import (
	"context"
	"errors"
	"fmt"
	"os"
)

func scanFile(ctx context.Context, path string, each func(line []byte) error, progress func(lines int64)) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return scanLines(ctx, path, f, each, progress)
}

// place gives an error about the triples of a file the file, and the line where it is
// known of which triple it is.
func (r *tripleReader) place(ctx context.Context, path string, err error) error {
	var one *oneWay
	if !errors.As(err, &one) {
		return fmt.Errorf("%s: %w", path, err)
	}
	return errorAt(ctx, path, r.separator, one.triple, err)
}

// errorAt gives an error about a triple of a file the file and line.
func errorAt(ctx context.Context, path string, s Separator, triple [3]int32, err error) error {
	found := false
	r := &tripleReader{numbers: true, separator: s}
	r.each = func(head, relation, tail int32) { found = triple == [3]int32{head, relation, tail} }
	at := scanFile(ctx, path, func(line []byte) error {
		if e := r.line(line); e != nil || !found {
			return e
		}
		return err
	}, func(int64) {})
	if at == nil {
		return fmt.Errorf("%s: %w", path, err) // the file has changed since
	}
	return at
}
