package main

import (
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/efoc/efoc/runtime/model"
)

// checkBounds reports the first number on the command line that is out of the bounds in
// the tags of its flag: least, and most if it has one. Where a flag has no default, 0
// stands for one that is not given.
func checkBounds(flags []*kong.Flag) error {
	for _, f := range flags {
		least, err := f.Tag.GetInt("least")
		if err != nil {
			continue // there is none
		}
		most, err := f.Tag.GetInt("most")
		if err != nil {
			most = math.MaxInt64
		}
		name := "--" + f.Name
		if len(f.Name) == 1 {
			name = "-" + f.Name
		}
		numbers := []reflect.Value{f.Target}
		if f.Target.Kind() == reflect.Slice {
			numbers = nil
			for _, v := range f.Target.Seq2() {
				numbers = append(numbers, v)
			}
		}
		for _, v := range numbers {
			switch x := v.Int(); {
			case x == 0 && !f.HasDefault, least <= x && x <= most:
			case most < math.MaxInt64:
				return usagef("%s is %d, want a number from %d to %d", name, x, least, most)
			default:
				return usagef("%s is %d, want %d or more", name, x, least)
			}
		}
	}
	return nil
}

// repeated returns a value that a list has twice, if there is one.
func repeated[T comparable](list []T) (twice T, ok bool) {
	for i, x := range list {
		if slices.Contains(list[:i], x) {
			return x, true
		}
	}
	return twice, false
}

// set puts the value of a flag, if it was given, in the place of a default.
func set[T any](to *T, flag *T) {
	if flag != nil {
		*to = *flag
	}
}

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
	set(&s.Lambda, c.Lambda)
	set(&s.Alpha, c.Alpha)
	set(&s.Weight, c.Weight)
	set(&s.Epsilon, c.Epsilon)
	set(&s.Layers, c.Layers)
	return s
}

// check reports a flag that is out of range.
func (c *settingsFlags) check() error {
	return outOfRange(c.apply(model.DefaultSettings()).Validate())
}

// outOfRange returns an error that begins with the name of a setting as one of its flag.
func outOfRange(err error) error {
	if err == nil {
		return nil
	}
	return usagef("--%w", err)
}

// newSettingsFlags are the settings that a new model gets.
type newSettingsFlags struct {
	Lambda  *float64 `group:"settings" placeholder:"λ" help:"Weight of the fuzzy state in the answer; chosen by the validation split if not given, 0.3 without one."`
	Alpha   *float64 `group:"settings" placeholder:"α" help:"Mass of a negated message; chosen by the validation split if not given, 100 without one."`
	Weight  float64  `group:"settings" default:"0.5" placeholder:"w" help:"Weight of the observed graph in a message; the link predictor has the rest (default: ${default})."`
	Epsilon float64  `group:"settings" default:"1e-14" placeholder:"ε" help:"Threshold below which degrees count as 0 (default: ${default})."`
	Layers  int      `group:"settings" default:"0" placeholder:"L" help:"Number of layers; 0 for one more than there are variables."`

	NoCalibration bool `name:"no-calibration" help:"Leave out what efoc calibrate does, which takes a minute or so: without it a validation split beside the graph sets temperatures, settings and semantics."`
}

func (f *newSettingsFlags) settings() (model.Settings, error) {
	s := model.DefaultSettings()
	s.Weight, s.Epsilon, s.Layers = f.Weight, f.Epsilon, f.Layers
	set(&s.Lambda, f.Lambda)
	set(&s.Alpha, f.Alpha)
	return s, outOfRange(s.Validate())
}

// semanticsFlag chooses what answers mean.
type semanticsFlag struct {
	Semantics *model.Semantics `enum:"mixed,nsmp,fit" placeholder:"SEMANTICS" help:"What answers mean: nsmp, probabilities by message passing; fit, truth degrees, where the best witness counts; mixed, both. The default is what a file of templates says, then what was best on the model's validation queries (efoc info), then mixed."`
}

// choose returns the semantics of the flag, or else those that a file of templates names, or
// else the model's own.
func (f semanticsFlag) choose(file string, own model.Semantics) model.Semantics {
	if f.Semantics != nil {
		return *f.Semantics
	}
	if file == "" {
		return own
	}
	s, _ := model.ParseSemantics(file) // which the parser of the file has checked
	return s
}

// degreeFlags override the settings of truth degrees.
type degreeFlags struct {
	Candidates  *int     `group:"degrees" placeholder:"K" help:"Number of best entities of a variable whose links are predicted; as many as there are entities is exact. The model's if not given, as with the following."`
	Negation    *float64 `group:"degrees" placeholder:"ν" help:"Factor of a degree that is negated, above 0."`
	Threshold   *float64 `group:"degrees" placeholder:"θ" help:"Degree below which a predicted link counts as none."`
	Temperature *float64 `group:"degrees" placeholder:"τ" help:"Divisor of the link predictor's scores before their softmax, above 0."`
	Leaf        *float64 `group:"degrees" placeholder:"φ" help:"Degree of a link of unknown head where none is observed."`
	Mass        *bool    `group:"degrees" help:"Scale rows by the share of observed tails, as FIT does, not by their number."`
	Mixture     *float64 `group:"degrees" placeholder:"g" help:"Weight of truth degrees in the mixture, from 0 to 1."`
	RowsMB      int      `least:"1" most:"1048576" name:"rows-mb" group:"degrees" default:"256" placeholder:"MB" help:"Memory for rows that are kept, in megabytes (default: ${default})."`
}

func (c *degreeFlags) applyDegrees(s model.Settings) model.Settings {
	d := s.Degrees.OrDefault()
	set(&d.Candidates, c.Candidates)
	set(&d.Negation, c.Negation)
	set(&d.Threshold, c.Threshold)
	set(&d.Temperature, c.Temperature)
	set(&d.Leaf, c.Leaf)
	set(&d.Mass, c.Mass)
	set(&d.Mixture, c.Mixture)
	if d != s.Degrees.OrDefault() {
		s.Degrees = d
	}
	return s
}

// checkDegrees reports a flag that is out of range, or one that nothing reads.
func (c *degreeFlags) checkDegrees(s model.Semantics) error {
	if err := c.applyDegrees(model.DefaultSettings()).Degrees.Validate(); err != nil {
		return outOfRange(err)
	}
	given := c.Candidates != nil || c.Negation != nil || c.Threshold != nil || c.Temperature != nil || c.Leaf != nil || c.Mass != nil
	switch {
	case given && s == model.NSMP:
		return usagef("--candidates, --negation, --threshold, --temperature, --leaf and --mass are settings of truth degrees: add --semantics fit or mixed")
	case c.Mixture != nil && s != model.Mixed:
		return usagef("--mixture is a setting of the mixture: add --semantics mixed")
	}
	return nil
}

// checkSweep reports a setting to sweep that nothing reads.
func checkSweep(sweep string, s model.Semantics) error {
	name, _, _ := strings.Cut(sweep, "=")
	switch {
	case name == "pruning" && s == model.Mixed:
		return usagef("--sweep pruning applies to message passing alone: add --semantics nsmp")
	case name == "mixture" && s != model.Mixed:
		return usagef("--sweep mixture: add --semantics mixed")
	case slices.Contains(degreeNames, name) && s == model.NSMP:
		return usagef("--sweep %s: add --semantics fit or mixed", name)
	case slices.Contains(messageNames, name) && s == model.FIT:
		return usagef("--sweep %s is a setting of message passing, which --semantics fit does not read", name)
	}
	return nil
}
