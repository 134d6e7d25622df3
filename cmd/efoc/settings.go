package main

import "github.com/efoc/efoc/runtime"

// settingsFlags override the settings of the model.
type settingsFlags struct {
	Lambda  *float64 `group:"settings" placeholder:"λ" help:"Weight of the fuzzy state in the answer, from 0 to 1; the model's if not given, as with the following."`
	Alpha   *float64 `group:"settings" placeholder:"α" help:"Mass of a negated message, above 0."`
	Epsilon *float64 `group:"settings" placeholder:"ε" help:"Threshold below which degrees count as 0."`
	Layers  *int     `group:"settings" placeholder:"L" help:"Number of layers; 0 for one more than there are variables."`
}

// settings returns the model's settings with those of the flags in their place.
func (c *settingsFlags) settings(s runtime.Settings) (runtime.Settings, error) {
	if c.Lambda != nil {
		s.Lambda = *c.Lambda
	}
	if c.Alpha != nil {
		s.Alpha = *c.Alpha
	}
	if c.Epsilon != nil {
		s.Epsilon = *c.Epsilon
	}
	if c.Layers != nil {
		s.Layers = *c.Layers
	}
	if err := s.Validate(); err != nil {
		return s, usagef("--%w", err)
	}
	return s, nil
}
