package sparqlresult

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strconv"
	"strings"

	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/lang/ast"
	"github.com/efoc/efoc/lang/sparql"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
)

// ErrTooMany says that a query has more solutions than can be had at once.
var ErrTooMany = errors.New("too many solutions")

// Facts answers a query of sparql.Facts by the stored facts of a model, each of them known. At most max rows
// can be had at once.
func Facts(ctx context.Context, r *sparql.Request, m *runtime.Model, max int) (*Result, error) {
	if r.Empty {
		return &Result{}, nil
	}
	p, err := patternOf(r, m, *r.Facts)
	if err != nil {
		return nil, err
	}
	if r.Ask {
		for range p.facts() {
			return &Result{Holds: true}, nil
		}
		return &Result{}, nil
	}

	offset := r.Offset
	limit := max + 1
	if r.Limit != nil && *r.Limit > max {
		return nil, fmt.Errorf("%w: LIMIT is %d, want at most %d: ask for parts by OFFSET", ErrTooMany, *r.Limit, max)
	}
	if ranked(r) && r.Limit != nil {
		limit = *r.Limit
	}
	if !ranked(r) { // all are sorted, and then cut
		offset = 0
	}
	rows, err := p.rows(ctx, r, offset, limit)
	switch {
	case err != nil:
		return nil, err
	case len(rows) > max:
		return nil, fmt.Errorf("%w: there are more than %d: ask for parts by LIMIT of at most %[2]d and OFFSET, without ORDER BY", ErrTooMany, max)
	case ranked(r):
		return &Result{Rows: rows}, nil
	}
	sortAnswers(rows, r.Order)
	rows = rows[min(r.Offset, len(rows)):]
	if r.Limit != nil {
		rows = rows[:min(*r.Limit, len(rows))]
	}
	return &Result{Rows: rows}, nil
}

// pattern is a triple pattern over the facts of a model.
type pattern struct {
	m *runtime.Model
	// subject and object are negative where any entity matches.
	subject, object model.EntityID
	// loops says that subject and object are one variable, and relations that only relations are wanted, each once.
	loops, relations bool
}

func patternOf(r *sparql.Request, m *runtime.Model, f sparql.Facts) (p pattern, err error) {
	p = pattern{m: m, subject: -1, object: -1}
	for _, x := range []struct {
		term ast.Term
		id   *model.EntityID
	}{{f.Subject, &p.subject}, {f.Object, &p.object}} {
		if x.term.Kind != ast.Constant {
			continue
		}
		found, err := m.Bundle().FindEntity(x.term.Name)
		if err != nil {
			return p, lang.ErrorList{r.Query.Errorf(x.term.Pos, similar(m, x.term.Name), "%v", err)}
		}
		*x.id = model.EntityID(found)
	}
	p.loops = p.subject < 0 && p.object < 0 && f.Subject.Name == f.Object.Name
	return p, nil
}

// similar returns a hint with the names of entities that a name could be a typo of.
func similar(m *runtime.Model, name string) string {
	var names []string
	for _, n := range m.Bundle().NearestEntities(name, 3) {
		names = append(names, strconv.Quote(n))
	}
	if names == nil {
		return ""
	}
	return "did you mean " + strings.Join(names, " or ") + "?"
}

// facts returns the facts that match, by relation.
func (p pattern) facts() iter.Seq[model.Triple] {
	return func(yield func(model.Triple) bool) {
		for i := range int32(p.m.NumRelations() / 2) {
			for f := range p.of(i) {
				if !yield(f) {
					return
				}
				if p.relations {
					break
				}
			}
		}
	}
}

