package main

import "github.com/efoc/efoc/runtime"

// settingFlags are the settings that a new model gets.
type settingFlags struct {
	Lambda  float64 `group:"settings" default:"0.3" placeholder:"λ" help:"Weight of the fuzzy state in the answer (default: ${default})."`
	Alpha   float64 `group:"settings" default:"100" placeholder:"α" help:"Mass of a negated message (default: ${default})."`
	Epsilon float64 `group:"settings" default:"1e-14" placeholder:"ε" help:"Threshold below which degrees count as 0 (default: ${default})."`
	Layers  int     `group:"settings" default:"0" placeholder:"L" help:"Number of layers; 0 for one more than there are variables."`
}

// settings checks the flags.
func (f *settingFlags) settings() (runtime.Settings, error) {
	s := runtime.Settings{Lambda: f.Lambda, Alpha: f.Alpha, Epsilon: f.Epsilon, Layers: f.Layers}
	if err := s.Validate(); err != nil {
		return s, usagef("--%w", err)
	}
	return s, nil
}
