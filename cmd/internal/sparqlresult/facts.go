package sparqlresult

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/efoc/efoc/lang/ast"
	"github.com/efoc/efoc/lang/sparql"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model/graph"
)

// ErrTooMany reports that a query matches more facts than allowed.
var ErrTooMany = errors.New("too many facts")

// Facts returns the stored facts that match a query, at most max: the relation and the other end of each, or its
// subject, relation and object for DESCRIBE.
func Facts(r *sparql.Request, m *runtime.Model, max int) (*Result, error) {
	result := &Result{}
	if r.Empty {
		return result, nil
	}
	ids, err := r.Query.Resolve(m.Bundle())
	if err != nil {
		return nil, err
	}
	f := &factRows{request: r, model: m, left: max, offset: r.Offset}
	if r.Limit != nil {
		f.left = min(*r.Limit, max)
	}
	ast.Walk(r.Query.Formula, func(part ast.Formula) {
		for _, t := range ast.Terms(part) {
			if t.Kind == ast.Constant {
				f.add(graph.EntityID(ids.Entities[t.Name]))
			}
		}
	})

	if f.more && (r.Limit == nil || *r.Limit > max) {
		return nil, fmt.Errorf("%w: there are more than %d: ask for parts by SELECT ?p ?o { … } LIMIT %[2]d OFFSET %[2]d", ErrTooMany, max)
	}
	result.Rows = f.rows
	return result, nil
}

// factRows collects facts as rows.
type factRows struct {
	request *sparql.Request
	model   *runtime.Model
	// offset is the number of facts still to skip, left the number of rows still wanted.
	offset, left int
	rows         []runtime.Row
	more         bool // more facts than wanted
}

// add adds the facts of an entity.
func (f *factRows) add(e graph.EntityID) {
	g := f.model.Bundle().Graph
	for relation := range int32(g.NumRelations() / 2) {
		directed := graph.RelationID(2 * relation)
		if f.request.Facts.Inverse {
			directed++
		}
		ends := g.Tails(e, directed)
		skipped := min(f.offset, len(ends))
		f.offset -= skipped
		for _, end := range ends[skipped:] {
			if f.left == 0 {
				f.more = true
				return
			}
			f.left--
			f.rows = append(f.rows, f.row(e, relation, end))
		}
	}
}

// row returns a fact of an entity as a row.
func (f *factRows) row(e graph.EntityID, relation, end int32) runtime.Row {
	names := f.model.Bundle().Relations
	of := runtime.Value{Name: names.Name(relation), Label: names.Label(relation)}
	row := runtime.Row{Status: runtime.Known, Confidence: 1}
	switch r := f.request; {
	case r.Facts.Describe:
		row.Values = []runtime.Value{f.model.Named(int32(e)), of, f.model.Named(end)}
	case r.Query.Free == r.Facts.Relation:
		row.Values = []runtime.Value{of, f.model.Named(end)}
	default:
		row.Values = []runtime.Value{f.model.Named(end), of}
	}
	return row
}

// GraphFormat returns the format of a description for a client's Accept headers: Turtle, or N-Triples, a subset of
// it.
func GraphFormat(accept []string) *Format {
	media := "text/turtle; charset=utf-8"
	if strings.Contains(strings.Join(accept, ","), "application/n-triples") {
		media = "application/n-triples"
	}
	return &Format{Media: media, Write: writeTriples}
}

// writeTriples writes the facts of DESCRIBE as N-Triples.
func writeTriples(w io.Writer, _ *sparql.Request, a *Result) error {
	var b strings.Builder
	for _, row := range a.Rows {
		fmt.Fprintf(&b, "%s %s %s .\n", sparql.Term(row.Values[0].Name), sparql.Term(row.Values[1].Name), sparql.Term(row.Values[2].Name))
	}
	_, err := io.WriteString(w, b.String())
	return err
}
