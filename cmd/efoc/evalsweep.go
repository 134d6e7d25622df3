package main

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/efoc/efoc/cmd/internal/eval"
	"github.com/efoc/efoc/runtime/model"
)

// sweeps are the choices of settings to evaluate: one without --sweep, otherwise one for
// each value of each.
type sweeps struct {
	// names and values are the setting of each choice that differs, and its value as it
	// was written; both are empty without --sweep.
	names, values []string
	// at is the index of each choice among variants, which are all different.
	at       []int
	variants []eval.Variant
}

// pruning is swept as settings are: off sends messages of variables that have heard nothing,
// too, the paper's ablation of dynamic pruning.
const pruning = "pruning"

// cutSweep cuts NAME=VALUES, where NAME is a setting that is wanted or one of further names.
func cutSweep(text string, wanted func(*model.Setting) bool, further ...string) (name, values string, err error) {
	name, values, ok := strings.Cut(text, "=")
	if !ok || values == "" {
		return "", "", usagef("--sweep %s: want NAME=VALUE,VALUE,...", text)
	}
	settings := slices.DeleteFunc(model.AllSettings(), func(x *model.Setting) bool { return !wanted(x) })
	names := append(namesOf(settings, func(x *model.Setting) string { return x.Name }), further...)
	if !slices.Contains(names, name) {
		return "", "", usagef("--sweep %s: %s", text, unknownName(name, names))
	}
	return name, values, nil
}

// checkSweep reports a setting to sweep that nothing reads.
func checkSweep(sweep string, s model.Semantics) error {
	name, _, _ := strings.Cut(sweep, "=")
	readBy := func(s model.Semantics) bool { return s == model.NSMP } // of pruning
	switch x := model.SettingNamed(name); {
	case x != nil:
		readBy = x.ReadBy
	case name != pruning: // which parseSweeps reports
		return nil
	}
	if !readBy(s) {
		return notRead("--sweep", name, readBy)
	}
	return nil
}

// parseSweeps reads the values of each --sweep; what is not swept is as in base. n is
// the number of entities.
func parseSweeps(texts []string, base eval.Variant, n int) (*sweeps, error) {
	s := &sweeps{}
	if len(texts) == 0 {
		s.add("", "", base)
	}
	for i, text := range texts {
		name, list, err := cutSweep(text, func(*model.Setting) bool { return true }, pruning)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(texts[:i], func(t string) bool { return strings.HasPrefix(t, name+"=") }) {
			return nil, usagef("--sweep %s is given twice", name)
		}
		if err := s.parse(name, list, base, n); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// add adds a choice.
func (s *sweeps) add(name, value string, v eval.Variant) {
	at := slices.IndexFunc(s.variants, func(other eval.Variant) bool { return reflect.DeepEqual(v, other) })
	if at < 0 {
		at = len(s.variants)
		s.variants = append(s.variants, v)
	}
	s.names, s.values, s.at = append(s.names, name), append(s.values, value), append(s.at, at)
}

// runs are the reports of the choices, given those of the variants.
func (s *sweeps) runs(variants []eval.RunReport) []eval.RunReport {
	list := make([]eval.RunReport, len(s.at))
	for i, at := range s.at {
		list[i] = variants[at]
		list[i].Sweep, list[i].Value = s.names[i], s.values[i]
	}
	return list
}

// parse adds the values of one setting.
func (s *sweeps) parse(name, list string, base eval.Variant, n int) error {
	var values []string
	for value := range strings.SplitSeq(list, ",") {
		values = append(values, strings.TrimSpace(value))
	}
	for i, value := range values {
		if slices.Contains(values[:i], value) {
			return usagef("--sweep gives %s twice", value)
		}
		v := base
		text := value
		if name == "alpha" && value == "n" {
			text = strconv.Itoa(n)
		}
		if err := setVariant(&v, name, text); err != nil {
			return usagef("--sweep: %w", err)
		}
		s.add(name, value, v)
	}
	return nil
}

// setVariant sets one setting.
func setVariant(v *eval.Variant, name, value string) error {
	if name == pruning {
		if v.Unpruned = value == "off"; value != "on" && value != "off" {
			return fmt.Errorf("pruning is %q, want on or off", value)
		}
		return nil
	}
	x := model.SettingNamed(name)
	if over, relative := overVariables(value); relative && name == model.LayersRange.Name {
		if v.Over = &over; over != 1 {
			return model.LayersRange.CheckWhole(max(0, over))
		}
		value = "0" // D+1
	}
	number, err := x.Parse(value)
	if name == model.LayersRange.Name {
		v.Over = nil
	}
	x.Set(&v.Settings, number)
	return err
}

// overVariables reads a number of layers that is relative to the number of
// variables: D-1, D, D+1 and so on.
func overVariables(text string) (over int, ok bool) {
	rest, ok := strings.CutPrefix(text, "D")
	if rest == "" {
		return 0, ok
	}
	over, err := strconv.Atoi(rest)
	return over, ok && err == nil && (rest[0] == '+' || rest[0] == '-')
}
