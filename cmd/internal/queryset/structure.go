package queryset

import (
	"errors"
	"fmt"
	"strings"

	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime/model/importer/pickle"
)

// BetaE nests a query as tuples: (start, operations), where operations are a tuple of the
// letters r and n, projections and negations of what the start gives. The start is an entity,
// the letter e, or the intersection or union of parts: (part, part, …) or (part, …, ('u',)).
// In the structure of a query there are the letters, in the query itself ids and marks.

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

// Errors about structures: of those that are none, and of those that no formula can say.
var (
	errStructure  = errors.New("not a structure of e, r, n and u")
	errTooLarge   = errors.New("a structure that is too large")
	errComplement = errors.New("it cannot be EFO1: it negates an entity itself, which no atom can")
)

// formulaWriter writes the formula of a structure, its slots numbered in the
// order in which a query holds them.
type formulaWriter struct {
	d                                     *pickle.Decoder
	nodes, entities, relations, variables int
	// forall says that a negation reached beyond an atom, which BetaE reads as
	// "by no"; it is written as "not by some". unites says that there is a union.
	forall, unites bool
}

// write writes the formula of a structure about a variable, or its negation.
func (w *formulaWriter) write(v pickle.Value, of string, negated bool, depth int) (string, error) {
	elements, ok := w.d.Tuple(v)
	if w.nodes++; w.nodes > maxNodes || depth > maxDepth {
		return "", errTooLarge
	}
	if !ok || len(elements) < 2 {
		return "", errStructure
	}
	parts := elements
	switch ops := w.operations(elements[len(elements)-1]); {
	case ops == "u":
		parts = elements[:len(elements)-1]
		w.unites = true
	case ops != "" && (len(elements) != 2 || strings.Contains(ops, "u")):
		return "", errStructure
	case ops != "":
		return w.chain(elements[0], ops, of, negated, depth)
	}
	if len(parts) < 2 {
		return "", errStructure
	}
	texts := make([]string, len(parts))
	for i, p := range parts {
		text, err := w.write(p, of, negated, depth+1)
		if err != nil {
			return "", err
		}
		texts[i] = "(" + text + ")"
	}
	op := "&"
	if (len(parts) < len(elements)) != negated {
		op = "|"
	}
	return "(" + strings.Join(texts, op) + ")", nil
}

// operations returns the letters of a tuple of r, n and u, empty if it is none.
func (w *formulaWriter) operations(v pickle.Value) string {
	elements, _ := w.d.Tuple(v)
	if w.nodes += len(elements); w.nodes > maxNodes {
		return ""
	}
	var b strings.Builder
	for _, e := range elements {
		text, _ := w.d.Text(e)
		if text != "r" && text != "n" && text != "u" {
			return ""
		}
		b.WriteString(text)
	}
	return b.String()
}

// chain writes the formula of operations on a start.
func (w *formulaWriter) chain(start pickle.Value, ops, of string, negated bool, depth int) (string, error) {
	text, entity := w.d.Text(start)
	switch {
	case entity && text != "e":
		return "", errStructure
	case ops == "" && entity:
		return "", errComplement
	case ops == "":
		return w.write(start, of, negated, depth+1)
	}
	before := ops[:len(ops)-1]
	if ops[len(before)] == 'n' {
		return w.chain(start, before, of, !negated, depth)
	}
	sign := ""
	if negated {
		sign = "!"
	}
	if before == "" && entity {
		w.entities++
		w.relations++
		return fmt.Sprintf("%sr%d(s%d,%s)", sign, w.relations, w.entities, of), nil
	}
	w.forall = w.forall || negated
	w.variables++
	e := fmt.Sprintf("e%d", w.variables)
	inner, err := w.chain(start, before, e, false, depth)
	if err != nil {
		return "", err
	}
	w.relations++
	return fmt.Sprintf("%s&%sr%d(%s,%s)", inner, sign, w.relations, e, of), nil
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
