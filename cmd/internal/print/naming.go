package print

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/efoc/efoc/lang/ast"
	"github.com/efoc/efoc/runtime"
)

// naming formats the names of a graph.
type naming struct {
	entity   func(runtime.Value) string
	relation func(name string) string // of a relation, without direction, or an attribute
}

// fullNames keeps names whole, for programs and assistants.
var fullNames = naming{Quoted, func(name string) string { return name }}

// shortNames shows people the labels of entities, and what short makes of other names.
func shortNames(short func(name string) string) naming {
	return naming{func(e runtime.Value) string { return strconv.Quote(e.Label) }, short}
}

// Quoted formats an entity as in a formula.
func Quoted(e runtime.Value) string {
	return ast.Term{Kind: ast.Constant, Name: e.Name}.String()
}

// Atom formats an atom as in a formula.
func Atom(a *runtime.WitnessAtom) string { return fullNames.atom(a) }

// ShortAtom formats an atom for people, by labels. short abbreviates the name of its relation.
func ShortAtom(a *runtime.WitnessAtom, short func(name string) string) string {
	return shortNames(short).atom(a)
}

// atom formats an atom as in a formula.
func (n naming) atom(a *runtime.WitnessAtom) string {
	not := ""
	if a.Negated {
		not = "!"
	}
	head := n.entity(a.Head)
	tail := n.entity(a.Tail)
	if a.Relation == "=" {
		return fmt.Sprintf("%s %s= %s", head, not, tail)
	}
	relation, inverse := strings.CutSuffix(a.Relation, "^-1")
	return not + ast.Relation{Name: n.relation(relation), Inverse: inverse}.Applied(head, tail)
}

// filter formats a filter with the value that it compares.
func (n naming) filter(f *runtime.WitnessFilter) string {
	return ast.Relation{Name: n.relation(f.Attribute)}.Applied(n.entity(f.Entity)) + value(f)
}
