package importer

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
)

// ReadFacts calls each with the names of every fact of a file, in order and as written, and with its
// place: the line, or in Parquet the row, from 1. The file is o.Graph, in any of the formats of
// graphs; if text is not nil it is read instead, in the format that this name ends in, or else as
// lines. Options of other things than files of facts play no part. Errors of each come back with the
// file and the place.
func ReadFacts(ctx context.Context, o Options, text io.Reader, each func(at int, names [3]string) error) error {
	if err := o.completeGraph(); err != nil {
		return err
	}
	r := &tripleReader{separator: o.Separator, columns: o.columns(), edges: o.Edges, rdf: newRDFPart(&o), relationFilter: newRelationFilter(&o)}
	count := 0
	r.fields = func(fields [3][]byte) error {
		count++
		return each(r.at, [3]string{string(fields[0]), string(fields[1]), string(fields[2])})
	}
	if err := readOne(ctx, o.Graph, text, r, func(lines int64) { o.Progress(stageGraph, lines, 0) }); err != nil {
		return err
	}
	r.noteLeftOut(o.Graph, o.Note)
	if err := r.relationFilter.check(); err != nil {
		return fmt.Errorf("%s: %w", o.Graph, err)
	}
	if count == 0 {
		return fmt.Errorf("%s: %w", o.Graph, errNoTriples)
	}
	return nil
}

// readOne adds the facts of a file to r, or of a text that stands for it.
func readOne(ctx context.Context, path string, text io.Reader, r *tripleReader, progress func(lines int64)) error {
	var plain *bufio.Reader
	var done func()
	var err error
	switch {
	case text != nil:
		plain, done, err = Decompress(text)
		if err != nil {
			err = fmt.Errorf("%s: %w", path, err)
		}
	case isParquet(path):
		return readParquet(ctx, path, r, progress)
	default:
		plain, r.share, done, err = openText(path)
	}
	if err != nil {
		return err
	}
	defer done()
	return scanFacts(ctx, path, plain, r, progress)
}

// PlaceFact gives an error about a fact of ReadFacts the file and the place.
func PlaceFact(path string, at int, err error) error {
	if isParquet(path) {
		return fmt.Errorf("%s: row %d: %w", path, at, err)
	}
	return &lineError{path, at, err}
}

// noteLeftOut tells what of a file is no fact, or not in its graph.
func (r *tripleReader) noteLeftOut(path string, note func(text string)) {
	if r.rdf != nil && r.rdf.named.read > 0 {
		note(fmt.Sprintf("%s: %d labels were read", path, r.rdf.named.read))
		r.rdf.named.read = 0
	}
	if r.values != nil && r.values.read > 0 {
		note(fmt.Sprintf("%s: %d values were read", path, r.values.read))
		r.values.read = 0
	}
	if r.literals.all > 0 {
		note(fmt.Sprintf("%s: %d statements about literals were left out%s (literals=values reads numbers and dates, literals=keep makes all entities)",
			path, r.literals.all, r.literals.most(r.prefixes())))
	}
	if r.blanks > 0 {
		note(fmt.Sprintf("%s: %d statements about blank nodes were left out (blank=keep keeps them)", path, r.blanks))
	}
	if r.inGraphs > 0 {
		note(fmt.Sprintf("%s: %d statements name a graph; all are read as one", path, r.inGraphs))
	}
	if r.header != nil {
		note(fmt.Sprintf("%s: the first line, %s, was read as the names of the columns", path, r.header))
	}
	if r.first != nil && firstAlone(r.triples) {
		note(fmt.Sprintf("%s: the first line, %s, was read as a fact: if it names the columns, set columns=%s",
			path, r.first, strings.Join(r.first, ",")))
	}
}
