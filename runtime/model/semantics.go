package model

import (
	"fmt"
	"slices"
)

// Semantics is the meaning of an answer's degree. Its text is nsmp, fit or mixed.
type Semantics uint8

// The semantics. The zero value is the default.
const (
	// Mixed is the log-linear mixture of the two others: see package fit. It ranks stored facts above predictions.
	Mixed Semantics = iota
	// NSMP is message passing: probabilities.
	NSMP
	// FIT is truth degrees, as package fit defines them.
	FIT
)

// AllSemantics lists the semantics.
var AllSemantics = []Semantics{NSMP, FIT, Mixed}

var semanticsNames = [...]string{Mixed: "mixed", NSMP: "nsmp", FIT: "fit"}

// ParseSemantics returns the semantics of that name; the empty name means the default.
func ParseSemantics(name string) (s Semantics, err error) {
	if name == "" {
		return s, nil
	}
	i := slices.Index(semanticsNames[:], name)
	if i < 0 {
		return s, fmt.Errorf("semantics is %q, want nsmp, fit or mixed", name)
	}
	return Semantics(i), nil
}

// String returns the name.
func (s Semantics) String() string {
	if int(s) < len(semanticsNames) {
		return semanticsNames[s]
	}
	return fmt.Sprintf("Semantics(%d)", uint8(s))
}

// MarshalText returns the name.
func (s Semantics) MarshalText() ([]byte, error) {
	if s > FIT {
		return nil, fmt.Errorf("unknown semantics %d", uint8(s))
	}
	return []byte(s.String()), nil
}

// UnmarshalText reads a name.
func (s *Semantics) UnmarshalText(text []byte) (err error) {
	*s, err = ParseSemantics(string(text))
	return err
}
