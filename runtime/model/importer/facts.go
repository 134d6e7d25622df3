package importer

import (
	"context"
	"fmt"
	"io"
)

// ReadFacts calls each with the names of every fact of a file, in order and as written, and with its line, from 1.
// The file is o.Graph, in any of the formats of graphs. If text is not nil, it
// is read instead, in the format of o.Graph's extension or as lines. ReadFacts ignores options that do not concern
// fact files. It adds the file and the line to errors of each.
func ReadFacts(ctx context.Context, o Options, text io.Reader, each func(line int, names [3]string) error) error {
	if err := o.completeGraph(); err != nil {
		return err
	}
	count := 0
	take := eachFact(func(line int, fields [3][]byte) error {
		count++
		return each(line, [3]string{string(fields[0]), string(fields[1]), string(fields[2])})
	})
	r := factFile{form: newForm(&o), ctx: ctx, path: o.Graph, progress: o.lines}
	r.to = take
	if err := r.read(text); err != nil {
		return err
	}
	r.noteLeftOut(o.Graph, r.header, o.Note)
	if count == 0 {
		return fmt.Errorf("%s: %w", o.Graph, errNoTriples)
	}
	return nil
}

// PlaceFact adds the file and the line to an error about a fact of ReadFacts.
func PlaceFact(path string, line int, err error) error { return &lineError{path, line, err} }
