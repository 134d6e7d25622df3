package model

import "fmt"

// Range is the closed interval of valid values of a setting. Settings are stored as float64 and used as float32: both
// ends of a range, and numbers computed from them, are normal float32 numbers.
type Range struct {
	// Name is the name of the setting in a manifest, in a request and on the command line.
	Name      string
	Low, High float64
}

// The ranges of settings that are also checked individually.
var (
	LayersRange = Range{"layers", 0, MaxLayers}
	// A score of at most MaxLength³ is divided by this temperature and by the relation's.
	TemperatureRange = Range{"temperature", 1e-4, 1e4}
)

// Check reports a value outside of r; NaN is outside of every range.
func (r Range) Check(value float64) error {
	if value >= r.Low && value <= r.High {
		return nil
	}
	return fmt.Errorf("%s is %v, want %v to %v", r.Name, value, r.Low, r.High)
}

// CheckWhole is Check for an integer, which a float64 may not hold exactly.
func (r Range) CheckWhole(value int) error {
	if r.Check(float64(value)) == nil {
		return nil
	}
	return fmt.Errorf("%s is %d, want %.0f to %.0f", r.Name, value, r.Low, r.High)
}
