package lower

import (
	"fmt"
	"strings"

	"github.com/efoc/efoc/lang"
)

// Merge drops disjuncts that are equal to an earlier one up to the order of their
// literals, their directions and the names of their existential variables: those with
// the same canonical text, names included, when no atom is written with ^-1. If the search
// for the canonical order exceeds its bound, equal disjuncts may both be kept, which costs
// time and changes no answer.
func Merge(d *lang.DNF) *lang.DNF {
	if len(d.SCQs) == 1 {
		return d
	}
	merged := &lang.DNF{Free: d.Free}
	seen := map[string]bool{}
	for _, scq := range d.SCQs {
		forward := lang.SCQ{Literals: make([]lang.Literal, len(scq.Literals))}
		for i, l := range scq.Literals {
			forward.Literals[i] = l.Forward()
		}
		text := canonicalText(&lang.DNF{Free: d.Free, SCQs: []lang.SCQ{forward}})
		if !seen[text] {
			seen[text] = true
			merged.SCQs = append(merged.SCQs, scq)
		}
	}
	return merged
}

// canonicalText returns a text that two disjuncts share where they are equal: the shape
// that they have with one slot for each name, and the names in its slots.
func canonicalText(d *lang.DNF) string {
	s := newShape(newCanon(d, byName))
	var b strings.Builder
	b.WriteString(s.Key)
	for _, t := range s.Constants {
		fmt.Fprintf(&b, ";%d%q", t.Kind, t.Name)
	}
	for _, r := range s.Relations {
		fmt.Fprintf(&b, ";%t%t%q", r.Param, r.Inverse, r.Name)
	}
	return b.String()
}
