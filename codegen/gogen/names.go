package gogen

import (
	"go/token"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/efoc/efoc/codegen/internal/codegen"
	"github.com/efoc/efoc/compiler/ir"
	"github.com/efoc/efoc/compiler/lower"
	"github.com/efoc/efoc/runtime/scq"
)

// localNames are the names of terms and relations in the functions of a plan. They are derived from the
// template after which the plan is named.
type localNames struct {
	shape                         *lower.Shape
	constants, relations, filters []string
	of                            []map[int]string // by disjunct and variable
}

// own are the identifiers used by the functions of plans.
var own = []string{"w", "deg", "sweep", "tiles", "plan", "model", "scq", "fit", "context", "error", "nil", "true", "false"}

func newLocalNames(s *lower.Shape) *localNames {
	n := &localNames{shape: s}
	taken := n.reserved()
	for _, t := range s.Constants {
		n.constants = append(n.constants, distinct(taken, local(t.Name, "constant")))
	}
	for _, r := range s.Relations {
		name := local(r.Name, "relation")
		if r.Inverse {
			name += "Inverse"
		}
		n.relations = append(n.relations, distinct(taken, name))
	}
	for _, f := range s.Filters {
		n.filters = append(n.filters, distinct(taken, local(f.Attribute, "filter")))
	}
	for _, variables := range s.Variables {
		names := map[int]string{}
		for i, v := range variables {
			names[i] = local(v, "variable")
		}
		n.of = append(n.of, names)
	}
	return n
}

// reserved returns the names that values cannot have.
func (n *localNames) reserved() map[string]bool {
	taken := map[string]bool{}
	for _, names := range [][]string{own, n.constants, n.relations, n.filters} {
		for _, name := range names {
			taken[name] = true
		}
	}
	for t := token.BREAK; t <= token.VAR; t++ {
		taken[t.String()] = true // a keyword
	}
	return taken
}

// term returns the Go name of a term.
func (n *localNames) term(i int, t ir.Term) string {
	if t.Constant {
		return n.constants[t.Index]
	}
	return n.of[i][t.Index]
}

// filter returns the Go name of the slot of a filter.
func (n *localNames) filter(i, filter int) string {
	return n.filters[n.shape.Disjuncts[i].Filters[filter].Slot]
}

// by distinguishes edges between the same terms.
func (n *localNames) by(i int, e ir.Edge) string {
	a := n.shape.Disjuncts[i].Atoms[e.Index]
	if a.Unequal() {
		return "ByDifference"
	}
	return "By" + codegen.Exported(n.relations[a.Relation])
}

// Term returns a term as written in the template.
func (n *localNames) Term(i int, t ir.Term) string { return n.shape.Term(i, scq.Term(t)).String() }

// Edge returns an atom as written in the template, whichever way it is read.
func (n *localNames) Edge(i int, e ir.Edge) string {
	return n.shape.Literal(i, e.Index).AsWritten().String()
}

// Filter returns a filter as written in the template.
func (n *localNames) Filter(i, filter int) string { return n.shape.Filter(i, filter) }

// Bounds on a local name derived from a name in a query.
const (
	maxWords   = 3
	maxLetters = 24
)

// local converts a name to a Go identifier that starts in lower case: the first words after the last slash or
// #. For a name without letters and digits, it returns the fallback.
func local(name, fallback string) string {
	if i := strings.LastIndexAny(strings.TrimRight(name, "/#"), "/#"); i >= 0 {
		name = name[i+1:]
	}
	var b strings.Builder
	for i, word := range strings.FieldsFunc(name, func(r rune) bool { return !codegen.InIdentifier(r) }) {
		if i == maxWords || b.Len() > 0 && b.Len()+len(word) > maxLetters {
			break
		}
		if first, _ := utf8.DecodeRuneInString(word); i > 0 && unicode.IsLower(first) {
			word = codegen.Exported(word)
		}
		b.WriteString(word)
	}
	out := b.String()
	if first, _ := utf8.DecodeRuneInString(out); unicode.IsDigit(first) || out == "" {
		out = fallback + out
	}
	return lowerFirst(out)
}

func lowerFirst(name string) string {
	r, size := utf8.DecodeRuneInString(name)
	return string(unicode.ToLower(r)) + name[size:]
}