// of returns the facts of a relation that match.
func (p pattern) of(relation int32) iter.Seq[model.Triple] {
	r := model.RelationID(2 * relation)
	var heads, tails []int32
	switch {
	case p.subject >= 0:
		tails = p.m.Bundle().Graph.Tails(p.subject, r)
	case p.object >= 0:
		heads = p.m.Bundle().Graph.Tails(p.object, r+1)
	default:
		heads, tails = p.m.Bundle().Graph.Edges(r)
	}
	return func(yield func(model.Triple) bool) {
		for i := range max(len(heads), len(tails)) {
			f := model.Triple{Head: p.subject, Relation: relation, Tail: p.object}
			if heads != nil {
				f.Head = model.EntityID(heads[i])
			}
			if tails != nil {
				f.Tail = model.EntityID(tails[i])
			}
			matches := (p.object < 0 || f.Tail == p.object) && (!p.loops || f.Head == f.Tail)
			if matches && !yield(f) {
				return
			}
		}
	}
}

// rows returns distinct rows of the selected variables, those after the first offset.
func (p pattern) rows(ctx context.Context, r *sparql.Request, offset, limit int) (rows []runtime.Row, err error) {
	vars := r.Query.Variables()
	p.relations = len(vars) == 1 && vars[0].Name == r.Facts.Predicate.Name
	// row returns the fact without the terms that are not selected.
	row := func(f model.Triple) (key model.Triple, values []runtime.Value) {
		key = model.Triple{Head: -1, Relation: -1, Tail: -1}
		for _, v := range vars {
			var value runtime.Value
			switch {
			case v.Name == r.Facts.Predicate.Name:
				key.Relation = f.Relation
				value = runtime.Value{Name: p.m.Bundle().Relations.Name(f.Relation), Label: p.m.Bundle().Relations.Label(f.Relation)}
			case p.subject < 0 && v.Name == r.Facts.Subject.Name:
				key.Head = f.Head
				value = p.m.Named(int32(f.Head))
			default:
				key.Tail = f.Tail
				value = p.m.Named(int32(f.Tail))
			}
			value.Variable = v.Name
			values = append(values, value)
		}
		return key, values
	}

	seen := map[model.Triple]bool{}
	for f := range p.facts() {
		if len(rows) == limit {
			break
		}
		key, values := row(f)
		if seen[key] {
			continue
		}
		seen[key] = true
		if len(seen)%10_000 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if len(seen) > offset {
			rows = append(rows, runtime.Row{Values: values, Status: runtime.Known, Confidence: 1})
		}
	}
	return rows, nil
}

// Describe writes the facts whose subject DESCRIBE names as N-Triples, max at most. An unknown entity has none.
func Describe(w io.Writer, r *sparql.Request, m *runtime.Model, max int) error {
	var lines []string
	for _, term := range r.Describe {
		if _, err := m.Bundle().FindEntity(term.Name); errors.Is(err, model.ErrUnknownName) {
			continue
		}
		p, err := patternOf(r, m, sparql.Facts{Subject: term})
		if err != nil {
			return err
		}
		for f := range p.facts() {
			if len(lines) == max {
				return fmt.Errorf("%w: there are more than %d facts: ask for parts of them by SELECT ?p ?o { … } with LIMIT and OFFSET", ErrTooMany, max)
			}
			name := p.m.Bundle().Relations.Name(f.Relation)
			lines = append(lines, fmt.Sprintf("%s <%s> %s .\n", ntriples(m.EntityName(f.Head)), sparql.IRI(name), ntriples(m.EntityName(f.Tail))))
		}
	}
	_, err := io.WriteString(w, strings.Join(lines, ""))
	return err
}

// ntriples writes the term that an entity is.
func ntriples(name string) string {
	if l, ok := sparql.LiteralOf(name); ok {
		return l.String()
	}
	return "<" + sparql.IRI(name) + ">"
}

// GraphMedia returns the type of Internet media of a description for a client's Accept headers. N-Triples are
// Turtle, too.
func GraphMedia(accept []string) string {
	if strings.Contains(strings.Join(accept, ","), "application/n-triples") {
		return "application/n-triples"
	}
	return "text/turtle; charset=utf-8"
}
