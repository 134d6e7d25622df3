package model

import (
	"fmt"
	"math"
	"slices"
	"strconv"
)

// Setting describes a setting, for commands, requests and reports.
type Setting struct {
	Range
	// Symbol is the symbol in the papers, Help a description.
	Symbol, Help string
	// readers are the semantics that read it.
	readers []Semantics
}

var (
	messagePassing = []Semantics{NSMP, Mixed}
	truthDegrees   = []Semantics{FIT, Mixed}
)

// settingTable lists all settings, in the order of reports.
var settingTable = []Setting{
	{Range{"lambda", 0, 1}, "λ", "weight of the fuzzy state in the answer",
		messagePassing},
	// α/n is added to degrees of at most 1, and Σ(α/n) is a divisor.
	{Range{"alpha", 1e-6, 1e9}, "α", "mass of a negated message",
		messagePassing},
	{Range{"weight", 0, 1}, "w", "weight of the observed graph in a message; the link predictor has the rest",
		messagePassing},
	// 1/ε is a factor, and the least normal number is 1.2e-38.
	{Range{"epsilon", 1e-37, 0.999}, "ε", "threshold below which degrees count as 0",
		messagePassing},
	{LayersRange, "L", "number of layers; 0 for D+1, D being the number of variables",
		messagePassing},
	{Range{"candidates", 1, math.MaxInt32}, "K", "number of best entities of a variable whose links are predicted; the number of entities is exact",
		truthDegrees},
	{Range{"negation", 1e-6, 1e6}, "ν", "factor of a degree before it is negated",
		truthDegrees},
	{Range{"threshold", 0, 0.999}, "θ", "degree below which a predicted link counts as none",
		truthDegrees},
	{TemperatureRange, "τ", "divisor of the link predictor's scores before their softmax",
		truthDegrees},
	{Range{"leaf", 0, 1}, "φ", "degree of a link of unknown head where none is observed",
		truthDegrees},
	{Range{"mass", 0, 1}, "", "true: scale rows by the share of observed tails, as FIT does, not by their number",
		truthDegrees},
	{Range{"regularities", 0, 1}, "", "true: weigh predicted links by what the graph says of their relation",
		truthDegrees},
	{Range{"mixture", 0, 1}, "g", "weight of truth degrees in the mixture",
		[]Semantics{Mixed}},
}

// at points to the setting: a *float64, *int or *bool. It is not a function in the table, whose argument would be
// allocated for each query.
func (x *Setting) at(s *Settings) any {
	d := &s.Degrees
	at := [...]any{
		&s.Lambda, &s.Alpha, &s.Weight, &s.Epsilon, &s.Layers,
		&d.Candidates, &d.Negation, &d.Threshold, &d.Temperature, &d.Leaf, &d.Mass, &d.Regularities, &d.Mixture,
	} // in the order of settingTable
	i := 0
	for settingTable[i].Name != x.Name {
		i++
	}
	return at[i]
}

// AllSettings lists all settings.
func AllSettings() []*Setting {
	list := make([]*Setting, len(settingTable))
	for i := range settingTable {
		list[i] = &settingTable[i]
	}
	return list
}

// SettingsOf lists the settings that a semantics reads.
func SettingsOf(s Semantics) []*Setting {
	return slices.DeleteFunc(AllSettings(), func(x *Setting) bool { return !x.ReadBy(s) })
}

// SettingNamed returns the setting with that name, nil if there is none.
func SettingNamed(name string) *Setting {
	i := slices.IndexFunc(settingTable, func(x Setting) bool { return x.Name == name })
	if i < 0 {
		return nil
	}
	return &settingTable[i]
}

// ReadBy reports whether a semantics reads the setting.
func (x *Setting) ReadBy(s Semantics) bool { return slices.Contains(x.readers, s) }

// OfDegrees reports whether the setting is one of Degrees.
func (x *Setting) OfDegrees() bool { return !x.ReadBy(NSMP) }

// IsWhole reports whether the values are whole numbers.
func (x *Setting) IsWhole() bool { return x.isA(func(at any) bool { _, ok := at.(*int); return ok }) }

// IsSwitch reports whether the values are true and false.
func (x *Setting) IsSwitch() bool { return x.isA(func(at any) bool { _, ok := at.(*bool); return ok }) }

func (x *Setting) isA(kind func(at any) bool) bool { return kind(x.at(&Settings{})) }

// Get returns the setting's value in s, 1 for true. Zero Degrees mean the defaults.
func (x *Setting) Get(s Settings) float64 {
	s.Degrees = s.Degrees.OrDefault()
	return x.value(&s)
}

func (x *Setting) value(s *Settings) float64 {
	switch at := x.at(s).(type) {
	case *int:
		return float64(*at)
	case *bool:
		if *at {
			return 1
		}
		return 0
	case *float64:
		return *at
	}
	panic("internal error: setting " + x.Name + " has no value")
}

// Set changes the setting's value in s. Zero Degrees stay zero if the value equals the default.
func (x *Setting) Set(s *Settings, value float64) {
	changed := *s
	changed.Degrees = s.Degrees.OrDefault()
	before := changed
	switch at := x.at(&changed).(type) {
	case *int:
		*at = int(value)
	case *bool:
		*at = value != 0
	case *float64:
		*at = value
	}
	if changed != before {
		if !x.OfDegrees() {
			changed.Degrees = s.Degrees
		}
		*s = changed
	}
}

// Parse parses a value and checks its range.
func (x *Setting) Parse(text string) (value float64, err error) {
	want := "a number"
	switch {
	case x.IsSwitch():
		var on bool
		switch text {
		case "on":
			on = true
		case "off":
		default:
			on, err = strconv.ParseBool(text)
		}
		if on {
			value = 1
		}
		want = "true or false"
	case x.IsWhole():
		var whole int
		whole, err = strconv.Atoi(text)
		value = float64(whole)
		if err == nil {
			return value, x.CheckWhole(whole)
		}
		want = "a whole number"
	default:
		value, err = strconv.ParseFloat(text, 64)
	}
	if err != nil {
		return 0, fmt.Errorf("%s is %q, want %s", x.Name, text, want)
	}
	return value, x.Check(value)
}

// Text returns the setting's value in s, in the form for Parse and reports.
func (x *Setting) Text(s Settings) string {
	switch value := x.Get(s); {
	case x.IsSwitch():
		return strconv.FormatBool(value != 0)
	case x.Name == LayersRange.Name && value == 0:
		return "D+1"
	default:
		return strconv.FormatFloat(value, 'g', -1, 64)
	}
}

// validate reports a value out of range, in settings with nonzero Degrees.
func (x *Setting) validate(s *Settings) error {
	if at, ok := x.at(s).(*int); ok {
		return x.CheckWhole(*at)
	}
	return x.Check(x.value(s))
}
