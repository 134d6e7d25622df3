package importer

import (
	"context"
	"errors"
	"fmt"
)

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
	r := &tripleReader{numbers: true, separator: s}
	r.fields = func(fields [3][]byte) error {
		for i, field := range fields {
			if id, other := parseID(field, 0, ""); other != nil || id != triple[i] {
				return nil
			}
		}
		return err
	}
	if at := readOne(ctx, path, nil, r, func(int64) {}); at != nil {
		return at
	}
	return fmt.Errorf("%s: %w", path, err) // the file has changed since
}
