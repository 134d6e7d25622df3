package eval

import (
	"cmp"

	"github.com/efoc/efoc/runtime/model"
)

// UnionDegrees names the rule by which truth degrees of disjuncts are united.
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

// Settings lists the settings that a semantics reads, without a switch that is off.
func Settings(semantics model.Semantics, s model.Settings) []Setting {
	var list []Setting
	for _, x := range model.SettingsOf(semantics) {
		if !x.IsSwitch() || x.Get(s) != 0 {
			list = append(list, Setting{x.Name, cmp.Or(x.Symbol, x.Name), x.Text(s)})
		}
	}
	return list
}
