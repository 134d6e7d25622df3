package importer

import (
	"bufio"
	"context"
	"strings"
)

// form is the format of a graph's files; their statements go to its sink.
type form struct {
	statements
	// separator separates the fields of a line; columns name the relevant ones.
	separator Separator
	columns   columns
	edges     []Edge
	// numbers says that facts have ids only. Then blanks may separate them by default, since no name contains blanks.
	numbers bool
}

func newForm(o *Options) *form {
	return &form{
		separator: o.Separator, columns: columns(o.Columns), edges: o.Edges,
		statements: statements{
			literal: o.Literals,
			ends:    deadEnds{map[string]bool{}, map[string][]statement{}},
			named:   literalLabels{language: strings.ToLower(o.Language), best: map[string]literalLabel{}},
		},
	}
}

// factFile is a file of facts being read.
type factFile struct {
	*form
	ctx      context.Context
	path     string
	text     *bufio.Reader
	share    func() float64 // the share of the file read so far, from 0 to 1; nil if unknown
	progress func(lines int64)

	header header // the first line, if read as names of columns
	first  header // the first line, if read as a fact
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
