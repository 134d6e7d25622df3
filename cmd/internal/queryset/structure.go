package queryset

import (
	"errors"
	"fmt"
	"strings"

	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime/model/importer/pickle"
)

// structure is a query as BetaE nests it: a start, then projections and negations
// of what the start gives. The start is an entity, or the intersection or union
// of parts.
type structure struct {
	parts []*structure // none for an entity
	union bool
	ops   string // of r and n
}

// The marks of union and negation in a query's tuple.
const (
	markUnion    = -1
	markNegation = -2
)

// Bounds of a structure: those of formulas.
const (
	maxDepth = lang.MaxNesting
	maxNodes = 4 * lang.MaxAtoms
)

// structureReader reads structures out of tuples.
type structureReader struct {
	d     *pickle.Decoder
	nodes int
}

var errStructure = errors.New("not a structure of e, r, n and u")

// read returns the structure of a tuple.
func (s *structureReader) read(v pickle.Value, depth int) (*structure, error) {
	elements, ok := s.d.Tuple(v)
	if s.nodes++; s.nodes > maxNodes || depth > maxDepth {
		return nil, errors.New("a structure that is too large")
	}
	if !ok || len(elements) < 2 {
		return nil, errStructure
	}
	last, head := elements[len(elements)-1], elements[:len(elements)-1]
	ops := s.ops(last)
	if ops != "" && ops != "u" {
		if len(elements) != 2 || strings.Contains(ops, "u") {
			return nil, errStructure
		}
		if text, ok := s.d.Text(head[0]); ok {
			if text != "e" {
				return nil, errStructure
			}
			return &structure{ops: ops}, nil
		}
		inner, err := s.read(head[0], depth+1)
		if err != nil {
			return nil, err
		}
		if len(inner.parts) == 0 || inner.ops != "" {
			// More projections of a chain are the same as a longer chain, but their
			// numbers are in another tuple.
			return &structure{parts: []*structure{inner}, ops: ops}, nil
		}
		inner.ops = ops
		return inner, nil
	}
	n := &structure{union: ops == "u"}
	if !n.union {
		head = elements
	}
	if len(head) < 2 {
		return nil, errStructure
	}
	for _, e := range head {
		part, err := s.read(e, depth+1)
		if err != nil {
			return nil, err
		}
		n.parts = append(n.parts, part)
	}
	return n, nil
}

// ops returns the letters of a tuple of r, n and u, empty if it is none.
func (s *structureReader) ops(v pickle.Value) string {
	elements, _ := s.d.Tuple(v)
	if s.nodes += len(elements); s.nodes > maxNodes {
		return ""
	}
	var b strings.Builder
	for _, e := range elements {
		text, _ := s.d.Text(e)
		if text != "r" && text != "n" && text != "u" {
			return ""
		}
		b.WriteString(text)
	}
	return b.String()
}

// tuple is a tuple as BetaE nests them, of strings and tuples.
type tuple []any

// tuple returns the structure as BetaE nests it.
func (n *structure) tuple() tuple {
	var start tuple
	for _, p := range n.parts {
		start = append(start, p.tuple())
	}
	if n.union {
		start = append(start, tuple{"u"})
	}
	if n.ops == "" {
		return start
	}
	var ops tuple
	for _, op := range n.ops {
		ops = append(ops, string(op))
	}
	if len(n.parts) == 0 {
		return tuple{"e", ops}
	}
	return tuple{start, ops}
}

// String prints the tuple as Python does.
func (t tuple) String() string {
	texts := make([]string, len(t))
	for i, x := range t {
		if texts[i] = fmt.Sprint(x); len(texts[i]) == 1 {
			texts[i] = "'" + texts[i] + "'"
		}
	}
	if len(t) == 1 {
		texts = append(texts, "") // for a comma
	}
	return "(" + strings.Join(texts, ",") + ")"
}

// formulaWriter writes the formula of a structure, its slots numbered in the
// order in which a query holds them.
type formulaWriter struct {
	entities, relations, variables int
	// forall says that a negation reached beyond an atom, which BetaE reads as
	// "by no"; it is written as "not by some". unites says that there is a union.
	forall, unites bool
}

// errComplement is said of structures that negate an entity, or all.
var errComplement = errors.New("it negates an entity itself, which no atom can")

// write writes the formula of the start and the first operations of n about a
// variable, or its negation.
func (w *formulaWriter) write(n *structure, ops int, of string, negated bool) (string, error) {
	switch {
	case ops == 0 && len(n.parts) == 0:
		return "", errComplement
	case ops == 0:
		return w.join(n, of, negated)
	case n.ops[ops-1] == 'n':
		return w.write(n, ops-1, of, !negated)
	}
	sign := ""
	if negated {
		sign = "!"
	}
	if ops == 1 && len(n.parts) == 0 {
		w.entities++
		w.relations++
		return fmt.Sprintf("%sr%d(s%d,%s)", sign, w.relations, w.entities, of), nil
	}
	w.forall = w.forall || negated
	w.variables++
	e := fmt.Sprintf("e%d", w.variables)
	inner, err := w.write(n, ops-1, e, false)
	if err != nil {
		return "", err
	}
	w.relations++
	return fmt.Sprintf("%s&%sr%d(%s,%s)", inner, sign, w.relations, e, of), nil
}

// join writes the parts of an intersection or union.
func (w *formulaWriter) join(n *structure, of string, negated bool) (string, error) {
	w.unites = w.unites || n.union
	texts := make([]string, len(n.parts))
	for i, p := range n.parts {
		text, err := w.write(p, len(p.ops), of, negated)
		if err != nil {
			return "", err
		}
		texts[i] = "(" + text + ")"
	}
	if len(texts) == 1 {
		return texts[0], nil
	}
	op := "&"
	if n.union != negated {
		op = "|"
	}
	return "(" + strings.Join(texts, op) + ")", nil
}

// ids are the entities and relations of a query, in the order of the slots.
type ids struct{ entities, relations []int32 }

// read appends those of a query, and reports whether it has the given structure.
func (x *ids) read(d *pickle.Decoder, structure, query pickle.Value) bool {
	if op, ok := d.Text(structure); ok {
		id, ok := d.Int(query)
		switch {
		case op == "u":
			return ok && id == markUnion
		case op == "n":
			return ok && id == markNegation
		case op == "r":
			x.relations = append(x.relations, id)
		default:
			x.entities = append(x.entities, id)
		}
		return ok && id >= 0
	}
	want, _ := d.Tuple(structure)
	have, ok := d.Tuple(query)
	if !ok || len(have) != len(want) {
		return false
	}
	for i := range want {
		if !x.read(d, want[i], have[i]) {
			return false
		}
	}
	return true
}

// write writes a structure, or the query of the structure that takes its ids from the front.
func (x *ids) write(p *pickle.Writer, structure tuple) {
	take := func(list *[]int32) {
		p.Int((*list)[0])
		*list = (*list)[1:]
	}
	p.BeginTuple(len(structure))
	for _, part := range structure {
		switch part := part.(type) {
		case tuple:
			x.write(p, part)
		case string:
			switch {
			case x == nil:
				p.Text(part)
			case part == "u":
				p.Int(markUnion)
			case part == "n":
				p.Int(markNegation)
			case part == "r":
				take(&x.relations)
			default:
				take(&x.entities)
			}
		}
	}
	p.EndTuple(len(structure))
}
