package main

import (
	"slices"
	"strings"

	"github.com/efoc/efoc/cmd/internal/cli"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
)

// settingsFlags override the settings of the model.
type settingsFlags struct {
	With cli.OptionList `sep:"none" options:"settings" placeholder:"NAME=VALUE" help:"Value of a setting, such as lambda=0.3; may be repeated. The default is the model's; for a new model, the validation split chooses it."`

	values map[*model.Setting]float64
}

// readSettings reads the values.
func (c *settingsFlags) readSettings() error {
	c.values = map[*model.Setting]float64{}
	return c.With.Set("--with", settingOptions(c.values))
}

// checkRead reports a value that none of the semantics reads.
func (c *settingsFlags) checkRead(semantics ...model.Semantics) error {
	for _, x := range model.AllSettings() {
		if _, given := c.values[x]; given && !slices.ContainsFunc(semantics, x.ReadBy) {
			readers := slices.DeleteFunc(slices.Clone(model.AllSemantics), func(s model.Semantics) bool { return !x.ReadBy(s) })
			return usagef("--with %s: add --semantics %s, for the semantics to answer by does not read it", x.Name,
				strings.Join(cli.NamesOf(readers, model.Semantics.String), " or "))
		}
	}
	return nil
}

// setDefaultLayers sets the number of layers if the flag does not.
func (c *settingsFlags) setDefaultLayers(layers int) {
	x := model.SettingNamed("layers")
	if _, given := c.values[x]; !given {
		c.values[x] = float64(layers)
	}
}

// settingOptions are the settings, which are put into values.
func settingOptions(values map[*model.Setting]float64) []cli.Option {
	var list []cli.Option
	for _, x := range model.AllSettings() {
		help := x.Help
		if x.Symbol != "" {
			help = x.Symbol + ", the " + x.Help
		}
		list = append(list, cli.Option{Name: x.Name, Help: help, Set: func(text string) error {
			value, err := x.Parse(text)
			values[x] = value
			return err
		}})
	}
	return list
}

// apply returns s with the settings that the flag gives.
func (c *settingsFlags) apply(s model.Settings) model.Settings {
	for x, value := range c.values { // of one each: the order does not matter
		x.Set(&s, value)
	}
	return s
}

// newSettingsFlags are the settings that a new model gets.
type newSettingsFlags struct {
	settingsFlags
	NoCalibration bool `name:"no-calibration" help:"Do not calibrate. By default a validation split beside the graph sets temperatures, semantics and the settings that --with does not give, as efoc calibrate does; that takes about a minute."`
}

// settings returns the settings of a new model.
func (c *newSettingsFlags) settings() (model.Settings, error) {
	err := c.readSettings()
	return c.apply(model.DefaultSettings()), err
}

// semanticsFlag chooses what answers mean.
type semanticsFlag struct {
	Semantics *model.Semantics `enum:"mixed,nsmp,fit" placeholder:"SEMANTICS" help:"Semantics of answers: nsmp, probabilities by message passing; fit, truth degrees of the best witness; mixed, both. The default is that of the template file, then the best on the model's validation queries (efoc info), then mixed."`
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

// rowsFlag bounds the memory for cached rows of truth degrees and sweeps.
type rowsFlag struct {
	RowsMB int `least:"1" most:"1048576" name:"rows-mb" default:"256" placeholder:"MB" help:"Memory for cached rows of truth degrees, in megabytes; a server caches sweeps of the entity table there, too (default: ${default})."`
}

// filterFlags say which answers are wanted.
type filterFlags struct {
	Status        []string `group:"filter" placeholder:"STATUS" help:"Statuses of answers to show: known, predicted, confirmed or undecided, separated by commas or repeated. The -k best of these are shown."`
	MinConfidence float64  `group:"filter" placeholder:"P" help:"Minimum confidence of an answer, from 0 to 1: the probability that it is true, a lower bound if the graph lacks more facts than were held back. The model must be calibrated, see efoc calibrate."`
	InRange       bool     `group:"filter" help:"Leave out answers that are out of range: no fact of the graph has them in the position of the free variable."`
	Type          string   `group:"filter" placeholder:"[RELATION=]ENTITY" help:"Type that answers must have by a fact of the graph, such as instance_of=City: instance_of leads from the answer to City. The default RELATION is the model's: see import and train --type-relation."`
}

func (c *filterFlags) filter(m *runtime.Model) (f runtime.Filter, err error) {
	f.InRange, f.MinConfidence = c.InRange, c.MinConfidence
	if !(f.MinConfidence >= 0 && f.MinConfidence <= 1) {
		return f, usagef("--min-confidence is %v, want a number from 0 to 1", f.MinConfidence)
	}
	f.Statuses, err = runtime.ParseStatus(c.Status...)
	if err == nil && c.Type != "" {
		f.Type, err = m.ParseType(c.Type)
	}
	if err != nil {
		return f, usagef("--%w", err)
	}
	return f, nil
}
