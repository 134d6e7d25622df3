package fit

// Semantics says what the degree of an answer means.
type Semantics string

// The semantics.
const (
	// NSMP is message passing: probabilities. It is the default.
	NSMP Semantics = "nsmp"
	// FIT is truth degrees.
	FIT Semantics = "fit"
	// Mixed is the log-linear mixture of both, p ∝ (p_NSMP + a)^(1−g)·(p_FIT + b)^g
	// with a = 1e-12 and b = 1e-6, normalised over the entities: what either of them
	// is sure to refuse stays comparable by the other.
	Mixed Semantics = "mixed"
)

// All lists the semantics by name.
var All = []Semantics{NSMP, FIT, Mixed}

// The floors of the mixture.
const (
	floorNSMP = 1e-12
	floorFIT  = 1e-6
)
