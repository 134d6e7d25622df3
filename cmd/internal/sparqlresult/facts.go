package sparqlresult

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/efoc/efoc/lang/sparql"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
)

// ErrTooMany says that a query has more solutions, or takes more work, than can be had at once.
var ErrTooMany = errors.New("too many solutions")

// Bounds bound what a query of stored facts may take.
type Bounds struct {
	// Rows bounds the rows of a result, and Kept the values and groups that are remembered to count or return each
	// only once.
	Rows, Kept int
	// Work bounds the facts that the search goes through.
	Work int
}

// Facts answers a query by the stored facts of a model. Its solutions are all known.
func Facts(ctx context.Context, r *sparql.Request, m *runtime.Model, bounds Bounds) (*Result, error) {
	if r.Limit != nil && *r.Limit > bounds.Rows {
		return nil, fmt.Errorf("%w: LIMIT is %d, want at most %d: ask for parts by OFFSET", ErrTooMany, *r.Limit, bounds.Rows)
	}
	t := &table{request: r, model: m, bounds: bounds, seen: map[string]bool{}, groups: map[string]*group{}}
	if r.Facts.Grouped && r.Facts.Group == nil {
		t.group(nil) // which has no solutions, perhaps
	}
	if err := t.search(ctx); err != nil {
		return nil, err
	}
	if r.Ask {
		return &Result{Holds: t.solutions > 0}, nil
	}
	rows := t.rows
	if r.Facts.Grouped {
		rows = t.counted()
	}
	if ranked(r) && !r.Facts.Grouped {
		return &Result{Rows: rows}, nil // they are cut
	}
	sortAnswers(rows, r.Order)
	rows = rows[min(r.Offset, len(rows)):]
	if r.Limit != nil {
		rows = rows[:min(*r.Limit, len(rows))]
	}
	if len(rows) > bounds.Rows {
		return nil, tooManyRows(bounds)
	}
	return &Result{Rows: rows}, nil
}

func tooManyRows(bounds Bounds) error {
	return fmt.Errorf("%w: there are more than %d: ask for parts by LIMIT of at most %[2]d and OFFSET, without ORDER BY", ErrTooMany, bounds.Rows)
}

// table collects the rows of a query.
type table struct {
	request   *sparql.Request
	model     *runtime.Model
	bounds    Bounds
	pattern   *pattern
	columns   []int // the variables of the columns, -1 if there is none
	grouped   []int // the variables by which solutions are grouped
	solutions int   // or distinct rows
	seen      map[string]bool
	rows      []runtime.Row
	groups    map[string]*group
	order     []*group // as they were found
}

// group is a group of solutions, with a number for each column that counts.
type group struct {
	values []int32 // of all variables, by its first solution
	counts []int
}

