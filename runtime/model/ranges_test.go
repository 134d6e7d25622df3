package model

import (
	"math"
	"strconv"
	"strings"
	"testing"
)

// TestSettingsValidate sets every setting to both ends of its range and beyond.
func TestSettingsValidate(t *testing.T) {
	for _, x := range AllSettings() {
		with := func(value float64) Settings {
			s := DefaultSettings()
			x.Set(&s, value)
			return s
		}
		for _, value := range []float64{x.Low, x.High} {
			if err := with(value).Validate(); err != nil || x.Get(with(value)) != value {
				t.Errorf("refused %v, set to %v: %v", value, x.Get(with(value)), err)
			}
			// Neither end may be lost in float32.
			if y := math.Abs(float64(float32(value))); value != 0 && (y < 0x1p-126 || y > math.MaxFloat32) {
				t.Errorf("%s: %v is %v in float32", x.Name, value, y)
			}
		}
		outside := []float64{x.Low - 1, 2*x.High + 1}
		switch {
		case x.IsSwitch():
			outside = nil
		case !x.IsWhole():
			outside = append(outside, x.Low-1e-46, 1e300, math.NaN(), math.Inf(1), math.Inf(-1))
		}
		for _, value := range outside {
			if value == x.Low { // what was taken away is lost in float64
				continue
			}
			err := with(value).Validate()
			if err == nil || !strings.HasPrefix(err.Error(), x.Name+" is ") {
				t.Errorf("%s: %v: error is %v", x.Name, value, err)
			}
		}
	}
}

// TestSettingText reads and prints values of each setting, in which others stay as they are.
func TestSettingText(t *testing.T) {
	before := DefaultSettings()
	for _, x := range AllSettings() {
		text := map[bool]string{true: "1", false: "0.25"}[x.IsWhole()]
		if x.IsSwitch() {
			text = strconv.FormatBool(x.Get(before) == 0)
		}
		value, err := x.Parse(text)
		s := before
		x.Set(&s, value)
		if err != nil || x.Text(s) != text || SettingNamed(x.Name) != x {
			t.Errorf("%s: %q is %v, %q, %v", x.Name, text, value, x.Text(s), err)
		}
		for _, other := range AllSettings() {
			if other != x && other.Get(s) != other.Get(before) {
				t.Errorf("%s changes %s", x.Name, other.Name)
			}
		}
		if x.Set(&s, x.Get(before)); s.Degrees == (Degrees{}) != !x.OfDegrees() {
			t.Errorf("%s leaves degrees %+v", x.Name, s.Degrees)
		}
		if _, err := x.Parse("much"); err == nil || !strings.HasPrefix(err.Error(), x.Name+` is "much", want `) {
			t.Errorf("%s: error is %v", x.Name, err)
		}
	}
	s := before
	for _, x := range AllSettings() {
		x.Set(&s, x.Get(s))
	}
	if s != before {
		t.Errorf("values that stay as they are make settings %+v", s)
	}
	if SettingNamed("lamda") != nil {
		t.Error("there is a setting lamda")
	}
}

// TestSettingsPlace has errors of a model say that they are about its settings.
func TestSettingsPlace(t *testing.T) {
	m := smallModel(t)
	m.Manifest.Settings.Epsilon = 1e-46
	if err := m.validate(); err == nil || !strings.Contains(err.Error(), "settings: epsilon is 1e-46, want 1e-37 to 0.999") {
		t.Errorf("error is %v", err)
	}
}
