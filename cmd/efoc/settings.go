package main

import (
	"github.com/efoc/efoc/runtime/model"
)

// settingsFlags override the settings of the model.
type settingsFlags struct {
	Lambda  *float64 `group:"settings" placeholder:"λ" help:"Weight of the fuzzy state in the answer, from 0 to 1; the model's if not given, as with the following."`
	Alpha   *float64 `group:"settings" placeholder:"α" help:"Mass of a negated message, above 0."`
	Weight  *float64 `group:"settings" placeholder:"w" help:"Weight of the observed graph in a message, from 0 to 1; the link predictor has the rest."`
	Epsilon *float64 `group:"settings" placeholder:"ε" help:"Threshold below which degrees count as 0."`
	Layers  *int     `group:"settings" placeholder:"L" help:"Number of layers; 0 for one more than there are variables."`
}

// apply returns settings with those of the flags in their place.
func (c *settingsFlags) apply(s model.Settings) model.Settings {
	for _, f := range []struct{ to, from *float64 }{
		{&s.Lambda, c.Lambda}, {&s.Alpha, c.Alpha}, {&s.Weight, c.Weight}, {&s.Epsilon, c.Epsilon},
	} {
		if f.from != nil {
			*f.to = *f.from
		}
	}
	if c.Layers != nil {
		s.Layers = *c.Layers
	}
	return s
}

// check reports a flag that is out of range.
func (c *settingsFlags) check() error {
	if err := c.apply(model.DefaultSettings()).Validate(); err != nil {
		return usagef("--%w", err)
	}
	return nil
}

// newSettingsFlags are the settings that a new model gets.
type newSettingsFlags struct {
	Lambda  float64 `group:"settings" default:"0.3" placeholder:"λ" help:"Weight of the fuzzy state in the answer (default: ${default})."`
	Alpha   float64 `group:"settings" default:"100" placeholder:"α" help:"Mass of a negated message (default: ${default})."`
	Weight  float64 `group:"settings" default:"0.5" placeholder:"w" help:"Weight of the observed graph in a message; the link predictor has the rest (default: ${default})."`
	Epsilon float64 `group:"settings" default:"1e-14" placeholder:"ε" help:"Threshold below which degrees count as 0 (default: ${default})."`
	Layers  int     `group:"settings" default:"0" placeholder:"L" help:"Number of layers; 0 for one more than there are variables."`
}

// settings checks the flags.
func (f *newSettingsFlags) settings() (model.Settings, error) {
	s := model.Settings{Lambda: f.Lambda, Alpha: f.Alpha, Weight: f.Weight, Epsilon: f.Epsilon, Layers: f.Layers}
	if err := s.Validate(); err != nil {
		return s, usagef("--%w", err)
	}
	return s, nil
}