// search finds the solutions of the pattern.
func (t *table) search(ctx context.Context) error {
	r := t.request
	if r.Empty {
		return nil
	}
	var wanted map[string]bool
	if r.Ask || r.Facts.Distinct && !r.Facts.Grouped {
		wanted = map[string]bool{}
		for _, c := range r.Facts.Columns {
			wanted[c.Of] = true
		}
	}
	p, parts, err := newPattern(r, t.model.Bundle(), wanted)
	if err != nil {
		return err
	}
	t.pattern = p
	for _, c := range r.Facts.Columns {
		i, ok := p.index[c.Of]
		if !ok {
			i = -1
		}
		t.columns = append(t.columns, i)
	}

	for _, name := range r.Facts.Group {
		t.grouped = append(t.grouped, p.index[name])
	}

	s := &matcher{ctx: ctx, bundle: t.model.Bundle(), values: slices.Repeat([]int32{-1}, len(p.index)), most: t.bounds.Work}
	err = s.all(parts, func() error { return t.add(s.values) })
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

// add adds a solution.
func (t *table) add(values []int32) error {
	r := t.request
	switch {
	case r.Ask:
		t.solutions++
		return errEnough
	case r.Facts.Grouped:
		return t.count(values)
	case r.Limit != nil && *r.Limit == 0:
		return errEnough
	}
	if r.Facts.Distinct {
		fresh, err := t.first(t.columns, values)
		if err != nil || !fresh {
			return err
		}
	}
	t.solutions++
	if ranked(r) && t.solutions <= r.Offset {
		return nil
	}
	if len(t.rows) == t.bounds.Rows {
		return tooManyRows(t.bounds)
	}
	t.rows = append(t.rows, t.row(values))
	if ranked(r) && r.Limit != nil && len(t.rows) == *r.Limit {
		return errEnough
	}
	return nil
}

// first reports whether some variables have these values for the first time.
func (t *table) first(variables []int, values []int32) (bool, error) {
	key := keyOf(variables, values)
	if t.seen[key] {
		return false, nil
	}
	if len(t.seen) == t.bounds.Kept {
		return false, fmt.Errorf("%w: more than %d different ones were found: ask about fewer", ErrTooMany, t.bounds.Kept)
	}
	t.seen[key] = true
	return true, nil
}

// keyOf returns a key of the values of some variables.
func keyOf(variables []int, values []int32) string {
	var key []byte
	for _, v := range variables {
		x := int32(-1)
		if v >= 0 {
			x = values[v]
		}
		key = binary.LittleEndian.AppendUint32(key, uint32(x))
	}
	return string(key)
}

// group returns the group of a solution. Without values it is the only one.
func (t *table) group(values []int32) *group {
	key := keyOf(t.grouped, values)
	g := t.groups[key]
	if g == nil {
		g = &group{values: slices.Clone(values), counts: make([]int, len(t.request.Facts.Columns))}
		t.groups[key] = g
		t.order = append(t.order, g)
	}
	return g
}

// count counts a solution in its group.
func (t *table) count(values []int32) error {
	g := t.group(values)
	if len(t.groups) > t.bounds.Kept {
		return fmt.Errorf("%w: they have more than %d groups: ask about fewer", ErrTooMany, t.bounds.Kept)
	}
	for i, c := range t.request.Facts.Columns {
		if !c.Counts {
			continue
		}
		if c.Distinct {
			fresh, err := t.firstCounted(i, values)
			if err != nil {
				return err
			}
			if !fresh {
				continue
			}
		}
		g.counts[i]++
	}
	return nil
}

// firstCounted reports whether a column counts a value for the first time in its group.
func (t *table) firstCounted(column int, values []int32) (bool, error) {
	with := append(slices.Clip(values), int32(column))
	return t.first(append([]int{t.columns[column], len(values)}, t.grouped...), with)
}

// counted returns the rows of the groups.
func (t *table) counted() (rows []runtime.Row) {
	for _, g := range t.order {
		row := t.row(g.values)
		for i, c := range t.request.Facts.Columns {
			if c.Counts {
				row.Values[i].Name = sparql.Literal{Text: strconv.Itoa(g.counts[i]), Datatype: xsdInteger}.String()
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// row returns the columns of a solution; those that count are empty.
func (t *table) row(values []int32) runtime.Row {
	row := runtime.Row{Status: runtime.Known, Confidence: 1}
	for i, c := range t.request.Facts.Columns {
		var value runtime.Value
		if !c.Counts {
			value = t.value(t.columns[i], values)
		}
		value.Variable = c.Name
		switch c.Key {
		case sparql.ByLabel:
			value.Name = sparql.Literal{Text: value.Label}.String()
		case sparql.ByConfidence:
			value.Name = sparql.Literal{Text: confidence(row.Confidence), Datatype: xsdDecimal}.String()
		case sparql.ByStatus:
			value.Name = sparql.Literal{Text: row.Status.String()}.String()
		}
		row.Values = append(row.Values, value)
	}
	return row
}

// value returns the value of a variable.
func (t *table) value(variable int, values []int32) runtime.Value {
	x := values[variable]
	if t.pattern.relations[variable] {
		names := t.model.Bundle().Relations
		return runtime.Value{Name: names.Name(x), Label: names.Label(x)}
	}
	return t.model.Named(x)
}

// Describe writes the facts whose subject DESCRIBE names, or whose subject is a solution, as N-Triples. An unknown
// entity has none.
func Describe(ctx context.Context, w io.Writer, r *sparql.Request, m *runtime.Model, bounds Bounds) error {
	entities, err := described(ctx, r, m, bounds)
	if err != nil {
		return err
	}
	var lines []string
	g := m.Bundle().Graph
	for _, e := range entities {
		for relation := range int32(g.NumRelations() / 2) {
			predicate := sparql.IRI(m.Bundle().Relations.Name(relation))
			for _, tail := range g.Tails(e, model.RelationID(2*relation)) {
				if len(lines) == bounds.Rows {
					return fmt.Errorf("%w: there are more than %d facts: ask for parts of them by SELECT ?p ?o { … } with LIMIT and OFFSET", ErrTooMany, bounds.Rows)
				}
				lines = append(lines, fmt.Sprintf("%s <%s> %s .\n", ntriples(m.EntityName(e)), predicate, ntriples(m.EntityName(model.EntityID(tail)))))
			}
		}
	}
	_, err = io.WriteString(w, strings.Join(lines, ""))
	return err
}

// described returns the entities that DESCRIBE asks about, each once.
func described(ctx context.Context, r *sparql.Request, m *runtime.Model, bounds Bounds) (list []model.EntityID, err error) {
	seen := map[model.EntityID]bool{}
	add := func(e model.EntityID) {
		if !seen[e] {
			seen[e] = true
			list = append(list, e)
		}
	}
	for _, term := range r.Facts.IRIs {
		id, err := m.Bundle().FindEntity(term.Name)
		switch {
		case err == nil:
			add(model.EntityID(id))
		case !errors.Is(err, model.ErrUnknownName):
			return nil, err
		}
	}
	if r.Facts.Columns == nil {
		return list, nil
	}

	found, err := Facts(ctx, r, m, bounds)
	if err != nil {
		return nil, err
	}
	for _, row := range found.Rows {
		for _, v := range row.Values {
			if id, err := m.Bundle().FindEntity(v.Name); err == nil { // a relation may be none
				add(model.EntityID(id))
			}
		}
	}
	return list, nil
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
