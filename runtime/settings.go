package runtime

import (
	"fmt"
	"math"
)

// Settings are the hyper-parameters of message passing. A bundle's manifest
// holds the ones that its model is to be used with.
type Settings struct {
	// Lambda (λ) weighs the fuzzy state of the free variable against the cosine
	// readout: p = λ·s_y + (1−λ)·softmax(cos(n_y, E)).
	Lambda float64 `json:"lambda"`
	// Alpha (α) spreads a negated message: μ = N(α/n − s·M).
	Alpha float64 `json:"alpha"`
	// Weight (w) is that of the observed graph in each message, the link predictor
	// having the rest: m = N(2(1−w)·f + 2w·μ). The paper's is ½.
	Weight float64 `json:"weight"`
	// Epsilon (ε) is the threshold of the normalisation N.
	Epsilon float64 `json:"epsilon"`
	// Layers (L) is the number of layers; 0 means D+1 for each SCQ, D being its
	// number of variables.
	Layers int `json:"layers"`
	// Degrees are the settings of truth degrees and of the mixture.
	Degrees Degrees `json:"degrees,omitzero"`
}

// DefaultSettings are the paper's for FB15k-237.
func DefaultSettings() Settings {
	return Settings{Lambda: 0.3, Alpha: 100, Weight: 0.5, Epsilon: 1e-14}
}

// MaxLayers bounds Settings.Layers: an unrolled plan grows with it.
const MaxLayers = 64

// Validate reports the first setting that is out of range.
func (s Settings) Validate() error {
	switch {
	case !(s.Lambda >= 0 && s.Lambda <= 1):
		return fmt.Errorf("lambda is %v, want a number from 0 to 1", s.Lambda)
	case !(s.Alpha > 0) || math.IsInf(s.Alpha, 0):
		return fmt.Errorf("alpha is %v, want a number above 0", s.Alpha)
	case !(s.Weight >= 0 && s.Weight <= 1):
		return fmt.Errorf("weight is %v, want a number from 0 to 1", s.Weight)
	case !(s.Epsilon > 0 && s.Epsilon < 1):
		return fmt.Errorf("epsilon is %v, want a number between 0 and 1", s.Epsilon)
	case s.Layers < 0 || s.Layers > MaxLayers:
		return fmt.Errorf("layers is %d, want 0 (for D+1) to %d", s.Layers, MaxLayers)
	}
	return s.Degrees.Validate()
}
