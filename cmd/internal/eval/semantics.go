package eval

import "github.com/efoc/efoc/runtime/model"

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
