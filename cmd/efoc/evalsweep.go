package main

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/efoc/efoc/cmd/internal/eval"
	"github.com/efoc/efoc/runtime/model"
)

// sweep is the choices of settings that --sweep asks for, one without it.
type sweep struct {
	// name is the setting that differs, values its values as they were written.
	name     string
	values   []string
	variants []eval.Variant
}

// The settings that can be swept: of message passing, of truth degrees, and all.
var (
	messageNames = []string{"lambda", "alpha", "weight", "epsilon", "layers"}
	degreeNames  = []string{"candidates", "negation", "threshold", "temperature", "leaf", "mixture"}
	sweepNames   = slices.Concat(messageNames, degreeNames)
)

// parseSweep reads the values of --sweep; what is not swept is as in base.
func parseSweep(text string, base eval.Variant) (*sweep, error) {
	if text == "" {
		return &sweep{values: []string{""}, variants: []eval.Variant{base}}, nil
	}
	name, list, ok := strings.Cut(text, "=")
	if !ok || list == "" || !slices.Contains(sweepNames, name) {
		return nil, usagef("--sweep %s: want NAME=VALUE,VALUE,... with one of %s", text, strings.Join(sweepNames, ", "))
	}
	s := &sweep{name: name}
	for value := range strings.SplitSeq(list, ",") {
		value = strings.TrimSpace(value)
		if slices.Contains(s.values, value) {
			return nil, usagef("--sweep gives %s twice", value)
		}
		v := eval.Variant{Settings: base.Settings, Shapes: maps.Clone(base.Shapes)}
		if !setVariant(&v, name, value) {
			return nil, usagef("--sweep: %s is %q, want a number", name, value)
		}
		if err := v.Settings.Validate(); err != nil {
			return nil, usagef("--sweep: %w", err)
		}
		s.values, s.variants = append(s.values, value), append(s.variants, v)
	}
	return s, nil
}

// setVariant sets one setting; false if the value is not a number.
func setVariant(v *eval.Variant, name, value string) bool {
	switch name {
	case "candidates":
		k, err := strconv.Atoi(value)
		v.Set(func(s *model.Settings) {
			s.Degrees = s.Degrees.OrDefault()
			s.Degrees.Candidates = k
		})
		return err == nil
	case "layers":
		n, relative := overVariables(value)
		if relative && n <= model.MaxLayers {
			v.Over = &n
			return true
		}
		if !relative {
			var err error
			if n, err = strconv.Atoi(value); err != nil {
				return false
			}
		}
		v.Set(func(s *model.Settings) { s.Layers = n })
		return true
	}
	x, err := strconv.ParseFloat(value, 64)
	v.Set(func(s *model.Settings) {
		s.Degrees = s.Degrees.OrDefault()
		d := &s.Degrees
		*map[string]*float64{
			"lambda": &s.Lambda, "alpha": &s.Alpha, "weight": &s.Weight, "epsilon": &s.Epsilon, "negation": &d.Negation,
			"threshold": &d.Threshold, "temperature": &d.Temperature, "leaf": &d.Leaf, "mixture": &d.Mixture,
		}[name] = x
	})
	return err == nil
}

// overVariables reads a number of layers that is relative to the number of
// variables: D, D+1 and so on.
func overVariables(text string) (over int, ok bool) {
	rest, ok := strings.CutPrefix(text, "D")
	if rest == "" {
		return 0, ok
	}
	over, err := strconv.Atoi(rest)
	return over, ok && err == nil && rest[0] == '+'
}
