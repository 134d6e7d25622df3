package model

// Degrees are the settings of truth degrees, which package fit defines, and of their mixture
// with message passing. The zero value means DefaultDegrees.
type Degrees struct {
	// Candidates (K) is the number of best entities of a variable whose links are predicted;
	// the exact method uses all entities.
	Candidates int `json:"candidates"`
	// Negation (ν) scales the degree of an atom before it is negated.
	Negation float64 `json:"negation"`
	// Threshold (θ) is the degree below which a predicted link counts as 0.
	Threshold float64 `json:"threshold"`
	// Temperature (τ) divides the scores of the link predictor before their softmax.
	Temperature float64 `json:"temperature"`
	// Leaf (φ) is the degree of a link from an unknown head if none is observed.
	Leaf float64 `json:"leaf"`
	// Mass scales a row by the observed tails' share of it, as FIT does, instead of by their number.
	Mass bool `json:"mass,omitempty"`
	// Regularities weighs predicted links by the graph's statistics on their relation: see ScoreTerms.
	Regularities bool `json:"regularities"`
	// Mixture (g) is the weight of truth degrees in the mixture; message passing has the weight
	// 1−g.
	Mixture float64 `json:"mixture"`
}

// DefaultDegrees were chosen on validation queries of FB15k-237 and NELL995: g by
// efoc eval --semantics mixed --sweep mixture=0.4,…,0.9 on 60 queries of each shape that
// efoc sample --split valid had drawn.
func DefaultDegrees() Degrees {
	return Degrees{Candidates: 8, Negation: 1, Threshold: 0.0002, Temperature: 1.5, Leaf: 0.1, Regularities: true, Mixture: 0.8}
}

// OrDefault returns d, or DefaultDegrees if d is the zero value.
func (d Degrees) OrDefault() Degrees {
	if d == (Degrees{}) {
		return DefaultDegrees()
	}
	return d
}
