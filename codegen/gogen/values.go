package gogen

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/efoc/efoc/codegen/internal/codegen"
	"github.com/efoc/efoc/compiler/alloc"
	"github.com/efoc/efoc/compiler/ir"
)

// valueNames names the variables of a plan's values after their contents: the state of x is x, its embedding
// xEmb; the message from $country to it is countryToX, computed from countryToXScores and countryToXLinks.
// Names derive from the origins of values; a value without one is named after the value that it is computed
// for. If several names collide, all but the first get a letter as suffix.
func valueNames(p *ir.Plan, n *localNames) map[*ir.Value]string {
	s := newStemmer(p, n)
	stems := map[*ir.Value]string{}
	taken := map[string]bool{}
	for _, v := range p.Values {
		if (v.Op == ir.Embed || v.Op == ir.Correct) && stems[v.Args[0]] != "" {
			stems[v] = stems[v.Args[0]] // an embedding has the stem of its state
			continue
		}
		if stem := s.stem(v); stem != "" {
			stems[v] = stem
			// Values of truth degrees may share a stem: distinct makes their names unique below.
			if alloc.HasBuffers(v.Space()) {
				stems[v] = distinct(taken, stem)
			}
		}
	}
	inherit(p.Values, stems)
	taken = n.reserved()
	names := map[*ir.Value]string{}
	for _, v := range p.Values {
		if alloc.Unbuffered(v) {
			continue // has no variable
		}
		suffix := v.Op.Info().Noun
		if v.Op == ir.Normalize && v.Origin.Role == ir.NoRole { // of a message's observed part
			suffix = "Links"
		}
		names[v] = distinct(taken, lowerFirst(cmp.Or(stems[v]+suffix, v.Op.String())))
	}
	return names
}

// distinct returns a name, with a letter as suffix if it is taken, and claims it.
func distinct(taken map[string]bool, name string) string {
	free := name
	for i := 1; taken[free]; i++ {
		free = name + string(rune('A'+i))
		if i > 24 {
			free = fmt.Sprint(name, "Z", i)
		}
	}
	taken[free] = true
	return free
}

// inherit gives values without stems the stems of the values that they are computed for.
func inherit(values []*ir.Value, stems map[*ir.Value]string) {
	given := map[*ir.Value]string{}
	for _, v := range slices.Backward(values) {
		if stems[v] == "" {
			stems[v] = given[v]
		}
		if makesRows(v) {
			continue // named after its atom, unlike candidates
		}
		for _, a := range v.Args {
			if v.Op != ir.Estimate || given[a] == "" {
				given[a] = stems[v]
			}
		}
	}
}

// stemmer finds the stems of names. They include layers, and the edge between two terms, only if the plan has
// several.
type stemmer struct {
	names  *localNames
	layers map[string]map[int]bool
	edges  map[string]map[int]bool
}

func newStemmer(p *ir.Plan, n *localNames) *stemmer {
	s := &stemmer{n, map[string]map[int]bool{}, map[string]map[int]bool{}}
	for _, v := range p.Values {
		o := v.Origin
		base := s.base(v.Origin)
		if s.layers[base] == nil {
			s.layers[base] = map[int]bool{}
			s.edges[base] = map[int]bool{}
		}
		if o.Layer > 0 {
			s.layers[base][o.Layer] = true
		}
		if len(o.Edges) == 1 {
			s.edges[base][o.Edges[0].Index] = true
		}
	}
	return s
}

// base returns the part of a stem derived from terms, "" for values without a role.
func (s *stemmer) base(o ir.Origin) string {
	switch o.Role {
	case ir.MessageOf, ir.RowOf, ir.PushOf, ir.EachOf, ir.ProposalOf:
		return s.names.term(o.Disjunct, o.From) + "To" + codegen.Exported(s.names.term(o.Disjunct, o.To))
	case ir.StateOf, ir.EmbeddedOf, ir.Start, ir.Excluded, ir.DegreesOf, ir.CandidatesOf, ir.ValuesOf, ir.PeakOf, ir.BranchOf:
		return s.names.term(o.Disjunct, o.To)
	case ir.Meeting:
		return s.names.term(o.Disjunct, o.To) + codegen.Exported(s.names.filter(o.Disjunct, o.Filter))
	case ir.Slot:
		return s.names.term(o.Disjunct, o.From)
	case ir.AnswerOf:
		return "answer"
	case ir.AllowedOf:
		return "allowed"
	case ir.UnionOf:
		return "union"
	case ir.MixtureOf:
		return "mixture"
	case ir.RootOf:
		return "root"
	}
	return ""
}

// stem returns the stem of a value's name, "" for a value without a role.
func (s *stemmer) stem(v *ir.Value) string {
	o := v.Origin
	base := s.base(o)
	stem := base
	if len(o.Edges) == 1 && len(s.edges[base]) > 1 && o.From != o.To {
		stem += s.names.by(o.Disjunct, o.Edges[0])
	}
	if o.Layer > 0 && len(s.layers[base]) > 1 {
		stem += fmt.Sprint("At", o.Layer)
	}
	return stem
}

// makesRows reports whether a value is a row of truth degrees, or several.
func makesRows(v *ir.Value) bool { return v.Op.Info().Rows }
