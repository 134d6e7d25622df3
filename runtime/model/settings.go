package model

// Settings are the hyper-parameters of message passing. A bundle's manifest holds the ones for its model.
type Settings struct {
	// Lambda (λ) weighs the fuzzy state of the free variable against the cosine
	// readout: p = λ·s_y + (1−λ)·softmax(cos(n_y, E)).
	Lambda float64 `json:"lambda"`
	// Alpha (α) spreads a negated message: μ = N(α/n − s·M).
	Alpha float64 `json:"alpha"`
	// Weight (w) is the weight of the observed graph in each message, the rest being the link predictor's: m =
	// N(2(1−w)·f + 2w·μ). The paper uses ½.
	Weight float64 `json:"weight"`
	// Epsilon (ε) is the threshold of the normalisation N.
	Epsilon float64 `json:"epsilon"`
	// Layers (L) is the number of layers; 0 means D+1 for each disjunct, D being its
	// number of variables.
	Layers int `json:"layers"`
	// Degrees are the settings of truth degrees and of the mixture.
	Degrees Degrees `json:"degrees,omitzero"`
}

// DefaultSettings are the paper's for FB15k-237.
func DefaultSettings() Settings {
	return Settings{Lambda: 0.3, Alpha: 100, Weight: 0.5, Epsilon: 1e-14}
}

// MaxLayers bounds Settings.Layers, with which an unrolled plan grows.
const MaxLayers = 64

// Validate reports the first setting that is out of its range.
func (s Settings) Validate() error {
	s.Degrees = s.Degrees.OrDefault()
	for i := range settingTable {
		if err := settingTable[i].validate(&s); err != nil {
			return err
		}
	}
	return nil
}
