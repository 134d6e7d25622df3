package eval

import (
	"strconv"

	"github.com/efoc/efoc/runtime/model"
)

// UnionDegrees says how truth degrees of disjuncts are united.
const UnionDegrees = "1 − Π_i (1 − p_i)"

// union says how disjuncts are united.
func union(s model.Semantics) string {
	switch s {
	case model.FIT:
		return UnionDegrees
	case model.Mixed:
		return Union + "; of truth degrees " + UnionDegrees
	}
	return Union
}

// setting is a setting with its name, as a sweep has it, and its symbol.
type setting struct{ name, symbol, value string }

// degrees lists the settings of truth degrees that a semantics reads.
func degrees(s model.Semantics, of model.Degrees) []setting {
	if s != model.FIT && s != model.Mixed {
		return nil
	}
	d := of.OrDefault()
	list := []setting{
		{"candidates", "K", strconv.Itoa(d.Candidates)}, {"negation", "ν", number(d.Negation)},
		{"threshold", "θ", number(d.Threshold)}, {"temperature", "τ", number(d.Temperature)}, {"leaf", "φ", number(d.Leaf)},
	}
	if d.Mass {
		list = append(list, setting{"mass", "rows scaled by", "mass"})
	}
	if s == model.Mixed {
		list = append(list, setting{"mixture", "g", number(d.Mixture)})
	}
	return list
}

// degreesHeader heads the columns of degreesRecord.
var degreesHeader = []string{"semantics", "candidates", "negation", "threshold", "temperature", "leaf", "scaled_by_mass", "mixture"}

// degreesRecord is the end of a record of WriteCSV.
func degreesRecord(s model.Semantics, of model.Degrees) []string {
	d := of.OrDefault()
	return []string{
		s.String(), strconv.Itoa(d.Candidates), number(d.Negation), number(d.Threshold), number(d.Temperature), number(d.Leaf),
		strconv.FormatBool(d.Mass), number(d.Mixture),
	}
}
