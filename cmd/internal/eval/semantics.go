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

// Setting is a setting with its name, as a sweep has it, and its symbol.
type Setting struct{ Name, Symbol, Value string }

// String returns such as "λ = 0.3".
func (s Setting) String() string { return s.Symbol + " = " + s.Value }

// Settings lists the settings that a semantics reads.
func Settings(semantics model.Semantics, s model.Settings) []Setting {
	var list []Setting
	if semantics != model.FIT {
		layers := "D+1"
		if s.Layers > 0 {
			layers = strconv.Itoa(s.Layers)
		}
		list = []Setting{
			{"lambda", "λ", number(s.Lambda)}, {"alpha", "α", number(s.Alpha)}, {"weight", "w", number(s.Weight)},
			{"epsilon", "ε", number(s.Epsilon)}, {"layers", "L", layers},
		}
	}
	if semantics == model.NSMP {
		return list
	}
	d := s.Degrees.OrDefault()
	list = append(list, Setting{"candidates", "K", strconv.Itoa(d.Candidates)}, Setting{"negation", "ν", number(d.Negation)},
		Setting{"threshold", "θ", number(d.Threshold)}, Setting{"temperature", "τ", number(d.Temperature)}, Setting{"leaf", "φ", number(d.Leaf)})
	if d.Mass {
		list = append(list, Setting{"mass", "rows scaled by", "mass"})
	}
	if semantics == model.Mixed {
		list = append(list, Setting{"mixture", "g", number(d.Mixture)})
	}
	return list
}

func number(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
