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

// String prints the structure as Python does.
func (n *structure) String() string {
	var tuple []string
	if len(n.parts) == 0 {
		tuple = append(tuple, "'e'")
	}
	for _, p := range n.parts {
		tuple = append(tuple, p.String())
	}
	if n.union {
		tuple = append(tuple, "('u',)")
	}
	text := strings.Join(tuple, ",")
	if n.ops == "" {
		return "(" + text + ")"
	}
	if len(n.parts) > 1 {
		text = "(" + text + ")"
	}
	ops := "'" + strings.Join(strings.Split(n.ops, ""), "','") + "'"
	if len(n.ops) == 1 {
		ops += ","
	}
	return "(" + text + ",(" + ops + "))"
}

// formulaWriter writes the formula of a structure, its slots numbered in the
// order in which a query holds them.
type formulaWriter struct {
	entities, relations, variables int
	// forall says that a negation reached beyond an atom, which BetaE reads as
	// "by no"; it is written as "not by some".
	forall bool
}

// errComplement is said of structures that negate an entity, or all.
var errComplement = errors.New("it negates an entity itself, which no atom can")

// formula returns the benchmark formula of a structure.
func (n *structure) formula() (text string, forall bool, err error) {
	w := &formulaWriter{}
	text, err = w.write(n, len(n.ops), "f", false)
	return text, w.forall, err
}

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
	if n.union != negated {
		return "(" + strings.Join(texts, "|") + ")", nil
	}
	return "(" + strings.Join(texts, "&") + ")", nil
}

// fill reads a query of the structure: the entities and relations in the order of
// the slots.
func (n *structure) fill(d *pickle.Decoder, v pickle.Value, entities, relations *[]int32) bool {
	elements, ok := d.Tuple(v)
	if !ok {
		return false
	}
	if n.ops != "" {
		if len(elements) != 2 || !fillOps(d, elements[1], n.ops, relations, func() bool {
			if len(n.parts) == 0 {
				e, ok := d.Int(elements[0])
				*entities = append(*entities, e)
				return ok && e >= 0
			}
			if len(n.parts) == 1 {
				return n.parts[0].fill(d, elements[0], entities, relations)
			}
			elements, ok := d.Tuple(elements[0])
			return ok && n.fillParts(d, elements, entities, relations)
		}) {
			return false
		}
		return true
	}
	return n.fillParts(d, elements, entities, relations)
}

// fillParts reads the parts of an intersection or union.
func (n *structure) fillParts(d *pickle.Decoder, elements []pickle.Value, entities, relations *[]int32) bool {
	if n.union {
		if len(elements) != len(n.parts)+1 || !fillOps(d, elements[len(n.parts)], "u", nil, func() bool { return true }) {
			return false
		}
	} else if len(elements) != len(n.parts) {
		return false
	}
	for i, p := range n.parts {
		if !p.fill(d, elements[i], entities, relations) {
			return false
		}
	}
	return true
}

// fillOps reads a tuple of relations and marks, after what precedes it.
func fillOps(d *pickle.Decoder, v pickle.Value, ops string, relations *[]int32, before func() bool) bool {
	elements, ok := d.Tuple(v)
	if !ok || len(elements) != len(ops) || !before() {
		return false
	}
	for i, e := range elements {
		x, ok := d.Int(e)
		switch {
		case !ok:
			return false
		case ops[i] == 'r':
			if x < 0 {
				return false
			}
			*relations = append(*relations, x)
		case ops[i] == 'n' && x != markNegation || ops[i] == 'u' && x != markUnion:
			return false
		}
	}
	return true
}
