package importer

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
)

// ReadDirected reads a file of triples of ids, in which relations are directed and
// every fact is listed in both directions, as BetaE's and FIT's do: as the importer
// reads them, but with the directed ids, in the order of the file, each triple once.
// The ids are below the given counts. progress is told the lines that were read.
func ReadDirected(ctx context.Context, path string, entities, relations int, progress func(lines int64)) ([][3]int32, error) {
	var list [][3]int32
	r := &tripleReader{n: entities, directed: relations, both: true, numbers: true}
	r.each = func(head, relation, tail int32) { list = append(list, [3]int32{head, relation, tail}) }
	if err := scanFile(ctx, path, r.line, progress); err != nil {
		return nil, err
	}
	facts, err := r.finish()
	if errors.Is(err, errNoTriples) {
		return nil, nil // a split may have none
	}
	if err != nil {
		return nil, r.place(ctx, path, err)
	}
	if len(list) == 2*len(facts) {
		return list, nil
	}
	seen := make(map[[3]int32]bool, 2*len(facts))
	return slices.DeleteFunc(list, func(t [3]int32) bool {
		again := seen[t]
		seen[t] = true
		return again
	}), nil
}

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

// ErrorAt gives an error about a triple of a file that ReadDirected has read the file
// and line.
func ErrorAt(ctx context.Context, path string, triple [3]int32, err error) error {
	return errorAt(ctx, path, "", triple, err)
}

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
