package model

import (
	"math"
	"strings"
	"testing"
)

// knobs are all settings, each as a function that sets it. Degrees other than the
// default ones are unchanged.
var knobs = []struct {
	bounds Range
	set    func(s *Settings, x float64)
}{
	{LambdaRange, func(s *Settings, x float64) { s.Lambda = x }},
	{AlphaRange, func(s *Settings, x float64) { s.Alpha = x }},
	{WeightRange, func(s *Settings, x float64) { s.Weight = x }},
	{EpsilonRange, func(s *Settings, x float64) { s.Epsilon = x }},
	{LayersRange, func(s *Settings, x float64) { s.Layers = int(x) }},
	{CandidatesRange, func(s *Settings, x float64) { s.Degrees.Candidates = int(x) }},
	{NegationRange, func(s *Settings, x float64) { s.Degrees.Negation = x }},
	{ThresholdRange, func(s *Settings, x float64) { s.Degrees.Threshold = x }},
	{TemperatureRange, func(s *Settings, x float64) { s.Degrees.Temperature = x }},
	{LeafRange, func(s *Settings, x float64) { s.Degrees.Leaf = x }},
	{MixtureRange, func(s *Settings, x float64) { s.Degrees.Mixture = x }},
}

// TestSettingsValidate sets every setting to both ends of its range and beyond.
func TestSettingsValidate(t *testing.T) {
	for _, k := range knobs {
		with := func(x float64) Settings {
			s := DefaultSettings()
			s.Degrees = DefaultDegrees()
			k.set(&s, x)
			return s
		}
		for _, x := range []float64{k.bounds.Low, k.bounds.High} {
			if err := with(x).Validate(); err != nil {
				t.Errorf("refused %v: %v", x, err)
			}
			// Neither end may be lost in float32.
			if y := math.Abs(float64(float32(x))); x != 0 && (y < 0x1p-126 || y > math.MaxFloat32) {
				t.Errorf("%s: %v is %v in float32", k.bounds.Name, x, y)
			}
		}
		outside := []float64{k.bounds.Low - 1, 2*k.bounds.High + 1}
		if k.bounds.Name != "layers" && k.bounds.Name != "candidates" {
			outside = append(outside, k.bounds.Low-1e-46, 1e300, math.NaN(), math.Inf(1), math.Inf(-1))
		}
		for _, x := range outside {
			if x == k.bounds.Low { // what was taken away is lost in float64
				continue
			}
			err := with(x).Validate()
			if err == nil || !strings.HasPrefix(err.Error(), k.bounds.Name+" is ") {
				t.Errorf("%s: %v: error is %v", k.bounds.Name, x, err)
			}
		}
	}
}

// TestSettingsInFloat32 has numbers that float64 holds and that are nothing or infinite
// where they are used.
func TestSettingsInFloat32(t *testing.T) {
	for _, c := range []struct {
		want string
		set  func(s *Settings)
	}{
		{"epsilon is 1e-46, want 1e-37 to 0.999", func(s *Settings) { s.Epsilon = 1e-46 }},
		{"epsilon is 0.9999999999, want", func(s *Settings) { s.Epsilon = 0.9999999999 }},
		{"alpha is 1e+300, want 1e-06 to 1e+09", func(s *Settings) { s.Alpha = 1e300 }},
		{"alpha is 1e-50, want", func(s *Settings) { s.Alpha = 1e-50 }},
		{"negation is 1e+300, want", func(s *Settings) { s.Degrees.Negation = 1e300 }},
		{"temperature is 1e-60, want", func(s *Settings) { s.Degrees.Temperature = 1e-60 }},
		{"temperature is 1e+60, want", func(s *Settings) { s.Degrees.Temperature = 1e60 }},
		{"threshold is 0.99999999999, want 0 to 0.999", func(s *Settings) { s.Degrees.Threshold = 0.99999999999 }},
		{"candidates is 4611686018427387904, want 1 to 2147483647", func(s *Settings) { s.Degrees.Candidates = 1 << 62 }},
	} {
		s := DefaultSettings()
		s.Degrees = DefaultDegrees()
		c.set(&s)
		check := func(where string, err error) {
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: error is %v, want %q", where, err, c.want)
			}
		}
		check("Validate", s.Validate())
		m := smallModel(t)
		m.Manifest.Settings = s
		check("settings", m.validate(nil, nil))
		m = smallModel(t)
		m.Manifest.Tuned = map[string][]Settings{"1p": {DefaultSettings(), s}}
		err := m.validate(nil, nil)
		check("tuned", err)
		if !strings.Contains(err.Error(), "tuned: settings 1 of shape 1p") {
			t.Errorf("error is %v", err)
		}
	}
}
