package lsp

import (
	"errors"
	"slices"
	"strings"

	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/lang/ast"
	"github.com/efoc/efoc/lang/completion"
	"github.com/efoc/efoc/lang/limits"
)

// reading is a parsed document.
type reading struct {
	*document
	file     *lang.File
	mistakes lang.ErrorList
}

// read parses a document.
func read(d *document) *reading {
	file, err := lang.ParseFile(d.name, []byte(d.text))
	if file == nil {
		file = &lang.File{}
	}
	r := &reading{document: d, file: file}
	r.mistakes, _ = errors.AsType[lang.ErrorList](err)
	return r
}

// use is a name in a document.
type use struct {
	ast.Use
	// start and end are the offsets of the name, without a dollar sign.
	start, end int
}

// uses returns the names in a document.
func (r *reading) uses() []use {
	var list []use
	for _, u := range r.file.Uses() {
		x := use{u, u.Pos.Offset, r.wordEnd(u.Pos.Offset)}
		if strings.HasPrefix(r.text[x.start:], "$") {
			x.start++
		}
		list = append(list, x)
	}
	return list
}

// useAt returns the name at a position, nil without one.
func (r *reading) useAt(p position) *use {
	at := r.offset(p)
	for _, u := range r.uses() {
		if u.Pos.Offset <= at && at <= u.end {
			return &u
		}
	}
	return nil
}

// template returns the template declared at a position, nil without one.
func (r *reading) template(decl ast.Pos) *lang.Query {
	for _, q := range slices.Concat(r.file.Queries, r.file.Refused) {
		if q.Pos == decl && decl.IsValid() {
			return q
		}
	}
	return nil
}

// placeAt returns the syntactic place at an offset, nothing in a document too long to be parsed.
func (d *document) placeAt(offset int) completion.Place {
	if len(d.text) > limits.FileBytes {
		return completion.Place{Start: offset, End: offset}
	}
	return completion.At(d.text, offset)
}
