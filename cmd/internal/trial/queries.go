package trial

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime"
)

// Query is a query of a benchmark shape with its slots filled.
type Query struct {
	// Type is the name of the shape, such as 2in.
	Type string
	// Slots holds the entity of each s-slot and the directed relation of each
	// r-slot, by name ("s1", "r1").
	Slots map[string]int32
}

// Group are the queries of one shape, in the order in which they were read.
type Group struct {
	Shape   lang.Shape
	Queries []Query
}

// maxLine bounds a line of a query file; answers make lines long.
const maxLine = 64 << 20

// ReadQueries reads a query a line, a JSON object such as
// {"type":"2p","s1":4,"r1":10,"r2":3}. Fields that are no slots, such as the
// answers, are left out. Of each shape it keeps the first limit queries, and
// those of the named shapes alone if there are names. The groups are in the
// order of lang.Shapes. name stands in errors.
func ReadQueries(r io.Reader, name string, types []string, limit int) ([]Group, error) {
	groups := make([]Group, len(lang.Shapes))
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	for n := 1; lines.Scan(); n++ {
		text := bytes.TrimSpace(lines.Bytes())
		if len(text) == 0 {
			continue
		}
		q, err := parseQuery(text)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, n, err)
		}
		i, err := shapeIndex(q.Type)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, n, err)
		}
		groups[i].Shape = lang.Shapes[i]
		if len(groups[i].Queries) < limit && (len(types) == 0 || slices.Contains(types, q.Type)) {
			if err := checkSlots(q); err != nil {
				return nil, fmt.Errorf("%s:%d: %w", name, n, err)
			}
			groups[i].Queries = append(groups[i].Queries, q)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	for _, t := range types {
		i, err := shapeIndex(t)
		if err != nil {
			return nil, err
		}
		if len(groups[i].Queries) == 0 {
			return nil, fmt.Errorf("%s has no queries of shape %s", name, t)
		}
	}
	groups = slices.DeleteFunc(groups, func(g Group) bool { return len(g.Queries) == 0 })
	if len(groups) == 0 {
		return nil, fmt.Errorf("%s has no queries", name)
	}
	return groups, nil
}

// parseQuery reads one line.
func parseQuery(text []byte) (Query, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil {
		return Query{}, err
	}
	q := Query{Slots: map[string]int32{}}
	for name, value := range fields {
		switch {
		case name == "type":
			if err := json.Unmarshal(value, &q.Type); err != nil {
				return q, fmt.Errorf("field type: %w", err)
			}
		case isSlot(name):
			id, err := strconv.ParseInt(string(value), 10, 32)
			if err != nil || id < 0 {
				return q, fmt.Errorf("field %s is %s, want an id from 0 to %d", name, value, math.MaxInt32)
			}
			q.Slots[name] = int32(id)
		}
	}
	if q.Type == "" {
		return q, fmt.Errorf("no field type")
	}
	return q, nil
}

// isSlot reports whether a name is s or r with a number behind it.
func isSlot(name string) bool {
	return len(name) > 1 && (name[0] == 's' || name[0] == 'r') && strings.Trim(name[1:], "0123456789") == ""
}

// shapeIndex finds a shape in lang.Shapes.
func shapeIndex(name string) (int, error) {
	i := slices.IndexFunc(lang.Shapes, func(s lang.Shape) bool { return s.Name == name })
	if i < 0 {
		_, err := lang.ShapeQuery(name)
		return i, err
	}
	return i, nil
}

// checkSlots reports a slot of the shape that the query leaves open.
func checkSlots(q Query) error {
	shape, err := lang.ShapeQuery(q.Type)
	if err != nil {
		return err
	}
	for _, p := range shape.Params {
		if _, ok := q.Slots[p.Name]; !ok {
			return fmt.Errorf("a query of shape %s needs field %s", q.Type, p.Name)
		}
	}
	return nil
}

// Bindings fills the slots of a prepared benchmark shape with those of a query.
func (q Query) Bindings(p *compiler.Prepared) (runtime.Bindings, error) {
	var b runtime.Bindings
	m := p.Query.Model()
	for _, c := range p.Shape.Constants {
		e := q.Slots[c.Name]
		if int(e) >= m.NumEntities() {
			return b, fmt.Errorf("shape %s: %s is %d, but the model has %d entities", q.Type, c.Name, e, m.NumEntities())
		}
		b.Constants = append(b.Constants, runtime.EntityID(e))
	}
	for _, c := range p.Shape.Relations {
		r := q.Slots[c.Name]
		if int(r) >= m.NumRelations() {
			return b, fmt.Errorf("shape %s: %s is %d, but the model has %d relations with inverses", q.Type, c.Name, r, m.NumRelations())
		}
		b.Relations = append(b.Relations, runtime.RelationID(r))
	}
	return b, nil
}
