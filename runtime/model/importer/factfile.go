package importer

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/efoc/efoc/runtime/model/values"
)

// form is the format of a graph's files, and their shared state.
type form struct {
	// separator separates the fields of a line; columns name the relevant ones.
	separator Separator
	columns   columns
	edges     []Edge
	// numbers says that facts have ids only. Then blanks may separate them by default, since no name contains blanks.
	numbers bool
	rdf     rdfPart
	// relations chooses the relations to read, nil for all.
	relations *relationFilter
}

func newForm(o *Options) *form {
	rdf := rdfPart{literal: o.Literals, blank: o.Blank, named: literalLabels{language: strings.ToLower(o.Language)}}
	return &form{separator: o.Separator, columns: columns(o.Columns), edges: o.Edges, rdf: rdf, relations: newRelationFilter(o)}
}

// factFile is a file of facts being read into a sink.
type factFile struct {
	*form
	ctx      context.Context
	path     string
	text     *bufio.Reader  // nil for Parquet
	share    func() float64 // the share of the file read so far, from 0 to 1; nil if unknown
	progress func(lines int64)
	to       sink

	header header // the first line, if read as names of columns
	first  header // the first line, if read as a fact
	// literals counts the skipped statements about literals, blanks those about blank nodes, and inGraphs those that
	// name a graph.
	literals literalCounts
	blanks   int
	inGraphs int
}

// read reads the file, or text instead if it is not nil.
func (r *factFile) read(text io.Reader) error {
	var done func()
	var err error
	switch {
	case text != nil:
		r.text, done, err = Decompress(text)
		if err != nil {
			err = fmt.Errorf("%s: %w", r.path, err)
		}
	case isParquet(r.path):
		return readParquet(r)
	default:
		r.text, r.share, done, err = openText(r.path)
	}
	if err != nil {
		return err
	}
	defer done()
	end := ending(r.path)
	if what, ok := foreign[end]; ok {
		return fmt.Errorf("%s is %s", r.path, what)
	}
	if f, ok := formats[end]; ok && !(end == ".csv" && r.separator == spaceSeparator) {
		return f.read(r)
	}
	t := tableReader{factFile: r}
	return r.lines(t.line)
}

// lines calls each with every nonempty line, and its number from 1.
func (r *factFile) lines(each func(n int, line []byte) error) error {
	return scanText(r.ctx, r.path, r.text, each, r.progress)
}

// pause checks the context after every batch of records; n is the number of the record.
func (r *factFile) pause(n, line int) error {
	if n%lineBatch != 0 {
		return nil
	}
	r.progress(int64(line))
	return r.ctx.Err()
}

// link passes a fact to the sink if its relation is to be read.
func (r *factFile) link(at int, fields [3][]byte) error {
	if !r.relations.reads(fields[1], &r.rdf.prefixes) {
		return nil
	}
	return r.to.link(at, fields)
}

// linkNames is link for a statement of names.
func (r *factFile) linkNames(s statement) error { return r.link(s.at, s.fields()) }

// cell passes the value in a cell of a table to the sink, unless it is empty.
func (r *factFile) cell(at int, entity []byte, e *Edge, cell []byte) error {
	cell = bytes.TrimSpace(cell)
	if len(cell) == 0 || len(bytes.TrimSpace(entity)) == 0 {
		return nil
	}
	fields := [3][]byte{entity, []byte(e.Relation), []byte(e.Value.Literal(string(cell)))}
	if err := takeValue(r.to, at, fields, e.Value, string(cell)); err != nil {
		return fmt.Errorf("column %s: %w", e.Tail, err)
	}
	return nil
}

// takeValue parses a value and passes it to a sink.
func takeValue(to sink, at int, fields [3][]byte, kind values.Kind, text string) error {
	number, _, err := kind.Parse(text)
	if err != nil {
		return err
	}
	taken, err := to.value(at, fields, kind, number)
	if err == nil && !taken {
		err = fmt.Errorf("attribute %s is a number in one place and a date in another, or one of more than %d attributes", fields[1], values.MaxAttributes)
	}
	return err
}

// noteLeftOut reports the skipped statements of the file, and those that name a graph.
func (r *factFile) noteLeftOut(note func(text string)) {
	say := func(count int, format string, args ...any) {
		if count > 0 {
			note(fmt.Sprintf("%s: "+format, append([]any{r.path}, args...)...))
		}
	}
	say(r.rdf.named.read, "%d labels were read", r.rdf.named.read)
	r.rdf.named.read = 0
	say(r.literals.all, "%d statements about literals were left out%s (literals=values reads numbers and dates, literals=keep makes all entities)",
		r.literals.all, r.literals.most(&r.rdf.prefixes))
	say(r.blanks, "%d statements about blank nodes were left out (blank=keep keeps them)", r.blanks)
	say(r.inGraphs, "%d statements name a graph; all are read as one", r.inGraphs)
	say(len(r.header), "the first line, %s, was read as the names of the columns", r.header)
}
